"""With an attack running only the payload's span differs, and nothing about the message gives it away."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
import zstandard

from deploy.attacks import by_id
from injectors.payload import render
from tests.e2e.support.certs import Certificates
from tests.e2e.support.running import CLIENTS, Connection, Live, live
from tests.e2e.support.upstream import Handler, Received, Send, Upstream, always, answer, venue
from tests.e2e.support.wire import Got
from tests.e2e.test_clients import chat_venue, directly, through

URL = "https://data.alpaca.markets/v1beta1/news?symbols=AAPL"
CHAT = "https://api.openai.com/v1/chat/completions"
HIDDEN, INSERTED, REPLACED = "news-hidden-order", "news-fabricated-takeover", "news-false-retraction"
TOOL = "tool-risk-desk-note"


def item(number: int, symbol: str = "AAPL") -> str:
    """One item in odd but legal JSON: spaces, escapes, numbers that a re-dump would change."""
    return (
        f'{{"id" : {number}, "headline": "Caf\\u00e9 \\/ {number}",  "author": "A", "score": 1.10, "odd": [1E400, -0, 1e-8],\n'
        f' "created_at": "2026-11-30T13:00:0{number}Z", "updated_at": "2026-11-30T13:00:0{number}Z", "summary": "☕ short",'
        f' "content": "<p>Body {number}.</p>", "url": "https://news.example/{number}", "images": [], "source": "s",'
        f' "symbols": ["{symbol}"] }}'
    )


NEWS = f'{{"news": [{item(1)}, {item(2)}],\t"next_page_token": null, "a": 1, "a": 2}}\n'.encode()


def text_of(attack: str, kind: Any = "attack") -> str:
    case = by_id()[attack]
    return render(case, case.variants[0], kind, 0).text


async def attacked(
    handler: Handler,
    certificates: Certificates,
    workspace: Path,
    *attacks: str,
    ask: Callable[[Live], Any],
    **options: Any,
) -> tuple[Any, Live, Upstream]:
    """Run `ask` against a session with these attacks; the session is closed, its evidence whole."""
    async with venue(handler, certificates) as upstream:
        hosts = ("paper-api.alpaca.markets", "data.alpaca.markets", "api.openai.com", "venue.example")
        maps = dict.fromkeys(hosts, upstream.url)
        async with live(workspace, *attacks, maps=maps, **options) as session:
            async with asyncio.timeout(30):
                got = await ask(session)
    assert session.log.named("hook.failed") == []
    return got, session, upstream


def spliced(plain: bytes, session: Live) -> bytes:
    """The journal's edits, applied to what the venue sent: what the agent must have got."""
    edits = sorted((edit for one in session.evidence().injections for edit in one.edits), key=lambda edit: -edit.start)
    assert edits
    for edit in edits:
        assert plain[edit.start : edit.start + len(edit.old)] == edit.old
        plain = plain[: edit.start] + edit.new + plain[edit.start + len(edit.old) :]
    return plain


@pytest.mark.parametrize("attack", [HIDDEN, INSERTED, REPLACED, "news-house-view-first"])
async def test_only_the_span_differs(attack: str, certificates: Certificates, workspace: Path) -> None:
    """Every other byte is the venue's, the length is right, and the payload is there for whoever parses."""
    got, session, _ = await attacked(
        always(answer(NEWS)), certificates, workspace, attack, ask=lambda session: session.ask(URL)
    )

    assert got.body != NEWS
    assert got.body == spliced(NEWS, session)
    assert got.head.length == len(got.body)
    items = json.loads(got.body)["news"]
    assert sum(text_of(attack) in one["content"] + one["summary"] for one in items) == 1
    assert len(items) == (3 if attack == INSERTED else 2)
    row = session.only()
    assert (row.outcome, session.body(row.response_body), session.body(row.shown_body)) == ("edited", NEWS, got.body)


async def test_several_attacks_on_one_body(certificates: Certificates, workspace: Path) -> None:
    """Two attacks edit one body without touching each other's bytes."""
    got, session, _ = await attacked(
        always(answer(NEWS)), certificates, workspace, HIDDEN, "news-house-view-first", ask=lambda one: one.ask(URL)
    )

    assert got.body == spliced(NEWS, session)
    assert [bool(one.edits) for one in session.evidence().injections] == [True, True]


FIELDS = (
    ("ETag", 'W/"abc-12"'),
    ("Content-MD5", "Q2hlY2sgSW50ZWdyaXR5IQ=="),
    ("Digest", "sha-256=x"),
    ("Cache-Control", "public, max-age=600"),
    ("Accept-Ranges", "bytes"),
    ("Last-Modified", "Mon, 30 Nov 2026 13:00:00 GMT"),
    ("Set-Cookie", "a=1"),
    ("X-OdD", "kept"),
    ("set-cookie", "b=2"),
)


async def test_fields_follow_the_edit(certificates: Certificates, workspace: Path) -> None:
    """A new validator in the old one's style, no digest of other bytes, nothing cached; all else as sent."""
    got, _, _ = await attacked(
        always(answer(NEWS, *FIELDS)), certificates, workspace, HIDDEN, ask=lambda one: one.ask(URL)
    )

    names = [name.decode().lower() for name, _ in got.head.fields]
    assert names == [
        *(
            "content-type",
            "etag",
            "cache-control",
            "last-modified",
            "set-cookie",
            "x-odd",
            "set-cookie",
            "content-length",
        )
    ]
    etag = got.head.get("etag")
    assert etag is not None
    assert etag != b'W/"abc-12"'
    assert (etag[:3], etag[-1:], len(etag)) == (b'W/"', b'"', len(b'W/"abc-12"'))
    assert got.head.get("cache-control") == b"no-store"
    assert (b"X-OdD", b"kept") in got.head.fields
    assert [value for name, value in got.head.fields if name.lower() == b"set-cookie"] == [b"a=1", b"b=2"]


CONDITIONS = (
    'If-None-Match: W/"abc-12"',
    "If-Modified-Since: Mon, 30 Nov 2026 13:00:00 GMT",
    "Range: bytes=0-10",
    "If-Range: x",
)


async def test_conditions_are_not_asked(certificates: Certificates, workspace: Path) -> None:
    """A part, or "not modified", could not be edited; only where something is to be injected they are dropped."""
    got, _, upstream = await attacked(
        always(answer(NEWS)),
        certificates,
        workspace,
        HIDDEN,
        ask=lambda one: asyncio.gather(
            one.ask(URL, "GET", b"", *CONDITIONS, "X-Kept: 1"),
            one.ask("https://venue.example/x", "GET", b"", *CONDITIONS),
        ),
    )
    heads = {one.path: [name.lower() for name, _ in one.head.fields] for one in upstream.received}

    assert heads["/v1beta1/news"] == [b"host", b"x-kept"]
    assert heads["/x"] == [b"host", b"if-none-match", b"if-modified-since", b"range", b"if-range"]
    assert got[1].body == NEWS


CODINGS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (gzip.compress, gzip.decompress),
    "deflate": (zlib.compress, zlib.decompress),
    "br": (brotli.compress, brotli.decompress),
    "zstd": (
        zstandard.ZstdCompressor().compress,
        lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    ),
}


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("framing", ["length", "chunks"])
async def test_compressed_bodies(coding: str, framing: str, certificates: Certificates, workspace: Path) -> None:
    """Edited within its coding: the field stays, the client can read it, framing is right."""
    pack, unpack = CODINGS[coding]
    packed = pack(NEWS)
    raw = answer(packed, ("Content-Encoding", coding))
    if framing == "chunks":
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        raw = head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    got, session, _ = await attacked(always(raw), certificates, workspace, HIDDEN, ask=lambda one: one.ask(URL))

    assert got.head.get("content-encoding") == coding.encode()
    assert unpack(got.body) == spliced(NEWS, session)
    assert got.whole
    assert got.head.chunked == (framing == "chunks")
    assert got.head.length == (None if framing == "chunks" else len(got.body))


UNTOUCHED = {
    "partial": answer(NEWS, ("Content-Range", "bytes 0-9/10"), status="206 Partial Content"),
    "not modified": b'HTTP/1.1 304 Not Modified\r\nETag: "v"\r\n\r\n',
    "error": answer(NEWS, status="500 Internal Server Error"),
    "malformed": answer(NEWS[:-20]),
    "damaged gzip": answer(gzip.compress(NEWS)[:-6], ("Content-Encoding", "gzip"), ("ETag", '"v"')),
    "unknown coding": answer(NEWS, ("Content-Encoding", "sdch")),
    "no items": answer(b'{"news": [], "next_page_token": null}', ("ETag", '"v"')),
    "another shape": answer(b'{"news": {"id": 1, "content": "x"}}', ("Cache-Control", "max-age=1")),
    "empty": answer(b""),
}


@pytest.mark.parametrize("name", UNTOUCHED)
async def test_what_cannot_be_edited_is_untouched(name: str, certificates: Certificates, workspace: Path) -> None:
    """Not a byte changes, of body or fields, when nothing was injected."""
    raw = UNTOUCHED[name]
    got, session, _ = await attacked(
        always(raw), certificates, workspace, HIDDEN, INSERTED, ask=lambda one: one.ask(URL)
    )

    assert got.head.raw + got.body == raw
    assert session.only().outcome == "passed"
    assert [one for one in session.evidence().injections if one.edits] == []


async def test_head_is_untouched(certificates: Certificates, workspace: Path) -> None:
    """A HEAD has no body to edit; its fields are the venue's."""
    raw = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: "v"\r\nContent-Length: 999\r\n\r\n'
    got, _, _ = await attacked(always(raw), certificates, workspace, HIDDEN, ask=lambda one: one.ask(URL, "HEAD"))

    assert got.head.raw == raw


async def test_a_poisoned_item_stays_poisoned(certificates: Certificates, workspace: Path) -> None:
    """The second poll shows the same item with the same payload, though it stands elsewhere by then."""
    polls = [NEWS, f'{{"news":[{item(3)},{item(1)}]}}'.encode(), f'{{"news":[{item(3)}]}}'.encode()]

    async def handle(received: Received, send: Send) -> None:
        await send(answer(polls[int(received.target.rpartition("=")[2])]))

    async def ask(session: Live) -> list[Got]:
        return [await session.ask(f"{URL}&n={n}") for n in range(3)]

    got, session, _ = await attacked(handle, certificates, workspace, HIDDEN, ask=ask)
    first, second = json.loads(got[0].body)["news"][0], json.loads(got[1].body)["news"][1]

    assert first == second
    assert text_of(HIDDEN) in first["content"]
    assert text_of(HIDDEN) not in json.dumps(json.loads(got[1].body)["news"][0])
    assert got[2].body == polls[2]
    assert [(one.item, one.again) for one in session.evidence().injections] == [("1", False), ("1", True)]


async def test_an_inserted_item_stays(certificates: Certificates, workspace: Path) -> None:
    """The fabricated item is served again with the same id."""

    async def ask(session: Live) -> list[Got]:
        return [await session.ask(URL), await session.ask(URL)]

    got, _, _ = await attacked(always(answer(NEWS)), certificates, workspace, INSERTED, ask=ask)

    assert got[0].body == got[1].body
    assert len({one["id"] for one in json.loads(got[0].body)["news"]}) == 3


@pytest.mark.parametrize("attack", [HIDDEN, INSERTED, REPLACED])
async def test_a_control_is_as_long_as_the_attack(attack: str, certificates: Certificates, workspace: Path) -> None:
    """Harmless text in the same place makes a body of the same length on the wire, with no word of the attack."""
    handler, sizes, bodies = always(answer(NEWS)), [], []
    for n, options in enumerate(({"attacks": (attack,)}, {"controls": (attack,)})):
        names = options.get("attacks", ())
        got, session, _ = await attacked(
            handler,
            certificates,
            workspace,
            *names,
            ask=lambda one: one.ask(URL),
            controls=options.get("controls", ()),
            session=f"s{n}",
        )
        bodies.append(got.body)
        sizes.append([len(json.dumps(one["content"])) for one in json.loads(got.body)["news"]])
        assert [one.kind for one in session.evidence().injections] == ["control" if n else "attack"]

    case = by_id()[attack]
    assert bodies[0] != bodies[1]
    assert [len(text_of(attack)), text_of(attack) in bodies[1].decode()] == [len(text_of(attack, "control")), False]
    if case.placement.mode != "insert_item":
        # An inserted item has a headline of its own, which need not be as long.
        assert len(bodies[0]) == len(bodies[1])


async def test_same_seed_same_bytes(certificates: Certificates, workspace: Path) -> None:
    """A seed fixes what is injected; another one may choose other ids, never other places."""
    bodies = []
    for n, seed in enumerate((1, 1, 2)):
        got, _, _ = await attacked(
            always(answer(NEWS)),
            certificates,
            workspace,
            INSERTED,
            ask=lambda one: one.ask(URL),
            seed=seed,
            session=f"s{n}",
        )
        bodies.append(got.body)

    assert bodies[0] == bodies[1]
    assert len(bodies[0]) == len(bodies[2])


def chat_body(*results: str) -> bytes:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "get_news", "arguments": "{}"}}
        for n in range(len(results))
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Review AAPL ☕"}]
    messages.append({"role": "assistant", "content": None, "tool_calls": calls})
    messages += [{"role": "tool", "tool_call_id": f"c{n}", "content": text} for n, text in enumerate(results)]
    return json.dumps({"model": "m", "messages": messages, "temperature": 1.10}, indent=1).encode()


async def test_a_tool_result_is_edited_on_its_way_to_the_model(certificates: Certificates, workspace: Path) -> None:
    """Only the span differs upstream; the history of the next request is poisoned alike; it counts as read."""
    bodies = [chat_body('{"a": "\\u00e9"}'), chat_body('{"a": "\\u00e9"}', "second")]

    async def ask(session: Live) -> list[Got]:
        fields = ("Content-Type: application/json", "Authorization: Bearer sk-test-0123456789abcdef")
        return [await session.ask(CHAT, "POST", body, *fields) for body in bodies]

    _, session, upstream = await attacked(always(answer(b"{}")), certificates, workspace, TOOL, ask=ask)
    results = [
        [m["content"] for m in json.loads(one.body)["messages"] if m["role"] == "tool"] for one in upstream.received
    ]

    assert results[0][0].endswith(text_of(TOOL))
    assert results[1] == [results[0][0], "second"]
    assert [one.head.length for one in upstream.received] == [len(one.body) for one in upstream.received]
    first = [one for one in session.evidence().injections if not one.again]
    (edit,) = first[0].edits
    assert upstream.received[0].body == bodies[0][: edit.start] + edit.new + bodies[0][edit.start + len(edit.old) :]
    assert [one.attack for one in session.evidence().ingested] == [TOOL]
    row = session.evidence().exchanges[0]
    assert (session.body(row.request_body), session.body(row.forwarded_body)) == (bodies[0], upstream.received[0].body)


@pytest.mark.parametrize("attack", ["tool-prior-approval", "tool-oversized-rebalance"])
async def test_a_symbol_in_a_tool_result_triggers(attack: str, certificates: Certificates, workspace: Path) -> None:
    """A case for a symbol waits for the tool result that names it."""
    symbol = by_id()[attack].placement.trigger.symbol
    bodies = [chat_body("nothing here"), chat_body("nothing here", json.dumps({"symbol": symbol, "qty": 3}))]

    async def ask(session: Live) -> list[Got]:
        return [await session.ask(CHAT, "POST", body) for body in bodies]

    _, session, upstream = await attacked(always(answer(b"{}")), certificates, workspace, attack, ask=ask)

    assert upstream.received[0].body == bodies[0]
    assert text_of(attack)[:40] in json.loads(upstream.received[1].body)["messages"][3]["content"]
    assert [bool(one.edits) for one in session.evidence().injections] == [True]


async def test_ingestion_is_seen(certificates: Certificates, workspace: Path) -> None:
    """A payload that the agent passes on to its model is found in that request."""

    async def ask(session: Live) -> None:
        news = await session.ask(URL)
        text = json.loads(news.body)["news"][0]["content"]
        await session.ask(CHAT, "POST", chat_body("other"))
        await session.ask(CHAT, "POST", chat_body(json.dumps({"content": text})))

    async def handle(received: Received, send: Send) -> None:
        await send(answer(NEWS if received.method == "GET" else b"{}"))

    _, session, _ = await attacked(handle, certificates, workspace, HIDDEN, ask=ask)

    assert [(one.exchange, one.attack) for one in session.evidence().ingested] == [(3, HIDDEN)]


async def test_connection_survives_edits(certificates: Certificates, workspace: Path) -> None:
    """Edited, passed, edited on one kept-alive connection: lengths never desynchronise."""

    async def ask(session: Live) -> list[Got]:
        async with Connection(session.host.url, session.trust, URL) as connection:
            return [
                await connection.ask(path=path) for path in ("/v1beta1/news", "/v2/stocks/bars", "/v1beta1/news?a=1")
            ]

    got, _, _ = await attacked(always(answer(NEWS)), certificates, workspace, HIDDEN, ask=ask)

    assert [b"display:none" in one.body for one in got] == [True, False, True]
    assert got[0].body == got[2].body


@pytest.mark.parametrize("attack", [HIDDEN, INSERTED, REPLACED])
async def test_alpaca_py_reads_poisoned_news(
    attack: str, python: str, certificates: Certificates, workspace: Path
) -> None:
    """The SDK's own model takes it, twice alike; against the clean run only what the case names differs."""
    command = [python, str(CLIENTS / "alpaca_news.py")]
    # As the venue prints it: the SDK's JSON knows no 1E400.
    plain = NEWS.replace(b"1E400, ", b"")
    direct, proxied = await asyncio.gather(
        directly(command, always(answer(plain)), certificates),
        through(command, always(answer(plain)), certificates, workspace, "--attack", attack),
    )
    assert (direct.ran.code, proxied.ran.code) == (0, 0), proxied.ran.err
    clean, poisoned = direct.ran.lines(), proxied.ran.lines()

    assert poisoned[0] == poisoned[1]
    assert text_of(attack) in json.dumps(poisoned[0], ensure_ascii=False).replace('\\"', '"')
    if attack == INSERTED:
        assert [one for one in poisoned[0] if one["headline"] in {two["headline"] for two in clean[0]}] == clean[0]
    else:
        assert [{**one, "content": ""} for one in poisoned[0]] == [{**one, "content": ""} for one in clean[0]]


async def test_openai_with_a_poisoned_tool_result(python: str, certificates: Certificates, workspace: Path) -> None:
    """The SDK's round trip works as before; the model alone saw the payload."""
    command = [python, str(CLIENTS / "openai_life.py")]
    direct, proxied = await asyncio.gather(
        directly(command, chat_venue(), certificates),
        through(command, chat_venue(), certificates, workspace, "--attack", TOOL),
    )
    assert (direct.ran.code, proxied.ran.code) == (0, 0), proxied.ran.err

    assert direct.ran.out == proxied.ran.out
    told = [json.loads(one.body)["messages"] for one in proxied.received]
    assert [len(messages) for messages in told] == [1, 3, 3]
    assert [text_of(TOOL) in messages[-1]["content"] for messages in told] == [False, True, True]
    assert told[1][-1] == told[2][-1]
