"""
Content codings undone piece by piece: wire bytes in at any chunking, plain bytes out as soon as they are known.

Strict like `content.decode`, which is one feed and one finish of these: truncated input, trailing junk and
unknown codings raise. Output is capped by size and by ratio, so that a bomb costs no memory.
"""

from __future__ import annotations

import zlib
from typing import Final, Protocol

import brotli
import zstandard

from proxy.wire.edit import Unreadable

MAX_DECODED: Final = 64 * 1024 * 1024
"""Plain bytes that are read of one body at most; more is `not_inspected`."""

MAX_RATIO: Final = 1000
"""Plain bytes per wire byte beyond which a body larger than a megabyte is taken for a bomb."""

_PIECE: Final = 256 * 1024
_ZLIB_INPUT: Final = 16 * 1024
"""zlib copies what one call leaves over: a whole body at once would cost the square of its members."""

_MAX_MEMBERS: Final = 20_000
"""Gzip members or zstd frames of one body; each costs a decoder, and an empty one has but 20 bytes."""

_ZSTD_INPUT: Final = 1024
"""zstd can't be stepped by output size; this much input expands to some 30 MB at worst."""


class Step(Protocol):
    """One coding."""

    def feed(self, data: bytes) -> list[bytes]:
        """Plain pieces that this data completes. Raises Unreadable."""

    def finish(self) -> None:
        """No more data comes. Raises Unreadable when the body ended too early."""


class _Budget:
    """Counts what went in and came out of one step."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._in = 0
        self._out = 0
        self._members = 0

    def began(self) -> None:
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise Unreadable(f"more than {_MAX_MEMBERS} compressed parts in one body")

    def took(self, size: int) -> None:
        self._in += size

    def gave(self, size: int) -> None:
        self._out += size
        limit = min(self._cap, max(self._in * MAX_RATIO, 1024 * 1024))
        if self._out > limit:
            raise Unreadable(f"decodes to more than {limit} bytes")


class _Zlib:
    """gzip with any number of members, or deflate with or without zlib's header."""

    def __init__(self, name: str, cap: int) -> None:
        self._name = name
        self._budget = _Budget(cap)
        self._head = b""
        self._member: zlib._Decompress | None = None

    def feed(self, data: bytes) -> list[bytes]:
        out: list[bytes] = []
        for at in range(0, len(data), _ZLIB_INPUT):
            self._feed(data[at : at + _ZLIB_INPUT], out)
        return out

    def _feed(self, data: bytes, out: list[bytes]) -> None:
        self._budget.took(len(data))
        if self._member is None and self._name == "deflate":
            # RFC 9110 says zlib format; some servers send the raw stream. Two bytes tell.
            self._head += data
            if len(self._head) < 2:
                return
            data, self._head = self._head, b""
        while data:
            if self._member is None:
                self._member = zlib.decompressobj(self._window(data))
            elif self._member.eof:
                if self._name == "deflate":
                    raise Unreadable("bytes follow the end of the compressed body")
                self._budget.began()
                self._member = zlib.decompressobj(31)
            data = self._member_feed(self._member, data, out)

    def _window(self, data: bytes) -> int:
        if self._name == "gzip":
            return 31
        return 15 if data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0 else -15

    def _member_feed(self, member: zlib._Decompress, data: bytes, out: list[bytes]) -> bytes:
        while True:
            try:
                piece = member.decompress(data, _PIECE)
            except zlib.error as error:
                raise Unreadable(f"damaged {self._name}: {error}") from None
            self._budget.gave(len(piece))
            if piece:
                out.append(piece)
            if member.eof:
                return member.unused_data
            data = member.unconsumed_tail
            if not data and not piece:
                return b""

    def finish(self) -> None:
        if self._head or self._member is None or not self._member.eof:
            raise Unreadable("compressed body ends too early")


class _Brotli:
    def __init__(self, cap: int) -> None:
        self._budget = _Budget(cap)
        self._reader = brotli.Decompressor()

    def feed(self, data: bytes) -> list[bytes]:
        self._budget.took(len(data))
        out: list[bytes] = []
        if self._reader.is_finished() and data:
            raise Unreadable("bytes follow the end of the compressed body")
        try:
            while True:
                piece = self._reader.process(data, output_buffer_limit=_PIECE)
                data = b""
                self._budget.gave(len(piece))
                if piece:
                    out.append(piece)
                if self._reader.is_finished() or (not piece and self._reader.can_accept_more_data()):
                    return out
        except brotli.error as error:
            raise Unreadable(f"damaged br: {error}") from None

    def finish(self) -> None:
        if not self._reader.is_finished():
            raise Unreadable("compressed body ends too early")


class _Zstd:
    """Any number of frames."""

    def __init__(self, cap: int) -> None:
        self._budget = _Budget(cap)
        self._frame = self._new()
        self._fed = False

    @staticmethod
    def _new() -> zstandard.ZstdDecompressionObj:
        return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj(read_across_frames=False)

    def feed(self, data: bytes) -> list[bytes]:
        self._budget.took(len(data))
        out: list[bytes] = []
        at = 0
        while at < len(data):
            if self._frame.eof:
                self._budget.began()
                self._frame = self._new()
            part = data[at : at + _ZSTD_INPUT]
            at += len(part)
            try:
                piece = self._frame.decompress(part)
            except zstandard.ZstdError as error:
                raise Unreadable(f"damaged zstd: {error}") from None
            self._fed = True
            self._budget.gave(len(piece))
            if piece:
                out.append(piece)
            if self._frame.eof:
                at -= len(self._frame.unused_data)
        return out

    def finish(self) -> None:
        if not self._fed or not self._frame.eof:
            raise Unreadable("compressed body ends too early")


def _step(name: str, cap: int) -> Step:
    if name in ("gzip", "deflate"):
        return _Zlib(name, cap)
    if name == "br":
        return _Brotli(cap)
    if name == "zstd":
        return _Zstd(cap)
    raise Unreadable(f"content coding {name!r} is not known")


class Decoder:
    """
    Undoes stacked content codings of one body.

    Args:
        applied: Coding names in the order in which they were applied, from `content.codings`.
        cap: Plain bytes at most, for each step.

    Raises:
        Unreadable: A coding is not known, or there are too many.
    """

    def __init__(self, applied: tuple[str, ...], cap: int = MAX_DECODED) -> None:
        if len(applied) > 4:
            raise Unreadable(f"{len(applied)} content codings on one body")
        self._steps = [_step(name, cap) for name in reversed(applied)]
        self._fed = False

    def feed(self, data: bytes) -> bytes:
        """Plain bytes that this data completes. Raises Unreadable."""
        self._fed = self._fed or bool(data)
        pieces = [data] if data else []
        for step in self._steps:
            pieces = [out for piece in pieces for out in step.feed(piece)]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def finish(self) -> None:
        """The body is over. Raises Unreadable when a coding is not; an empty body is whole."""
        if self._fed:
            for step in self._steps:
                step.finish()
