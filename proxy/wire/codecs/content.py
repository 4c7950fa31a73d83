"""
Content encodings: wire bytes to plain bytes and back.

Strict: truncated input, trailing junk or an unknown coding raise, they never decode to a guess.
Multi-member gzip is one body. Output is capped, so that a bomb costs no memory.
"""

from __future__ import annotations

import gzip
import zlib
from typing import Final

import brotli
import zstandard

from proxy.wire.edit import Unreadable

MAX_DECODED: Final = 64 * 1024 * 1024
"""Bytes of plain body that are read at most; more is `not_inspected`."""

MAX_RATIO: Final = 1000
"""Plain bytes per wire byte beyond which a body larger than a megabyte is taken for a bomb."""

_CHUNK: Final = 256 * 1024


def codings(header_values: tuple[str, ...]) -> tuple[str, ...]:
    """Content-Encoding values to coding names in the order they were applied; identity left out."""
    names = (part.strip().lower() for value in header_values for part in value.split(","))
    return tuple(name.removeprefix("x-") for name in names if name and name != "identity")


def decode(body: bytes, applied: tuple[str, ...], cap: int = MAX_DECODED) -> bytes:
    """
    Undo content codings, last applied first.

    Args:
        body: Bytes as on the wire.
        applied: Names from `codings`.
        cap: Plain bytes at most, for each step.

    Returns:
        The plain bytes; the same object without codings.

    Raises:
        Unreadable: Unknown coding, damaged or truncated data, or more than the cap.
    """
    if len(applied) > 4:
        raise Unreadable(f"{len(applied)} content codings on one body")
    if not body:
        return body
    for name in reversed(applied):
        body = _decode_one(body, name, cap)
    return body


def encode(body: bytes, to_apply: tuple[str, ...]) -> bytes:
    """Apply content codings again, in order; the same object without codings. Raises Unreadable when unknown."""
    for name in to_apply:
        if name == "gzip":
            body = gzip.compress(body, 6, mtime=0)
        elif name == "deflate":
            body = zlib.compress(body)
        elif name == "br":
            body = brotli.compress(body, quality=4)
        elif name == "zstd":
            body = zstandard.ZstdCompressor(level=3).compress(body)
        else:
            raise Unreadable(f"content coding {name!r} is not known")
    return body


def _decode_one(body: bytes, name: str, cap: int) -> bytes:
    limit = min(cap, max(len(body) * MAX_RATIO, 1024 * 1024))
    if name == "gzip":
        return _zlib_members(body, 31, limit)
    if name == "deflate":
        # RFC 9110 says zlib format; some servers send the raw stream.
        zlib_header = len(body) >= 2 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
        return _zlib_members(body, 15 if zlib_header else -15, limit, single=True)
    if name == "br":
        return _brotli(body, limit)
    if name == "zstd":
        return _zstd(body, limit)
    raise Unreadable(f"content coding {name!r} is not known")


def _too_large(limit: int) -> Unreadable:
    return Unreadable(f"decodes to more than {limit} bytes")


def _zlib_members(body: bytes, wbits: int, limit: int, single: bool = False) -> bytes:
    out: list[bytes] = []
    size = 0
    rest = body
    while rest:
        member = zlib.decompressobj(wbits)
        data = rest
        while not member.eof:
            try:
                piece = member.decompress(data, _CHUNK)
            except zlib.error as error:
                raise Unreadable(f"damaged {'gzip' if wbits > 15 else 'deflate'}: {error}") from None
            size += len(piece)
            if size > limit:
                raise _too_large(limit)
            out.append(piece)
            data = member.unconsumed_tail
            if not piece and not data and not member.eof:
                raise Unreadable("compressed body ends too early")
        rest = member.unused_data
        if rest and single:
            raise Unreadable("bytes follow the end of the compressed body")
    return b"".join(out)


def _brotli(body: bytes, limit: int) -> bytes:
    reader = brotli.Decompressor()
    out: list[bytes] = []
    size = 0
    data = body
    try:
        while True:
            piece = reader.process(data, output_buffer_limit=_CHUNK)
            data = b""
            size += len(piece)
            if size > limit:
                raise _too_large(limit)
            out.append(piece)
            if reader.is_finished():
                break
            if not piece and reader.can_accept_more_data():
                raise Unreadable("compressed body ends too early")
    except brotli.error as error:
        raise Unreadable(f"damaged br: {error}") from None
    return b"".join(out)


def _zstd(body: bytes, limit: int) -> bytes:
    out: list[bytes] = []
    size = 0
    rest = body
    while rest:
        frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj(read_across_frames=False)
        try:
            # One frame can't be stepped through by output size, so feed small input pieces.
            at = 0
            while at < len(rest) and not frame.eof:
                piece = frame.decompress(rest[at : at + 1024])
                at += 1024
                size += len(piece)
                if size > limit:
                    raise _too_large(limit)
                out.append(piece)
        except zstandard.ZstdError as error:
            raise Unreadable(f"damaged zstd: {error}") from None
        if not frame.eof:
            raise Unreadable("compressed body ends too early")
        rest = frame.unused_data + rest[at:]
    return b"".join(out)
