"""Byte edits: the spans that change, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class BadEdit(ValueError):
    """An edit that does not fit the bytes it was made for: our own fault, never the peer's."""


class Unreadable(ValueError):
    """The peer's bytes can't be read: pass them on unchanged and say so."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which stands at `start`, by `new`. `path` and `what` say which value, for people."""

    start: int
    old: bytes
    new: bytes
    path: str = ""
    what: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.old)


def ordered(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits in document order; inserts at one place keep the order they came in."""
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def apply(body: bytes, edits: Sequence[Edit]) -> bytes:
    """
    Splice edits into a body.

    Args:
        body: The decoded bytes that the edits were made for.
        edits: Any order; spans must not overlap.

    Returns:
        The same object when there is nothing to change, else new bytes.

    Raises:
        BadEdit: Spans overlap, lie outside the body, or hold other bytes than the edit says.
    """
    parts: list[bytes] = []
    at = 0
    for edit in ordered(edits):
        if edit.start < at:
            raise BadEdit(f"edits overlap at byte {edit.start}")
        if edit.end > len(body):
            raise BadEdit(f"byte {edit.start}: lies outside the body")
        if body[edit.start : edit.end] != edit.old:
            raise BadEdit(f"byte {edit.start}: the body does not hold what the edit replaces")
        parts += (body[at : edit.start], edit.new)
        at = edit.end
    if all(edit.old == edit.new for edit in edits):
        return body
    parts.append(body[at:])
    return b"".join(parts)


def shown_spans(edits: Sequence[Edit]) -> tuple[tuple[int, int], ...]:
    """Where the new bytes stand in the edited body, as (start, end)."""
    spans: list[tuple[int, int]] = []
    shift = 0
    for edit in ordered(edits):
        spans.append((edit.start + shift, edit.start + shift + len(edit.new)))
        shift += len(edit.new) - len(edit.old)
    return tuple(spans)
