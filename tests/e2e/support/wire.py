"""HTTP/1.1 as bytes: just enough to cut a stream into messages without changing or judging any of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

BODILESS = frozenset((204, 304))


@dataclass(frozen=True, slots=True)
class Head:
    """A first line and its fields, order, case and duplicates kept."""

    raw: bytes

    @property
    def line(self) -> bytes:
        return self.raw.partition(b"\r\n")[0]

    @property
    def fields(self) -> list[tuple[bytes, bytes]]:
        lines = self.raw.rstrip(b"\r\n").split(b"\r\n")[1:]
        return [(name, value.strip()) for name, _, value in (line.partition(b":") for line in lines)]

    def get(self, name: str) -> bytes | None:
        wanted = name.lower().encode()
        return next((value for key, value in self.fields if key.lower() == wanted), None)

    @property
    def chunked(self) -> bool:
        return (self.get("transfer-encoding") or b"").lower().endswith(b"chunked")

    @property
    def length(self) -> int | None:
        value = self.get("content-length")
        return int(value) if value is not None else None

    @property
    def status(self) -> int:
        return int(self.line.split(b" ")[1])


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next head, or None when the other side is done."""
    try:
        return Head(await reader.readuntil(b"\r\n\r\n"))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def read_chunked(reader: asyncio.StreamReader) -> tuple[list[bytes], bool]:
    """Chunks as they were cut, and whether the last one came."""
    chunks: list[bytes] = []
    try:
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            data = await reader.readexactly(size)
            await reader.readexactly(2)
            if size == 0:
                return chunks, True
            chunks.append(data)
    except (asyncio.IncompleteReadError, ConnectionError):
        return chunks, False


@dataclass(frozen=True, slots=True)
class Got:
    """A response as a client saw it. `body` has its chunks joined; `whole` is false when the peer cut it."""

    informational: tuple[Head, ...]
    head: Head
    body: bytes
    whole: bool

    @property
    def status(self) -> int:
        return self.head.status


async def read_response(reader: asyncio.StreamReader, method: str) -> Got:
    """One response. Raises EOFError when nothing came."""
    informational: list[Head] = []
    while True:
        head = await read_head(reader)
        if head is None:
            raise EOFError("the connection was closed without an answer")
        if head.status >= 200:
            break
        informational.append(head)
    body, whole = b"", True
    if method == "HEAD" or head.status in BODILESS:
        pass
    elif head.chunked:
        chunks, whole = await read_chunked(reader)
        body = b"".join(chunks)
    elif head.length is not None:
        try:
            body = await reader.readexactly(head.length)
        except asyncio.IncompleteReadError as error:
            body, whole = error.partial, False
        except ConnectionError:
            whole = False
    else:
        body = await reader.read(-1)
    return Got(tuple(informational), head, body, whole)
