"""
A venue that is nothing but bytes: it keeps what it receives as it came and sends what a test scripts.

Plain and TLS on two free ports, one handler. `Tunnel` is the plain internet of the direct runs: a CONNECT
proxy that leads every host to the venue and touches no byte.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from tests.e2e.support.certs import Certificates
from tests.e2e.support.wire import Head, read_chunked, read_head


@dataclass(frozen=True, slots=True)
class Received:
    """One request. `connection` numbers the connection that it came on."""

    connection: int
    tls: bool
    head: Head
    body: bytes

    @property
    def method(self) -> str:
        return self.head.line.split(b" ")[0].decode()

    @property
    def target(self) -> str:
        return self.head.line.split(b" ")[1].decode("latin-1")

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


type Send = Callable[[bytes], Awaitable[None]]
type Handler = Callable[[Received, Send], Awaitable[bool | None]]
"""Sends the raw answer; returning False closes the connection after it."""


def answer(
    body: bytes, *fields: tuple[str, str], status: str = "200 OK", kind: str | None = "application/json"
) -> bytes:
    """A plain response with Content-Length."""
    lines = [f"HTTP/1.1 {status}"]
    lines += [f"Content-Type: {kind}"] if kind is not None else []
    lines += [f"{name}: {value}" for name, value in fields]
    lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def always(raw: bytes, *, keep: bool = True) -> Handler:
    """Send the same bytes to everyone; `keep` false closes after them."""

    async def handle(_received: Received, send: Send) -> bool:
        await send(raw)
        return keep

    return handle


@dataclass(slots=True)
class Upstream:
    """The venue. `received` grows with each whole request; `port` is plain, `tls_port` TLS."""

    handler: Handler
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    tls_port: int = 0
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def tls_url(self) -> str:
        return f"https://127.0.0.1:{self.tls_port}"

    @property
    def orders(self) -> list[Received]:
        """What would change something at a broker."""
        return [one for one in self.received if one.method not in ("GET", "HEAD")]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number, tls = self.connections, writer.get_extra_info("ssl_object") is not None
        self._writers.add(writer)

        async def send(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        try:
            while (head := await read_head(reader)) is not None:
                body = b""
                if (head.get("expect") or b"").lower() == b"100-continue":
                    await send(b"HTTP/1.1 100 Continue\r\n\r\n")
                if head.chunked:
                    chunks, _ = await read_chunked(reader)
                    body = b"".join(chunks)
                elif head.length:
                    body = await reader.readexactly(head.length)
                received = Received(number, tls, head, body)
                self.received.append(received)
                if await self.handler(received, send) is False:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError, OSError, TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), 2)


def port_of(server: asyncio.Server) -> int:
    """The port a server listens on."""
    return int(server.sockets[0].getsockname()[1])


@contextlib.asynccontextmanager
async def venue(handler: Handler, certificates: Certificates) -> AsyncIterator[Upstream]:
    """A venue while the block runs."""
    upstream = Upstream(handler)
    options = {"limit": 4 * 1024 * 1024}
    plain = await asyncio.start_server(upstream._serve, "127.0.0.1", 0, **options)
    tls = await asyncio.start_server(upstream._serve, "127.0.0.1", 0, ssl=certificates.context, **options)
    upstream.port, upstream.tls_port = port_of(plain), port_of(tls)
    try:
        yield upstream
    finally:
        for server in (plain, tls):
            server.close()
        for writer in list(upstream._writers):
            await _close(writer)
        for server in (plain, tls):
            await server.wait_closed()


@contextlib.asynccontextmanager
async def tunnel(port: int) -> AsyncIterator[str]:
    """A CONNECT proxy that leads every host to one port of ours, byte for byte; yields its URL."""
    writers: set[asyncio.StreamWriter] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        head = await read_head(reader)
        if head is None or not head.line.startswith(b"CONNECT "):
            await _close(writer)
            return
        beyond_reader, beyond = await asyncio.open_connection("127.0.0.1", port)
        writers.add(beyond)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(copy(reader, beyond), copy(beyond_reader, writer))
        for one in (writer, beyond):
            await _close(one)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{port_of(server)}"
    finally:
        server.close()
        for writer in list(writers):
            await _close(writer)
        await server.wait_closed()


def from_book(book: dict[tuple[str, str], bytes]) -> Handler:
    """Answer by method and path (or method and path with query); 404 as JSON for the rest."""

    async def handle(received: Received, send: Send) -> None:
        found = book.get((received.method, received.target)) or book.get((received.method, received.path))
        await send(found or answer(json.dumps({"message": "not found"}).encode(), status="404 Not Found"))

    return handle
