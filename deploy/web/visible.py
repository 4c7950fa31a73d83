"""
Captured text made visible: bytes or text in, segments out. Nothing is dropped and nothing is interpreted.

A segment is plain text, or the name of something that a reader could not see: `U+200B` for an invisible
or reordering character, `LF` `CR` `TAB`, `\\x9F` for a byte that is no UTF-8. Escaping is the caller's.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

type SegmentKind = Literal["text", "box", "break"]
"""text: as it stands; box: the name of an unseen character; break: a line feed, named in `text`."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text, or one box. `count` says how often the same unseen character stands there."""

    text: str
    kind: SegmentKind = "text"
    count: int = 1


_NAMED: Final = {"\n": "LF", "\r": "CR", "\t": "TAB"}

# Cc Cf Cs Co Cn: controls, formats (bidi, zero width, tags), surrogates, private, unassigned. Zl Zp Zs: every
# separator that is no plain space.
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})

# Default-ignorable or blank although Unicode calls them letters, marks or symbols.
_UNSEEN: Final = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)}
    | {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
)

MARKS_IN_A_ROW: Final = 2
"""Combining marks beyond this many are boxes: stacked ones climb over the lines around them."""


def _unseen(char: str) -> bool:
    if char == " ":
        return False
    return unicodedata.category(char) in _UNSEEN_CATEGORIES or ord(char) in _UNSEEN


def _box(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: a byte that did not decode
        return f"\\x{code - 0xDC00:02X}"
    return _NAMED.get(char, f"U+{code:04X}")


def segments(value: str | bytes) -> tuple[Segment, ...]:
    """
    Split captured text into what can be seen and what cannot.

    Args:
        value: Text, or bytes that are meant to be UTF-8.

    Returns:
        Segments in order. Equal unseen characters in a row are one box with a count, save line feeds.
    """
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    if text.isascii() and text.isprintable():
        return (Segment(text),) if text else ()
    out: list[Segment] = []
    run: list[str] = []
    marks = 0
    for char in text:
        mark = unicodedata.category(char) in ("Mn", "Me")
        marks = marks + 1 if mark else 0
        if not (_unseen(char) or marks > MARKS_IN_A_ROW):
            run.append(char)
            continue
        if run:
            out.append(Segment("".join(run)))
            run = []
        name = _box(char)
        last = out[-1] if out else None
        if last is not None and last.kind == "box" and last.text == name:
            out[-1] = Segment(name, "box", last.count + 1)
        else:
            out.append(Segment(name, "break" if char == "\n" else "box"))
    if run:
        out.append(Segment("".join(run)))
    return tuple(out)


def flat(value: str | bytes) -> str:
    """The same in one line of plain text, boxes in brackets, for places that hold no markup (SVG text)."""
    return "".join(
        part.text if part.kind == "text" else f"[{part.text}{f' × {part.count}' if part.count > 1 else ''}]"
        for part in segments(value)
    )


def right_to_left(text: str) -> bool:
    """Whether a renderer would reorder this text although no control character asks for it."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text)


def whole_characters(data: bytes, *, head: bool, tail: bool) -> tuple[int, int]:
    """
    Where a window that was cut out of a body holds whole characters only.

    A cut in the middle of a character would look like broken bytes, which would be false evidence.

    Args:
        data: The window.
        head: The body goes on before it.
        tail: The body goes on after it.

    Returns:
        (start, end) inside `data`; at most three bytes are left out at each end.
    """
    start, end = 0, len(data)
    if head:
        while start < min(3, end) and data[start] & 0xC0 == 0x80:
            start += 1
    if tail:
        for back in range(1, min(4, end - start) + 1):
            byte = data[end - back]
            if byte & 0xC0 == 0x80:
                continue
            needs = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            if needs > back:
                end -= back
            break
    return start, end
