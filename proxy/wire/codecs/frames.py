"""
A streamed body as frames, at any chunking: server-sent events and NDJSON lines.

Bytes in, frames out as soon as they are whole. The frames' bytes put together are the bytes that came in,
so a frame that nobody edits is forwarded as it was. A frame larger than the cap ends the splitting: what
was held is released and everything after it passes unread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

MAX_FRAME: Final = 4 * 1024 * 1024

_EVENT_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LINE: Final = re.compile(rb"\r\n|\n|\r")
_DATA: Final = re.compile(rb"(?:\A|(?<=[\r\n]))data:? ?")


@dataclass(frozen=True, slots=True)
class Frame:
    """
    One frame as it stands in the stream, its end included.

    `kind` is raw for bytes that are no frame: what was released unread, and what the stream ended in.
    """

    raw: bytes
    kind: Literal["sse", "ndjson", "raw"]

    def payload(self) -> tuple[int, bytes] | None:
        """
        The JSON text of the frame and where it begins in `raw`; None when there is none, or when an event
        spreads it over several data lines.
        """
        if self.kind == "ndjson":
            text = self.raw.rstrip(b"\r\n")
            return (0, text) if text.strip() else None
        if self.kind != "sse":
            return None
        found = list(_DATA.finditer(self.raw))
        if len(found) != 1:
            return None
        start = found[0].end()
        line_end = _LINE.search(self.raw, start)
        return start, self.raw[start : line_end.start() if line_end else len(self.raw)]


class Splitter:
    """Splits one stream. `over` tells that a frame passed the cap, and that the rest is not read."""

    def __init__(self, kind: Literal["sse", "ndjson"], cap: int = MAX_FRAME) -> None:
        self._kind: Literal["sse", "ndjson"] = kind
        self._cap = cap
        self._held = bytearray()
        self._searched = 0
        self.over = False

    def feed(self, data: bytes) -> list[Frame]:
        """Frames that this data completes."""
        if self.over:
            return [Frame(data, "raw")] if data else []
        self._held += data
        out: list[Frame] = []
        while (end := self._end()) is not None:
            out.append(Frame(bytes(self._held[:end]), self._kind))
            del self._held[:end]
            self._searched = 0
        if len(self._held) > self._cap:
            self.over = True
            out.append(Frame(bytes(self._held), "raw"))
            self._held.clear()
        return out

    def _end(self) -> int | None:
        if self._kind == "ndjson":
            found = self._held.find(b"\n", self._searched)
            self._searched = len(self._held)
            return None if found < 0 else found + 1
        # The last bytes may be half of an end: look at them again.
        match = _EVENT_END.search(self._held, max(0, self._searched - 3))
        self._searched = len(self._held)
        if match is None:
            return None
        end = match.end()
        if self._held[end - 1 : end] == b"\r" and self._held[end : end + 1] == b"\n":
            end += 1
        # After a lone CR at the end of what came, a line feed may follow: it begins the next frame then,
        # where every reader skips it. Waiting for it would hold the event back.
        return end

    def finish(self) -> list[Frame]:
        """What is left when the stream ends: an NDJSON line without a line feed is whole, an event is not."""
        left = bytes(self._held)
        self._held.clear()
        if not left:
            return []
        return [Frame(left, "ndjson" if self._kind == "ndjson" else "raw")]
