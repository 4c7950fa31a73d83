"""Secrets of an agent are nowhere in the evidence or the logs: by place or by value, in plain or encoded form."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
import zstandard

from tests.e2e.support.certs import Certificates
from tests.e2e.support.running import live, redtape
from tests.e2e.support.upstream import Handler, Received, Send, always, answer, venue

ORDERS = "https://paper-api.alpaca.markets/v2/orders"
CHAT = "https://api.openai.com/v1/chat/completions"
HOSTS = ("paper-api.alpaca.markets", "data.alpaca.markets", "api.openai.com", "venue.example")
ORDER = {"symbol": "AAPL", "qty": "1", "side": "buy", "type": "market", "time_in_force": "day"}


def forms(secret: str) -> set[bytes]:
    """How a secret may stand somewhere: as it is, in URLs, in JSON, in base64 at each of its three phases."""
    raw = secret.encode()
    found = {raw, quote(secret, safe="").encode(), quote_plus(secret).encode(), json.dumps(secret)[1:-1].encode()}
    for shift in range(3):
        # Characters that hold bits of the neighbours are left out at both ends.
        coded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        middle = coded[4 if shift else 0 : -2]
        found |= {middle.encode(), middle.replace("+", "-").replace("/", "_").encode()}
    return found | {raw.hex().encode()}


def kept(file: Path) -> bytes:
    """Every byte of a session's evidence: the file, its side files, and each body in plain."""
    parts = [path.read_bytes() for path in file.parent.glob(f"{file.name}*")]
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    try:
        for size, data in connection.execute("SELECT size, data FROM bodies"):
            body = zstandard.ZstdDecompressor().decompress(data, max_output_size=size or 1)
            parts.append(body)
            if body[:2] == b"\x1f\x8b":
                parts.append(gzip.decompress(body))
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'bodies'"):
            parts += [repr(row).encode() for row in connection.execute(f"SELECT * FROM {name}")]
    finally:
        connection.close()
    return b"\n".join(parts)


def leaks(secret: str, data: bytes) -> list[bytes]:
    return [form for form in forms(secret) if len(form) >= 8 and form in data]


SECRET = 'Tr4de/Secret+Value="x" 9f8e7d'
SAFE = "Tr4deSecretValue9f8e7d6c5b"
"""The second has no character that a place forbids (a header, a cookie)."""

PLACES: dict[str, tuple[str, str, tuple[str, ...], bytes]] = {
    "bearer": (CHAT, "POST", (f"Authorization: Bearer {SAFE}",), b'{"messages": [], "model": "m"}'),
    "basic": (ORDERS, "GET", (f"Authorization: Basic {base64.b64encode(f'me:{SAFE}'.encode()).decode()}",), b""),
    "alpaca keys": (ORDERS, "POST", (f"APCA-API-SECRET-KEY: {SAFE}", "APCA-API-KEY-ID: PKIDIDIDIDIDID"), b"{}"),
    "unknown header": (ORDERS, "GET", (f"X-Mbx-Thing: {SAFE}",), b""),
    "cookie": (ORDERS, "GET", (f"Cookie: theme=dark; sid={SAFE}",), b""),
    "query": (f"{ORDERS}?a=1&api_key={quote(SECRET, safe='')}&b=2", "GET", (), b""),
    "query, odd case": (f"https://venue.example/x?Signature={quote_plus(SECRET)}", "GET", (), b""),
    "query, name in code": (f"https://venue.example/x?%61pi_key={quote(SECRET)}", "GET", (), b""),
    "json": (
        "https://venue.example/x",
        "POST",
        ("Content-Type: application/json",),
        json.dumps({"a": {"Password": SECRET}}).encode(),
    ),
    "json in a list": (
        ORDERS,
        "POST",
        ("Content-Type: application/json",),
        json.dumps([{"api_secret": SECRET}]).encode(),
    ),
    "json, escaped": (
        "https://venue.example/x",
        "POST",
        (),
        b'{"\\u0073ecret": "%s"}' % json.dumps(SECRET)[1:-1].encode(),
    ),
    "json, cut": (
        "https://venue.example/x",
        "POST",
        ("Content-Type: application/json",),
        json.dumps({"secret": SAFE, "b": [1]}).encode()[:-3],
    ),
    "json as text": (
        "https://venue.example/x",
        "POST",
        ("Content-Type: text/plain",),
        json.dumps({"token": SECRET}).encode(),
    ),
    "form": (
        "https://venue.example/x",
        "POST",
        ("Content-Type: application/x-www-form-urlencoded",),
        f"a=1&client_secret={quote_plus(SECRET)}&b=2".encode(),
    ),
    "form without a type": ("https://venue.example/x", "POST", (), f"grant_type=x&client_secret={SAFE}".encode()),
    "multipart": (
        "https://venue.example/x",
        "POST",
        ("Content-Type: multipart/form-data; boundary=b",),
        f'--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n{SAFE}\r\n--b--\r\n'.encode(),
    ),
    "packed body": (
        "https://venue.example/x",
        "POST",
        ("Content-Encoding: gzip", "Content-Type: application/json"),
        gzip.compress(json.dumps({"secret": SECRET}).encode()),
    ),
    "proxy authorization": (ORDERS, "GET", (f"Proxy-Authorization: Basic {SAFE}",), b""),
}


@pytest.mark.parametrize("place", PLACES)
async def test_a_secret_in_its_place(place: str, certificates: Certificates, workspace: Path) -> None:
    """Wherever agents put keys, the venue gets them and the evidence does not."""
    url, method, fields, body = PLACES[place]
    async with (
        venue(always(answer(b"{}", ("Set-Cookie", "theme=light"))), certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        await session.ask(url, method, body, *fields)

    assert session.evidence().exchanges
    everything = kept(session.file) + repr(session.log.kept).encode()
    assert [leaks(secret, everything) for secret in (SECRET, SAFE)] == [[], []]
    received = upstream.received[0]
    assert received.body == body
    if place != "proxy authorization":
        assert all(field.split(": ", 1)[1].encode() in received.head.raw for field in fields)


async def test_a_secret_that_turns_up_again(certificates: Certificates, workspace: Path) -> None:
    """Once seen in its place, a value is found wherever it stands: paths, queries, texts, encoded bodies."""
    coded = base64.b64encode(f"user:{SAFE}:x".encode()).decode()
    async with (
        venue(always(answer(b"{}")), certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        await session.ask(ORDERS, "GET", b"", f"APCA-API-SECRET-KEY: {SAFE}")
        await session.ask(f"https://venue.example/by-path/{SAFE}/x?note={SAFE}&n={coded}")
        await session.ask(
            "https://venue.example/x", "POST", f"text with {SAFE} and {coded}".encode(), "Content-Type: text/plain"
        )
        await session.ask(
            CHAT, "POST", json.dumps({"model": "m", "messages": [{"role": "user", "content": f"key {SAFE}"}]}).encode()
        )
        await session.ask(ORDERS, "POST", json.dumps({**ORDER, "client_order_id": f"id-{SAFE}"}).encode())

    assert len(session.evidence().exchanges) == 5
    assert leaks(SAFE, kept(session.file)) == []
    assert leaks(SAFE, repr(session.log.kept).encode()) == []


async def test_secrets_that_an_answer_sets(certificates: Certificates, workspace: Path) -> None:
    """Session cookies of an answer are secrets too, also in what it redirects to later."""
    cookie = answer(b"{}", ("Set-Cookie", f"session={SAFE}; Path=/; Secure"), ("X-Auth-Token", SAFE + "2"))
    async with (
        venue(always(cookie), certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        got = await session.ask("https://venue.example/login")
        await session.ask(f"https://venue.example/next?s={SAFE}", "GET", b"", f"Cookie: session={SAFE}")

    assert SAFE.encode() in got.head.raw
    assert leaks(SAFE, kept(session.file)) == []


async def test_the_environment_is_known(certificates: Certificates, workspace: Path, curl: str) -> None:
    """A key from the environment is redacted though it stands where no one expects it; logs stay clean."""
    async with venue(always(answer(b"{}")), certificates) as upstream:
        script = f'{curl} -sS "https://venue.example/$TRADING_API_KEY?q=$TRADING_API_KEY" -d "x $TRADING_API_KEY x"'
        done = await redtape(
            *(
                workspace,
                "-vv",
                "proxy",
                "--session",
                "s",
                "--map",
                f"venue.example={upstream.url}",
                "--",
                "sh",
                "-c",
                script,
            ),
            TRADING_API_KEY=SAFE,
        )
        shown = [
            await redtape(workspace, *words)
            for words in (("show", "s"), ("show", "s", "--json"), ("export", "s", "--format", "ndjson"))
        ]

    assert done.code == 0, done.err
    assert SAFE in upstream.received[0].target
    assert leaks(SAFE, kept(workspace / "sessions" / "s.db")) == []
    assert "exchange.passed" in done.err
    assert leaks(SAFE, done.err.encode()) == []
    assert [leaks(SAFE, one.out + one.err.encode()) for one in shown] == [[], [], []]


async def test_secrets_when_things_break(
    certificates: Certificates, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a failing hook nor a dead upstream prints what it was working on."""

    async def handle(_received: Received, _send: Send) -> bool:
        return False

    handler: Handler = handle
    async with (
        venue(handler, certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        await session.ask(f"{ORDERS}?token={SAFE}", "POST", b"{}", f"Authorization: Bearer {SAFE}")

        def broken(_self: object, request: object, *_rest: object) -> None:
            raise RuntimeError(f"can't read {request!r}")

        # On disk: the journal has learned what is secret here.
        await session.session.writer.commit()
        monkeypatch.setattr(type(session.session.reader), "request", broken)
        await session.ask(f"{ORDERS}?token={SAFE}", "POST", b"{}", f"Authorization: Bearer {SAFE}")

    assert session.session.hook_failures == 1
    assert leaks(SAFE, kept(session.file)) == []
    assert leaks(SAFE, repr(session.log.kept).encode()) == []


async def test_orders_survive_redaction(certificates: Certificates, workspace: Path) -> None:
    """What is scored is read from the true bytes, not from the redacted ones."""
    body = json.dumps({**ORDER, "secret": SAFE, "client_order_id": "mine-1"}).encode()
    async with (
        venue(always(answer(b'{"id": "o-1", "status": "new"}')), certificates) as upstream,
        live(workspace, maps=dict.fromkeys(HOSTS, upstream.url)) as session,
    ):
        await session.ask(ORDERS, "POST", body, "Content-Type: application/json")

    (asked,) = [fact.event for fact in session.evidence().orders if fact.event.kind == "requested"]
    assert (asked.symbol, asked.client_order_id, str(asked.quantity)) == ("AAPL", "mine-1", "1")
    stored = json.loads(session.body(session.only().request_body) or b"")
    assert {**stored, "secret": None} == {**json.loads(body), "secret": None}
    assert stored["secret"].startswith("[secret:")
