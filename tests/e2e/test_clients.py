"""
Real clients, unmodified, directly and through the proxy: they see and send the very same bytes.

Direct means a CONNECT proxy that copies bytes, so that both runs use the original host names over TLS.
What may differ is listed here and nowhere else:
- `Expect: 100-continue` is answered by the proxy at once and not passed on (test_wire.py).
- A body in chunks keeps its bytes, not its cuts, unless it is an event stream.
- Plain http through a proxy names the whole URL, and curl adds `Proxy-Connection`; the proxy takes both away.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support.certs import HOSTS, Certificates
from tests.e2e.support.expected import differences, expected, played
from tests.e2e.support.running import CLIENTS, REDTAPE, Ran, bare_environment, orders, run
from tests.e2e.support.upstream import Handler, Received, Send, Upstream, answer, from_book, tunnel, venue

MAPPED = tuple(host for host in HOSTS if host != "localhost")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a client: what it printed, and what the venue received."""

    ran: Ran
    received: list[Received]

    @property
    def sent(self) -> list[tuple[bytes, bytes]]:
        return [(one.head.raw, one.body) for one in self.received]


def trusting(file: Path, proxy: str) -> dict[str, str]:
    """The variables by which any client uses a proxy and trusts a CA, without Redtape."""
    names = ("HTTPS_PROXY", "https_proxy")
    bundles = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
    return bare_environment(**dict.fromkeys(names, proxy), **dict.fromkeys(bundles, str(file)))


async def directly(command: Sequence[str], handler: Handler, certificates: Certificates) -> Run:
    async with venue(handler, certificates) as upstream, tunnel(upstream.tls_port) as proxy:
        return Run(await run(command, trusting(certificates.ca, proxy)), upstream.received)


def proxied_command(workspace: Path, upstream: Upstream, certificates: Certificates, *more: str) -> list[str]:
    maps = [part for host in MAPPED for part in ("--map", f"{host}={upstream.tls_url}")]
    start = [str(REDTAPE), "--workspace", str(workspace), "proxy", "--session", "s"]
    return [*start, "--upstream-ca", str(certificates.ca), *maps, *more, "--"]


async def through(
    command: Sequence[str], handler: Handler, certificates: Certificates, workspace: Path, *more: str
) -> Run:
    async with venue(handler, certificates) as upstream:
        whole = [*proxied_command(workspace, upstream, certificates, *more), *command]
        return Run(await run(whole), upstream.received)


async def same(
    command: Sequence[str], handler: Callable[[], Handler], certificates: Certificates, workspace: Path
) -> Run:
    """Both runs, compared; the one through the proxy is returned."""
    direct, proxied = await asyncio.gather(
        directly(command, handler(), certificates), through(command, handler(), certificates, workspace)
    )
    assert direct.ran.code == 0, direct.ran.err
    assert proxied.ran.code == 0, proxied.ran.err
    assert direct.ran.out
    assert direct.ran.out.splitlines() == proxied.ran.out.splitlines()
    assert direct.sent
    assert direct.sent == proxied.sent
    assert all(one.tls for one in proxied.received)
    return proxied


async def test_alpaca_py(python: str, certificates: Certificates, workspace: Path) -> None:
    """Every kind of order and read of alpaca-py: same results, same bytes, and every order is read back."""
    command = [python, str(CLIENTS / "alpaca_life.py")]
    proxied = await same(command, lambda: played("alpaca-py"), certificates, workspace)
    lines = await orders(workspace, "s")

    assert len(proxied.received) == 21
    assert list(differences(expected("alpaca-py"), lines, labels=False)) == []
    assert {line["source"] for line in lines} == {"wire"}
    assert "intent" not in {line["status"] for line in lines}


def chat_answer(message: dict[str, Any], finish: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "logprobs": None, "finish_reason": finish}
    usage = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
    whole = {"id": "c-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini", "choices": [choice]}
    return answer(json.dumps({**whole, "usage": usage}, ensure_ascii=False).encode(), ("x-request-id", "req_1"))


def chat_venue() -> Handler:
    """A tool call at first, then text; pieces of a stream are cut in the middle of events and characters."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "place_order", "arguments": '{"symbol": "AAPL", "side": "buy", "qty": 5}'},
    }

    async def handle(received: Received, send: Send) -> None:
        body = json.loads(received.body)
        if body.get("stream"):
            await stream(send)
        elif body["messages"][-1]["role"] == "tool":
            await send(chat_answer({"content": "Done, café ☕."}, "stop"))
        else:
            await send(chat_answer({"content": None, "tool_calls": [call]}, "tool_calls"))

    return handle


async def stream(send: Send) -> None:
    base = {"id": "c-2", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini"}
    pieces = [{"role": "assistant", "content": ""}, {"content": "Café "}, {"content": "☕ done"}]
    events = [{**base, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in pieces]
    events.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    text = "".join(f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in events) + "data: [DONE]\n\n"
    await send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    raw = text.encode()
    for start in range(0, len(raw), 97):
        piece = raw[start : start + 97]
        await send(b"%x\r\n%s\r\n" % (len(piece), piece))
    await send(b"0\r\n\r\n")


async def test_openai(python: str, certificates: Certificates, workspace: Path) -> None:
    """Chat whole, with a tool and its result, and streamed; the tool call is read as an intent to order."""
    await same([python, str(CLIENTS / "openai_life.py")], chat_venue, certificates, workspace)
    (line,) = await orders(workspace, "s")

    assert (line["source"], line["action"], line["symbol"], line["side"]) == ("llm", "place", "AAPL", "buy")
    assert (line["quantity"], line["status"]) == ("5", "intent")


BIG = bytes(range(256)) * 4096


def book() -> Handler:
    packed = gzip.compress(b'{"packed": true}' * 50, mtime=0)
    events = b"event: tick\nid: 7\ndata: {}\n\n"
    return from_book(
        {
            ("GET", "/json"): answer(b'{"a": 1.10,  "a": 2}\n', ("X-oDD", "1"), ("ETag", '"v1"')),
            ("HEAD", "/json"): b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n",
            ("POST", "/json"): answer(b"[NaN, 1E400, -0]", status="201 Created Here"),
            ("POST", "/form"): answer(b"a=1&b=2", kind="application/x-www-form-urlencoded"),
            ("PUT", "/binary"): answer(BIG[:1000], kind="application/octet-stream"),
            ("PATCH", "/packed"): answer(b"{}"),
            ("DELETE", "/none"): b"HTTP/1.1 204 No Content\r\nX-Left: yes\r\n\r\n",
            ("GET", "/gzip"): answer(packed, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")),
            ("GET", "/damaged"): answer(packed[:-9] + b"damaged!!", ("Content-Encoding", "gzip")),
            ("GET", "/cookies"): answer(b"{}", ("Set-Cookie", "a=1; Path=/"), ("set-cookie", "b=2; Secure")),
            (
                "GET",
                "/chunked",
            ): b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n",
            ("GET", "/events"): answer(events * 3, kind="text/event-stream"),
            ("GET", "/big"): answer(BIG, kind="application/x-unheard-of"),
            ("GET", "/teapot"): answer(b"short and stout", status="418 I'm a teapot", kind=None),
            ("POST", "/v2/orders"): answer(b'{"id": "o-1", "status": "accepted", "symbol": "AAPL", "qty": "1.10"}'),
        }
    )


@pytest.mark.parametrize("client", ["requests", "httpx", "aiohttp"])
async def test_plain_clients(client: str, python: str, certificates: Certificates, workspace: Path) -> None:
    """Every method, odd JSON, forms, binary and packed bodies, cookies, chunks, events, one order."""
    command = [python, str(CLIENTS / f"{client}_calls.py"), "https://venue.example"]
    proxied = await same(command, book, certificates, workspace)
    (line,) = await orders(workspace, "s")

    assert len(proxied.received) == 15
    assert (line["symbol"], line["quantity"], line["status"]) == ("AAPL", "1.10", "acked")


@pytest.mark.parametrize("client", ["requests", "httpx", "aiohttp"])
async def test_plain_http(client: str, python: str, certificates: Certificates, workspace: Path) -> None:
    """An upstream without TLS on loopback, as local tools are: proxied too, and the same to both sides."""
    script = str(CLIENTS / f"{client}_calls.py")
    async with venue(book(), certificates) as upstream, tunnel(upstream.tls_port) as proxy:
        direct = await run([python, script, upstream.url], trusting(certificates.ca, proxy))
        first = [(one.head.raw, one.body) for one in upstream.received]
        upstream.received.clear()
        command = [*proxied_command(workspace, upstream, certificates), python, script, upstream.url]
        proxied = await run(command)
        second = [(one.head.raw, one.body) for one in upstream.received]

    assert (direct.code, proxied.code) == (0, 0), proxied.err
    assert direct.out.splitlines() == proxied.out.splitlines()
    assert first == second
    assert len(await orders(workspace, "s")) == 1


def curl_command(curl: str, folder: Path) -> list[str]:
    """One call of each sort with curl, all of its raw output; `-K` reads them from a file."""
    order = '{"symbol":"AAPL","qty":"1.10","side":"buy","type":"market","time_in_force":"day"}'
    (folder / "order.json").write_text(order)
    (folder / "body.bin").write_bytes(BIG)
    calls = [
        ["https://venue.example/json"],
        ["--compressed", "https://venue.example/gzip"],
        ["-X", "POST", "-d", "a=1&b=%20", "https://venue.example/form"],
        ["-F", "file=@body.bin;filename=x.bin", "https://venue.example/form"],
        ["-T", "body.bin", "https://venue.example/binary"],
        ["-X", "DELETE", "https://venue.example/none"],
        ["-I", "https://venue.example/json"],
        ["https://venue.example/chunked"],
        ["https://venue.example/damaged"],
        ["https://venue.example/cookies"],
        ["-H", "Content-Type: application/json", "-d", "@order.json", "https://paper-api.alpaca.markets/v2/orders"],
    ]
    options = ["-sS", "-i", "--suppress-connect-headers", "--max-time", "30"]
    args: list[str] = []
    for n, call in enumerate(calls):
        args += [*(["--next"] if n else []), *options, *call]
    return [curl, *args]


async def test_curl(curl: str, certificates: Certificates, workspace: Path, tmp_path: Path) -> None:
    """curl, with uploads and every field printed; multipart boundaries are the only thing it draws."""
    command = ["sh", "-c", 'cd "$0" && exec "$@"', str(tmp_path), *curl_command(curl, tmp_path)]
    direct = await directly(command, book(), certificates)
    proxied = await through(command, book(), certificates, workspace)
    (line,) = await orders(workspace, "s")

    assert (direct.ran.code, proxied.ran.code) == (0, 0), proxied.ran.err
    assert direct.ran.out == proxied.ran.out
    assert [unbound(one) for one in direct.received] == [unbound(one) for one in proxied.received]
    assert (line["symbol"], line["quantity"]) == ("AAPL", "1.10")


def unbound(received: Received) -> tuple[list[tuple[bytes, bytes]], bytes, bytes]:
    """A request whose multipart boundary is named alike in all runs, without the Expect that proxies answer."""
    kind = received.head.get("content-type") or b""
    boundary = kind.partition(b"boundary=")[2]

    def tidy(data: bytes) -> bytes:
        return data.replace(boundary, b"BOUNDARY") if boundary else data

    fields = [(name, tidy(value)) for name, value in received.head.fields if name.lower() != b"expect"]
    return fields, received.head.line, tidy(received.body)
