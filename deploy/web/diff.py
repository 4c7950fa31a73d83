"""
Sent against shown: edits with the bytes around them in, rows of pieces out.

Only bytes that Redtape wrote are marked: what an edit's old and new value have in common at both ends is
context. Whatever is not drawn is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from deploy.web.report_model import EditWindow, InjectionLine
from deploy.web.visible import whole_characters
from proxy.journal.events import EditMade
from proxy.wire.edit import Edit

CONTEXT: Final = 240
"""Bytes shown on each side of an edit."""
LONGEST: Final = 2_400
"""Bytes of one old or new value that are shown; the head and the tail of a longer one."""
TAIL: Final = 240
EDITS: Final = 24
"""Edits of one injection that are drawn."""
HEX: Final = 512

type PieceKind = Literal["same", "old", "new", "nothing", "cut"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of bytes on one side. For `cut`, `size` bytes stand here that are not shown."""

    kind: PieceKind
    data: bytes = b""
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    One line of the table. `skipped` rows only count; offsets are those of the first byte on each side.

    `edits` counts the edits among the skipped bytes that are not drawn.
    """

    kind: Literal["skipped", "same", "edit"]
    sent_at: int = 0
    shown_at: int = 0
    sent: tuple[Piece, ...] = ()
    shown: tuple[Piece, ...] = ()
    skipped: int = 0
    edits: int = 0


def windows(body: bytes, edits: Sequence[Edit | EditMade], context: int = CONTEXT) -> tuple[EditWindow, ...]:
    """
    Cut the surroundings of edits out of a decoded body, so that a report needs not hold all of it.

    Args:
        body: The decoded bytes as sent, that the edits were made for.
        edits: Any order.
        context: Bytes on each side.

    Returns:
        One window an edit, in document order.
    """
    out = []
    for edit in sorted(edits, key=lambda one: (one.start, one.start + len(one.old))):
        end = edit.start + len(edit.old)
        before, after = body[max(0, edit.start - context) : edit.start], body[end : end + context]
        out.append(
            EditWindow(
                start=edit.start,
                before=before,
                old=edit.old,
                new=edit.new,
                after=after,
                path=edit.path,
                what=edit.what,
            )
        )
    return tuple(out)


def _common(one: bytes, other: bytes, *, tail: bool) -> int:
    """Equal bytes at one end, by halving: values may be megabytes."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        same = one[-middle:] == other[-middle:] if tail else one[:middle] == other[:middle]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def _starts_inside(data: bytes, at: int) -> bool:
    return at < len(data) and data[at] & 0xC0 == 0x80


def narrow(window: EditWindow) -> EditWindow:
    """The same edit without what old and new have in common at their ends; whole characters stay whole."""
    old, new = window.old, window.new
    head = _common(old, new, tail=False)
    while head and (_starts_inside(old, head) or _starts_inside(new, head)):
        head -= 1
    tail = _common(old[head:], new[head:], tail=True)
    while tail and (old[len(old) - tail] & 0xC0 == 0x80):
        tail -= 1
    return replace(
        window,
        start=window.start + head,
        before=window.before + old[:head],
        old=old[head : len(old) - tail],
        new=new[head : len(new) - tail],
        after=old[len(old) - tail :] + window.after,
    )


def _value(kind: PieceKind, data: bytes) -> tuple[Piece, ...]:
    if not data:
        return (Piece("nothing"),)
    if len(data) <= LONGEST:
        return (Piece(kind, data),)
    head = data[: LONGEST - TAIL]
    head = head[: whole_characters(head, head=False, tail=True)[1]]
    tail = data[-TAIL:]
    tail = tail[whole_characters(tail, head=True, tail=False)[0] :]
    return Piece(kind, head), Piece("cut", size=len(data) - len(head) - len(tail)), Piece(kind, tail)


def _same(data: bytes) -> tuple[Piece, ...]:
    return (Piece("same", data),) if data else ()


def _lines(data: bytes, sent_at: int, shift: int) -> list[Row]:
    rows = []
    for line in data.splitlines(keepends=True):
        shown = _same(line.rstrip(b"\n"))
        rows.append(Row(kind="same", sent_at=sent_at, shown_at=sent_at + shift, sent=shown, shown=shown))
        sent_at += len(line)
    return rows


def _cut(window: EditWindow, reached: int, following: int | None, total: int) -> EditWindow:
    """Bound the context; never show a byte twice, and never half a character."""
    end = window.start + len(window.old)
    room = (total if following is None else following) - end
    before = window.before[-min(CONTEXT, max(0, window.start - reached)) :] if window.start > reached else b""
    begin = window.start - len(before)
    before = before[whole_characters(before, head=begin > reached, tail=False)[0] :]
    after = window.after[: min(CONTEXT, max(0, room))]
    after = after[: whole_characters(after, head=False, tail=len(after) < room)[1]]
    # Whole lines read better than pieces of them, where the body has lines.
    if begin > reached and 0 <= (feed := before.find(b"\n")) < len(before) // 2:
        before = before[feed + 1 :]
    if len(after) < room and (feed := after.rfind(b"\n")) > len(after) // 2:
        after = after[: feed + 1]
    return replace(window, before=before, after=after)


def rows(injection: InjectionLine) -> tuple[Row, ...]:
    """
    Lay an injection's edits out as a table.

    Args:
        injection: Windows in document order.

    Returns:
        Rows in document order: same lines around each edit, the edit, and counts of what lies between.
    """
    drawn = [narrow(window) for window in injection.windows[:EDITS]]
    out: list[Row] = []
    reached = shift = 0
    for position, whole in enumerate(drawn):
        following = drawn[position + 1].start if position + 1 < len(drawn) else None
        window = _cut(whole, reached, following, injection.sent_size)
        begin = window.start - len(window.before)
        if begin > reached:
            out.append(Row(kind="skipped", skipped=begin - reached))
        lead, feed, inline = window.before.rpartition(b"\n")
        out += _lines(lead + feed, begin, shift)
        trail, feed_after, rest = window.after.partition(b"\n")
        at = window.start - len(inline)
        out.append(
            Row(
                kind="edit",
                sent_at=at,
                shown_at=at + shift,
                sent=_same(inline) + _value("old", window.old) + _same(trail),
                shown=_same(inline) + _value("new", window.new) + _same(trail),
            )
        )
        shift += len(window.new) - len(window.old)
        end = window.start + len(window.old)
        out += _lines(rest, end + len(trail) + len(feed_after), shift)
        reached = end + len(window.after)
    hidden = len(injection.windows) - len(drawn)
    if reached < injection.sent_size or hidden:
        out.append(Row(kind="skipped", skipped=injection.sent_size - reached, edits=hidden))
    return tuple(out)


def written(injection: InjectionLine) -> int:
    """Bytes that Redtape put there, over all edits."""
    return sum(len(narrow(window).new) for window in injection.windows)


def hexadecimal(data: bytes, start: int) -> str:
    """A dump of the first bytes, sixteen a line, offsets as in the body shown."""
    lines = []
    for at in range(0, min(len(data), HEX), 16):
        part = data[at : min(at + 16, HEX)]
        left = part[:8].hex(" ")
        digits = f"{left}  {part[8:].hex(' ')}" if len(part) > 8 else left
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        lines.append(f"{start + at:08x}  {digits:<48}  {text}")
    return "\n".join(lines)
