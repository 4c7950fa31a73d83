"""
Bodies that can't be held whole: what is done to them as they pass. Sync, since mitmproxy calls these so.

`Hold` keeps a body of unknown length until it ends or passes a cap. `Copy` lets a stream pass and keeps a copy.
`EditFrames` reads a stream frame by frame and forwards each as soon as it is whole, edited or as it was.
None of them ever ends a stream early: an empty chunk would tell the agent that the body is over, so nothing to
send is an empty list. A failure inside passes the peer's own bytes on and is reported; it never hangs a stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from proxy.wire.codecs.frames import Frame, Splitter
from proxy.wire.codecs.incremental import Decoder
from proxy.wire.edit import Unreadable

MAX_HELD: Final = 16 * 1024 * 1024
"""Bytes of a body of unknown length that are held for reading; then it is released, unread."""

MAX_COPIED: Final = 16 * 1024 * 1024
"""Bytes of a stream of which a copy is kept; the rest passes uncopied."""

type Chunks = list[bytes]


class Kept:
    """A copy of what passed, up to a cap. `whole` turns false when something is missing."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._pieces: Chunks = []
        self.size = 0
        self.whole = True

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self._cap:
            # Half a body proves nothing and costs memory.
            self._pieces.clear()
            self.whole = False
        elif self.whole:
            self._pieces.append(chunk)

    def bytes(self) -> bytes:
        return b"".join(self._pieces)


class Copy:
    """Lets every chunk pass at once."""

    def __init__(self, cap: int = MAX_COPIED) -> None:
        self.truth = Kept(cap)
        self.shown: Kept | None = None

    def __call__(self, chunk: bytes) -> bytes | Chunks:
        self.truth.add(chunk)
        return chunk or []


class Hold:
    """
    Holds a body of unknown length, so that it can be read and edited whole.

    Args:
        finish: From the whole body to what is forwarded: the same object when nothing is edited.
        failed: Called with what `finish` raised; the body then passes as it was.
        cap: Bytes held at most.
    """

    def __init__(
        self, finish: Callable[[bytes], bytes], failed: Callable[[Exception], None], cap: int = MAX_HELD
    ) -> None:
        self._finish = finish
        self._failed = failed
        self._cap = cap
        self._held: Chunks = []
        self._size = 0
        self.released = False
        self.truth: bytes | None = None

    def __call__(self, chunk: bytes) -> bytes | Chunks:
        if self.released:
            return chunk or []
        if chunk:
            self._held.append(chunk)
            self._size += len(chunk)
            if self._size <= self._cap:
                return []
            self.released = True
            out, self._held = self._held, []
            return out
        self.truth = b"".join(self._held)
        self._held = []
        try:
            out_body = self._finish(self.truth)
        except Exception as error:  # noqa: BLE001 (reported; the stream must go on)
            self._failed(error)
            out_body = self.truth
        return [out_body] if out_body else []

    def so_far(self) -> bytes:
        """The body, or what came of it before it broke off."""
        return self.truth if self.truth is not None else b"".join(self._held)


class EditFrames:
    """
    Reads server-sent events or NDJSON as they come and forwards each frame at once.

    Args:
        kind: How the body is framed.
        applied: Its content codings; when there are any, what is forwarded is plain, and the caller must drop
            Content-Encoding from the head.
        edit: From a frame to its bytes as forwarded: `frame.raw` itself when nothing is edited.
        failed: Called once with what `edit` raised, or why the stream can't be read; the rest passes as it is.
    """

    def __init__(
        self,
        kind: Literal["sse", "ndjson"],
        applied: tuple[str, ...],
        edit: Callable[[Frame], bytes],
        failed: Callable[[Exception], None],
    ) -> None:
        self._decoder = Decoder(applied)
        self._splitter = Splitter(kind)
        self._edit = edit
        self._failed = failed
        self._reading = True
        self.truth = Kept(MAX_COPIED)
        self.shown: Kept | None = Kept(MAX_COPIED)
        self.edited = False

    def __call__(self, chunk: bytes) -> bytes | Chunks:
        try:
            plain = self._decoder.feed(chunk) if chunk else self._end()
        except Unreadable as error:
            # Damaged on the way: what was plain has gone out, what follows can't be had.
            self._stop(error)
            return []
        self.truth.add(plain)
        frames = self._splitter.feed(plain) if plain else []
        if not chunk:
            frames += self._splitter.finish()
        out = [piece for frame in frames if (piece := self._one(frame))]
        for piece in out:
            assert self.shown is not None
            self.shown.add(piece)
        return out

    def _end(self) -> bytes:
        self._decoder.finish()
        return b""

    def _one(self, frame: Frame) -> bytes:
        if not self._reading or frame.kind == "raw":
            return frame.raw
        try:
            out = self._edit(frame)
        except Exception as error:  # noqa: BLE001 (reported; the stream must go on)
            self._stop(error)
            return frame.raw
        self.edited = self.edited or out is not frame.raw
        return out

    def _stop(self, error: Exception) -> None:
        if self._reading:
            self._reading = False
            self._failed(error)
