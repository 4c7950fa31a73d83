"""Whatever an upstream answers, the agent gets the very same: status line, fields, body, and where it was cut."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import brotli
import pytest
import zstandard

from tests.e2e.support.certs import Certificates
from tests.e2e.support.running import Connection, Live, ask, live
from tests.e2e.support.upstream import Handler, Received, Send, Upstream, always, answer, tunnel, venue
from tests.e2e.support.wire import Got

HOSTS = ("venue.example", "data.alpaca.markets", "paper-api.alpaca.markets", "api.openai.com")
NEWS = b'{"news": [{"id": 1, "headline": "H", "content": "C", "created_at": "2026-11-30T13:00:00Z", "symbols": []}]}'
TARGETS = (
    ("GET", "https://venue.example/thing", b""),
    ("GET", "https://data.alpaca.markets/v1beta1/news?symbols=AAPL", b""),
    ("POST", "https://paper-api.alpaca.markets/v2/orders", b'{"symbol": "AAPL", "qty": "1", "side": "buy"}'),
    ("POST", "https://api.openai.com/v1/chat/completions", b'{"messages": [], "model": "m"}'),
)
"""An unknown host, a view, an order and a model call: each is read on the way."""


def chunked(*chunks: bytes, more: bytes = b"", end: bytes = b"0\r\n\r\n", kind: str = "application/json") -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%sTransfer-Encoding: chunked\r\n\r\n" % (kind.encode(), more)
    return head + b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in chunks) + end


def coded(body: bytes, coding: str) -> bytes:
    return answer(body, ("Content-Encoding", coding))


BOMB = zstandard.ZstdCompressor(level=19).compress(bytes(200 * 1024 * 1024))
RAW = zlib.compressobj(wbits=-15)
ANSWERS: dict[str, bytes] = {
    "news": answer(NEWS),
    "malformed json": answer(b'{"news": [{"id": 1, "headline": "H", ]'),
    "nan": answer(b'{"news": [{"id": NaN, "headline": "H", "p": 1E400, "q": -0, "r": Infinity}]}'),
    "duplicate keys": answer(b'{"id": "1", "id": "2", "status": "filled", "status": "new", "news": [], "news": 3}'),
    "deep nesting": answer(b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "not utf-8": answer(b'{"news": [{"headline": "\xff\xfe\xe9"}]}'),
    "bom": answer(b"\xef\xbb\xbf" + NEWS),
    "lone surrogate": answer(b'{"news": [{"id": 1, "headline": "\\ud800", "content": "\\udc00x"}]}'),
    "empty": answer(b""),
    "white space": answer(b" \r\n\t"),
    "json string": answer(b'"text"'),
    "huge number": answer(b'{"id": ' + b"9" * 50_000 + b"}"),
    "unknown type": answer(bytes(range(256)) * 4, kind="application/x-unheard-of"),
    "no type": answer(NEWS, kind=None),
    "binary as json": answer(bytes(range(256)), kind="application/json"),
    "html as json": answer(b"<html><body>502 Bad Gateway</body></html>", status="502 Bad Gateway"),
    "gzip": coded(gzip.compress(NEWS), "gzip"),
    "gzip, more members": coded(gzip.compress(NEWS[:40]) + gzip.compress(NEWS[40:]), "gzip"),
    "gzip, cut": coded(gzip.compress(NEWS * 20)[:-12], "gzip"),
    "gzip, damaged": coded(gzip.compress(NEWS)[:-8] + b"\0" * 8, "gzip"),
    "gzip, junk behind": coded(gzip.compress(NEWS) + b"junk", "gzip"),
    "gzip, not": coded(NEWS, "gzip"),
    "x-gzip, odd case": coded(gzip.compress(NEWS), "X-GZip"),
    "deflate": coded(zlib.compress(NEWS), "deflate"),
    "deflate, raw": coded(RAW.compress(NEWS) + RAW.flush(), "deflate"),
    "br": coded(brotli.compress(NEWS), "br"),
    "br, damaged": coded(brotli.compress(NEWS * 9)[:-5], "br"),
    "zstd": coded(zstandard.ZstdCompressor().compress(NEWS), "zstd"),
    "zstd, damaged": coded(zstandard.ZstdCompressor().compress(NEWS)[:-3] + b"abc", "zstd"),
    "stacked": coded(brotli.compress(gzip.compress(NEWS)), "gzip, br"),
    "unknown coding": coded(NEWS, "sdch, gzip"),
    "bomb": coded(BOMB, "zstd"),
    "no content": b"HTTP/1.1 204 No Content\r\nX-Kept: 1\r\n\r\n",
    "reset content": b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
    "not modified": b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nCache-Control: max-age=9\r\n\r\n',
    "partial": answer(NEWS[3:9], ("Content-Range", "bytes 3-8/99"), status="206 Partial Content"),
    "redirect": answer(b"", ("Location", "https://venue.example/other?x=1"), status="302 Found", kind=None),
    "odd status": answer(b"{}", status="299 Odd  Reason  Phrase"),
    "no reason": b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n{}",
    "rejected": answer(b'{"code": 40310000, "message": "insufficient"}', status="403 Forbidden"),
    "rate limited": answer(b'{"message": "slow down"}', ("Retry-After", "7"), status="429 Too Many Requests"),
    "chunked": chunked(NEWS[:10], NEWS[10:]),
    "chunked, gzip": chunked(gzip.compress(NEWS), more=b"Content-Encoding: gzip\r\n"),
    "chunked, empty": chunked(),
    "chunked, extensions": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0;c\r\n\r\n",
    "two cookies": answer(b"{}", ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2"), ("set-cookie", "c=3")),
    "odd header case": answer(b"{}", ("x-OdD-cAsE", "Kept  Inside"), ("X-EMPTY", ""), ("x-latin", "caf\xe9")),
    "large header": answer(b"{}", ("X-Large", "x" * 30_000)),
    "many headers": answer(b"{}", *((f"X-{n}", str(n)) for n in range(300))),
    "trailing cache fields": answer(
        NEWS, ("ETag", 'W/"abc-1"'), ("Content-MD5", "x"), ("Accept-Ranges", "bytes"), ("Cache-Control", "max-age=60")
    ),
    "events": chunked(b"data: {}\n\n", b"data: [DO", b"NE]\n\n", kind="text/event-stream"),
    "ndjson": answer(b'{"a": 1}\n{"a": 2}', kind="application/x-ndjson"),
}


def fields_of(got: Got) -> list[tuple[bytes, bytes]]:
    return got.head.fields


async def both(
    handler: Handler, certificates: Certificates, workspace: Path, way: Any
) -> tuple[Any, Any, Live, Upstream]:
    """One conversation directly and through the proxy; the session is closed, its evidence whole."""
    async with venue(handler, certificates) as upstream, tunnel(upstream.tls_port) as straight:
        direct = await way(straight, certificates.ca)
        before = len(upstream.received)
        maps = dict.fromkeys(HOSTS, upstream.tls_url)
        async with live(workspace, maps=maps, upstream_ca=certificates.ca) as session:
            proxied = await way(session.host.url, session.trust)
        first, second = upstream.received[:before], upstream.received[before:]
        assert [(one.head.raw, one.body) for one in first] == [(one.head.raw, one.body) for one in second]
        return direct, proxied, session, upstream


@pytest.mark.parametrize("name", ANSWERS)
async def test_answers_pass_unchanged(name: str, certificates: Certificates, workspace: Path) -> None:
    """On every kind of endpoint; journalled with the bytes of the wire, and no hook failed."""

    async def way(proxy: str, trust: Path) -> list[Got]:
        return [await ask(proxy, trust, url, method, body) for method, url, body in TARGETS]

    direct, proxied, session, _ = await both(always(ANSWERS[name]), certificates, workspace, way)

    assert [(one.head.line, one.head.fields) for one in direct] == [(one.head.line, one.head.fields) for one in proxied]
    assert [(one.body, one.whole) for one in direct] == [(one.body, one.whole) for one in proxied]
    rows = session.evidence().exchanges
    assert [row.status for row in rows] == [one.status for one in direct]
    assert [row.outcome for row in rows] == ["passed"] * len(TARGETS)
    assert [session.body(row.response_body) or b"" for row in rows] == [one.body for one in direct]
    assert session.log.named("hook.failed") == []


@pytest.mark.parametrize("size", [10_000_000])
@pytest.mark.parametrize("form", ["length", "chunks", "to the end"])
async def test_ten_megabytes(form: str, size: int, certificates: Certificates, workspace: Path) -> None:
    """A body of 10 MB each way, in each framing."""
    body = (b'{"news": [' + b'{"id": 1, "headline": "x"}, ' * (size // 28))[:size]
    raw = {
        "length": answer(body),
        "chunks": chunked(body[: size // 2], body[size // 2 :]),
        "to the end": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + body,
    }[form]

    async def way(proxy: str, trust: Path) -> list[Got]:
        return [await ask(proxy, trust, url, "POST" if sent else "GET", sent or b"") for url, sent in urls]

    urls = [("https://venue.example/x", body), (TARGETS[1][1], None)]
    direct, proxied, session, _ = await both(always(raw, keep=form != "to the end"), certificates, workspace, way)

    assert [one.body == body and one.whole for one in (*direct, *proxied)] == [True] * 4
    assert [one.head.fields for one in direct] == [one.head.fields for one in proxied]
    rows = session.evidence().exchanges
    assert [session.body(row.response_body) == body for row in rows] == [True, True]
    assert session.body(rows[0].request_body) == body


@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_no_length(version: str, certificates: Certificates, workspace: Path) -> None:
    """A body that ends with the connection ends with it for the agent too."""
    raw = f"HTTP/{version} 200 OK\r\nContent-Type: application/json\r\nServer: old\r\n\r\n".encode() + NEWS

    async def way(proxy: str, trust: Path) -> list[Got]:
        return [await ask(proxy, trust, url, method, body) for method, url, body in TARGETS]

    direct, proxied, session, _ = await both(always(raw, keep=False), certificates, workspace, way)

    assert [(one.head.fields, one.body) for one in direct] == [(one.head.fields, one.body) for one in proxied]
    assert [session.body(row.response_body) for row in session.evidence().exchanges] == [NEWS] * 4


CUT = {
    "declared length": answer(NEWS)[:-30],
    "within a chunk": chunked(NEWS, end=b"ff\r\nabc"),
    "before the last chunk": chunked(NEWS, end=b""),
    "within an event stream": chunked(b"data: {}\n\n", end=b"", kind="text/event-stream"),
}


@pytest.mark.parametrize("name", CUT)
async def test_cut_answers(name: str, certificates: Certificates, workspace: Path) -> None:
    """
    An upstream that closes amid a body: the agent sees the same cut, and what came is kept.

    Only the answer to an order is held until it is on disk; its cut becomes an error, never a whole answer.
    """

    async def way(proxy: str, trust: Path) -> list[Got]:
        return [await ask(proxy, trust, url, method, body) for method, url, body in TARGETS]

    direct, proxied, session, upstream = await both(always(CUT[name], keep=False), certificates, workspace, way)

    assert [one.whole for one in direct] == [False] * 4
    for (_method, url, _body), cut, got in zip(TARGETS, direct, proxied, strict=True):
        if url.endswith("/v2/orders") and got.status == 502:
            continue
        assert (got.status, got.whole) == (cut.status, False)
        # What came of a chunk that was cut is passed on; a client that reads whole chunks alone misses it directly.
        assert got.body.startswith(cut.body)
    assert [got.status for got in proxied].count(502) <= 1
    rows = session.evidence().exchanges
    assert [row.outcome for row in rows] == ["error"] * 4
    assert all(row.error for row in rows)
    # A request is never repeated behind the agent's back.
    assert len(upstream.received) == 8
    assert [fact.event.kind for fact in session.evidence().orders] == ["requested", "unknown"]


async def test_no_answer(certificates: Certificates, workspace: Path) -> None:
    """An upstream that hangs up on a request: an error for the agent, the order may or may not work."""

    async def handle(_received: Received, _send: Send) -> bool:
        return False

    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        got = [await session.ask(url, method, body) for method, url, body in TARGETS]

    assert [one.status for one in got] == [502] * 4
    assert [row.outcome for row in session.evidence().exchanges] == ["error"] * 4
    assert [fact.event.kind for fact in session.evidence().orders] == ["requested", "unknown"]


async def test_nobody_listens(workspace: Path) -> None:
    """A dead upstream is an error for the agent and a row in the evidence."""
    async with live(workspace, maps=dict.fromkeys(HOSTS, "http://127.0.0.1:9")) as session:
        got = [await session.ask(url, method, body) for method, url, body in TARGETS]

    assert [one.status for one in got] == [502] * 4
    assert [row.outcome for row in session.evidence().exchanges] == ["error"] * 4


async def test_head(certificates: Certificates, workspace: Path) -> None:
    """HEAD keeps the length of a body that does not come, and the connection stays usable."""
    raw = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12345\r\nETag: "v"\r\n\r\n'

    async def handle(received: Received, send: Send) -> None:
        await send(raw if received.method == "HEAD" else answer(NEWS))

    async def way(proxy: str, trust: Path) -> list[Got]:
        async with asyncio.timeout(20), Connection(proxy, trust, TARGETS[1][1]) as connection:
            return [await connection.ask("HEAD"), await connection.ask("GET"), await connection.ask("HEAD")]

    direct, proxied, session, _ = await both(handle, certificates, workspace, way)

    assert [(one.head.raw, one.body) for one in direct] == [(one.head.raw, one.body) for one in proxied]
    assert [row.method for row in session.evidence().exchanges] == ["HEAD", "GET", "HEAD"]


async def test_bodiless_answers_keep_the_connection(certificates: Certificates, workspace: Path) -> None:
    """204 and 304 have no body, and what follows on the connection is read right."""
    queue = [
        ANSWERS["no content"],
        answer(b"{}"),
        ANSWERS["not modified"],
        answer(NEWS),
        ANSWERS["chunked"],
        answer(b"[]"),
    ]

    async def handle(received: Received, send: Send) -> None:
        await send(queue[int(received.target.rpartition("=")[2])])

    async def way(proxy: str, trust: Path) -> list[Got]:
        async with asyncio.timeout(20), Connection(proxy, trust, TARGETS[1][1]) as connection:
            return [await connection.ask(path=f"/v1beta1/news?n={n}") for n in range(len(queue))]

    direct, proxied, _, upstream = await both(handle, certificates, workspace, way)

    assert [(one.head.line, one.head.fields, one.body) for one in direct] == [
        (one.head.line, one.head.fields, one.body) for one in proxied
    ]
    assert len({one.connection for one in upstream.received}) == 2


@pytest.mark.parametrize("target", ["127.0.0.1", "localhost"])
async def test_connections_are_reused(target: str, certificates: Certificates, workspace: Path) -> None:
    """Ten requests on the agent's one connection are one connection upstream, by address or by name."""
    async with venue(always(answer(NEWS)), certificates) as upstream:
        maps = {"venue.example": f"https://{target}:{upstream.tls_port}"}
        async with live(workspace, maps=maps, upstream_ca=certificates.ca) as session:
            way = Connection(session.host.url, session.trust, "https://venue.example/x")
            async with asyncio.timeout(20), way as connection:
                got = [await connection.ask() for _ in range(10)]

    assert [one.body for one in got] == [NEWS] * 10
    assert upstream.connections == 1


async def test_many_at_once(certificates: Certificates, workspace: Path) -> None:
    """Forty connections at once: every answer goes to its own question."""

    async def handle(received: Received, send: Send) -> None:
        await asyncio.sleep(0.01)
        await send(answer(received.target.encode()))

    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps={"venue.example": upstream.url}) as session,
    ):
        got = await asyncio.gather(*(session.ask(f"https://venue.example/{n}") for n in range(40)))

    assert [one.body for one in got] == [f"/{n}".encode() for n in range(40)]
    assert len(session.evidence().exchanges) == 40


@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson"])
async def test_streams_pass_piece_by_piece(kind: str, certificates: Certificates, workspace: Path) -> None:
    """The venue sends the next piece only after the client has the one before: buffering would hang here."""
    pieces = [b'data: {"n": 1}\n\n', b'data: {"n": "caf\xc3', b'\xa9"}\r\n\r\n: note\r', b"\ndata: [DONE]\n\n"]
    taken: asyncio.Queue[None] = asyncio.Queue()

    async def handle(_received: Received, send: Send) -> None:
        await send(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n" % kind.encode())
        for piece in pieces:
            await send(b"%x\r\n%s\r\n" % (len(piece), piece))
            await taken.get()
        await send(b"0\r\n\r\n")

    url = "https://api.openai.com/v1/chat/completions"
    body = b'{"messages": [], "model": "m", "stream": true}'
    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        way = Connection(session.host.url, session.trust, url)
        async with asyncio.timeout(20), way as connection:
            await connection.send(connection.head("POST", f"Content-Length: {len(body)}") + body)
            head = await connection.reader.readuntil(b"\r\n\r\n")
            seen = []
            for piece in pieces:
                raw = b"%x\r\n%s\r\n" % (len(piece), piece)
                seen.append(await connection.reader.readexactly(len(raw)) == raw)
                taken.put_nowait(None)
            end = await connection.reader.readexactly(5)

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert (seen, end) == ([True] * 4, b"0\r\n\r\n")
    assert session.body(session.only().response_body) == b"".join(pieces)


async def test_expect_continue(certificates: Certificates, workspace: Path) -> None:
    """A client that waits for 100 gets it, and the body arrives; the field itself is the proxy's to answer."""
    order = TARGETS[2][2]

    async with (
        venue(always(answer(b'{"id": "o-1", "status": "new"}')), certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        way = Connection(session.host.url, session.trust, TARGETS[2][1])
        async with asyncio.timeout(20), way as connection:
            fields = ("Content-Type: application/json", "Expect: 100-continue", f"Content-Length: {len(order)}")
            await connection.send(connection.head("POST", *fields))
            said = await connection.reader.readuntil(b"\r\n\r\n")
            await connection.send(order)
            got = await connection.reader.readuntil(b"\r\n\r\n")

    assert said.startswith(b"HTTP/1.1 100 ")
    assert got.startswith(b"HTTP/1.1 200 OK\r\n")
    assert [one.body for one in upstream.received] == [order]
    assert [fact.event.symbol for fact in session.evidence().orders if fact.event.kind == "requested"] == ["AAPL"]


BODIES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "malformed": (b'{"symbol": "AAPL", "qty": ', ()),
    "nan": (b'{"symbol": "AAPL", "qty": NaN, "side": "buy"}', ()),
    "duplicate keys": (b'{"symbol": "AAPL", "symbol": "MSFT", "qty": "1", "qty": 2, "side": "buy"}', ()),
    "list": (b'[{"symbol": "AAPL"}]', ()),
    "binary": (bytes(range(256)) * 10, ("Content-Type: application/octet-stream",)),
    "gzip": (gzip.compress(b'{"symbol": "AAPL", "qty": "1", "side": "buy"}'), ("Content-Encoding: gzip",)),
    "gzip, damaged": (gzip.compress(b'{"symbol": "AAPL"}')[:-5], ("Content-Encoding: gzip",)),
    "form": (b"symbol=AAPL&qty=1&side=buy", ("Content-Type: application/x-www-form-urlencoded",)),
    "odd fields": (b"{}", ("x-oDD: 1", "X-Odd: 2", "Cookie: a=1", "cookie: b=2", "X-Large: " + "y" * 20_000)),
    "empty": (b"", ()),
}


@pytest.mark.parametrize("name", BODIES)
async def test_requests_pass_unchanged(name: str, certificates: Certificates, workspace: Path) -> None:
    """Whatever is posted to an order endpoint reaches the venue as it was, and counts as an order request."""
    body, more = BODIES[name]

    async def way(proxy: str, trust: Path) -> list[Got]:
        return [await ask(proxy, trust, url, "POST", body, *more) for _, url, _ in TARGETS]

    direct, proxied, session, _ = await both(always(answer(b"{}")), certificates, workspace, way)

    assert [one.body for one in direct] == [one.body for one in proxied]
    rows = session.evidence().exchanges
    assert [row.outcome for row in rows] == ["passed"] * 4
    (asked,) = [fact for fact in session.evidence().orders if fact.event.kind == "requested"]
    assert asked.event.action == "place"
    if name in ("malformed", "gzip, damaged"):
        assert set(rows[2].marks) & {"unreadable", "bad_encoding"}


async def test_chunked_request(certificates: Certificates, workspace: Path) -> None:
    """A request body in chunks: its bytes arrive, in chunks."""

    async def way(proxy: str, trust: Path) -> list[Got]:
        async with asyncio.timeout(20), Connection(proxy, trust, TARGETS[2][1]) as connection:
            await connection.send(connection.head("POST", "Transfer-Encoding: chunked"))
            await connection.send(b'9\r\n{"symbol"\r\n')
            await connection.send(b'9\r\n: "AAPL"}\r\n0\r\n\r\n')
            head = await connection.reader.readuntil(b"\r\n\r\n")
            return [head]

    direct, proxied, session, upstream = await both(always(answer(b"{}")), certificates, workspace, way)

    assert direct == proxied
    assert {one.body for one in upstream.received} == {b'{"symbol": "AAPL"}'}
    assert session.evidence().orders[0].event.symbol == "AAPL"


@pytest.mark.parametrize("cut", [False, True])
async def test_interim_answers_do_not_hang(cut: bool, certificates: Certificates, workspace: Path) -> None:
    """Early hints before the answer: the answer arrives all the same, whole or in pieces, twice on a connection."""
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"

    async def handle(_received: Received, send: Send) -> None:
        for piece in (hints[:20], hints[20:70], hints[70:], answer(NEWS)) if cut else (hints + answer(NEWS),):
            await send(piece)
            await asyncio.sleep(0.05)

    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
        asyncio.timeout(10),
        Connection(session.host.url, session.trust, TARGETS[0][1]) as connection,
    ):
        got = [await connection.ask(), await connection.ask()]

    assert [(one.status, one.body) for one in got] == [(200, NEWS)] * 2


async def test_a_client_that_leaves(certificates: Certificates, workspace: Path) -> None:
    """An agent that hangs up while it waits breaks nothing; its order is in the evidence."""
    asked = asyncio.Event()

    async def handle(_received: Received, send: Send) -> None:
        asked.set()
        await asyncio.sleep(0.2)
        await send(answer(b"{}"))

    method, url, body = TARGETS[2]
    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        way = Connection(session.host.url, session.trust, url)
        async with asyncio.timeout(20), way as connection:
            await connection.send(connection.head(method, f"Content-Length: {len(body)}") + body)
            await asked.wait()
        after = await session.ask(TARGETS[0][1])

    assert after.status == 200
    assert session.evidence().orders[0].event.symbol == "AAPL"
    assert json.loads(body)["symbol"] == "AAPL"
