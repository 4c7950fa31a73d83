"""
Content encodings: wire bytes to plain bytes and back.

Strict: truncated input, trailing junk or an unknown coding raise, they never decode to a guess.
Multi-member gzip is one body. Output is capped, so that a bomb costs no memory.
"""

from __future__ import annotations

import gzip
import zlib

import brotli
import zstandard

from proxy.wire.codecs.incremental import MAX_DECODED, Decoder
from proxy.wire.edit import Unreadable


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
    if not applied or not body:
        return body
    decoder = Decoder(applied, cap)
    plain = decoder.feed(body)
    decoder.finish()
    return plain


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
