"""
The tape: a trial's events in, positions of marks, labels and the red thread out.

Horizontal places are percent, vertical ones pixels: the drawing stretches, text does not. A label is drawn
whole where there is room at the narrowest width, or not at all; the list of events holds every word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from corpus.terms import Instant
from deploy.web import words
from deploy.web.report_model import Lane, TimelineEvent
from deploy.web.visible import flat

LANES: Final[tuple[tuple[Lane, str, str], ...]] = (
    ("data", "data received", "m-data"),
    ("injection", "injection", "m-inj"),
    ("llm", "LLM call", "m-call"),
    ("tool", "tool call", "m-tool"),
    ("order", "order", "m-order"),
    ("fill", "fill", "m-fill"),
    ("violation", "violation", "m-viol"),
)
NARROWEST: Final = 704.0
"""Pixels that the drawing never goes below; it scrolls instead."""
_LETTER: Final = 6.9
_EDGE: Final = 1.4
_UNDER_CALLS: Final = 115.0
_MS: Final = 1_000_000
_STEPS: Final = tuple(
    step * _MS
    for step in (
        *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000),
        *(60_000 * minutes for minutes in (1, 2, 5, 10, 20, 30, 60, 120, 240, 720, 1440)),
    )
)


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    relative: str
    wall: str
    anchor: Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One event, drawn. `event` is its position in the list; `width` is null for all but bars."""

    event: int
    lane: Lane
    x: str
    y: float
    width: str | None


@dataclass(frozen=True, slots=True)
class Label:
    x: str
    y: float
    dx: int
    anchor: Literal["start", "end"]
    text: str
    lane: Lane
    alt: bool
    """Whether it stands on a shaded lane."""
    inside: bool = False
    """Whether it stands on a bar."""


@dataclass(frozen=True, slots=True)
class Line:
    x1: str
    y1: float
    x2: str
    y2: float


@dataclass(frozen=True, slots=True)
class Tape:
    ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    thread: tuple[Line, ...]
    length: str


def _lane(lane: Lane) -> int:
    return next(at for at, (name, _, _) in enumerate(LANES) if name == lane)


def _y(lane: Lane) -> float:
    return 42.0 + 32 * _lane(lane)


class _Axis:
    def __init__(self, start_ns: Instant, events: Sequence[TimelineEvent]) -> None:
        self.start = min([start_ns, *(event.at_ns for event in events)])
        last = max([start_ns, *(event.end_ns or event.at_ns for event in events)])
        length = max(last - self.start, _MS)
        self.step = next((step for step in _STEPS if length / step <= 6), -(-length // 6))
        self.count = max(1, -(-length // self.step))
        self.length = self.count * self.step

    def at(self, at_ns: Instant) -> float:
        return _EDGE + (100 - 2 * _EDGE) * (at_ns - self.start) / self.length

    def ticks(self) -> tuple[Tick, ...]:
        fine = self.step % 1_000_000_000 != 0 or self.start % 1_000_000_000 >= _MS
        out = []
        for number in range(self.count + 1):
            after = number * self.step
            clock = words.wall(self.start + after)
            out.append(
                Tick(
                    _percent(self.at(self.start + after)),
                    f"+{_short(after, self.step)}",
                    clock if fine else clock[:8],
                    "start" if number == 0 else "end" if number == self.count else "middle",
                )
            )
        return tuple(out)


def _short(nanos: int, step: int) -> str:
    if step >= 60_000 * _MS:
        return f"{nanos // (60_000 * _MS)} min"
    if step >= 1_000 * _MS:
        return f"{nanos // (1_000 * _MS)} s"
    return f"{nanos // _MS} ms"


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def draw(start_ns: Instant, events: Sequence[TimelineEvent]) -> Tape:
    """
    Lay a trial out on one axis.

    Args:
        start_ns: The trial's start, left end of the axis unless an event lies before it.
        events: In order of time; what is not given is not drawn.

    Returns:
        Everything that the template needs; each position ready to print.
    """
    axis = _Axis(start_ns, events)
    marks = []
    for number, event in enumerate(events):
        left = axis.at(event.at_ns)
        bar = event.lane == "llm" and event.end_ns is not None
        width = max(axis.at(event.end_ns or 0) - left, 0.4) if bar else None
        marks.append(
            Mark(number, event.lane, _percent(left), _y(event.lane), _percent(width) if width is not None else None)
        )
    thread = _thread(axis, events)
    labels = _labels(axis, events, thread)
    return Tape(axis.ticks(), tuple(marks), labels, thread, _short(axis.length, axis.step))


def _pixels(percent: float) -> float:
    return percent * NARROWEST / 100


def _along(lane: Lane, thread: Sequence[Line]) -> list[tuple[float, float]]:
    """Where the thread lies in a lane, so that no word is written over it."""
    y, out = _y(lane), []
    for line in thread:
        low, high = sorted((line.y1, line.y2))
        if low < y + 8 and high > y - 8 and line.y1 != _UNDER_CALLS:
            out.append((_pixels(float(line.x1[:-1])) - 3, _pixels(float(line.x2[:-1])) + 3))
    return out


def _labels(axis: _Axis, events: Sequence[TimelineEvent], thread: Sequence[Line]) -> tuple[Label, ...]:
    taken: dict[Lane, list[tuple[float, float]]] = {name: _along(name, thread) for name, _, _ in LANES}
    ends = []
    for event in events:
        left = _pixels(axis.at(event.at_ns))
        right = _pixels(axis.at(event.end_ns)) if event.lane == "llm" and event.end_ns else left
        ends.append((left, right))
        taken[event.lane].append((left - 9, right + 9))
    out: list[Label] = []
    # The cause is named first; the rest get the room that is left.
    for number in sorted(range(len(events)), key=lambda at: (not events[at].cause, at)):
        event, (left, right) = events[number], ends[number]
        text = flat(event.text[:200])
        if event.lane == "data" or len(event.text) > 80:
            continue
        label = _place(event.lane, text, left, right, taken[event.lane], axis.at(event.at_ns))
        if label is not None:
            out.append(label)
    return tuple(out)


def _place(
    lane: Lane, text: str, left: float, right: float, taken: list[tuple[float, float]], x: float
) -> Label | None:
    width = len(text) * _LETTER
    y, alt = _y(lane) + 4, _lane(lane) % 2 == 0
    if right > left and width + 12 <= right - left:
        return Label(_percent(x), y, 7, "start", text, lane, alt, True)
    own = (left - 9, right + 9)
    # What begins at the mark and runs on, such as the thread, is stepped over.
    for begin, end in sorted(taken):
        if begin < right + 14 and end > right + 4 and (begin, end) != own:
            right = max(right, end - 4)
    sides: tuple[tuple[float, int, Literal["start", "end"]], ...] = (
        (right + 14, 14, "start"),
        (left - 14 - width, -14, "end"),
    )
    for begin, dx, anchor in sides:
        end = begin + width
        if begin < 4 or end > NARROWEST - 4:
            continue
        if any(begin < other[1] and other[0] < end for other in taken if other != own):
            continue
        taken.append((begin, end))
        at = x + (right - left) / NARROWEST * 100 if anchor == "start" else x
        return Label(_percent(at), y, dx, anchor, text, lane, alt)
    return None


def _thread(axis: _Axis, events: Sequence[TimelineEvent]) -> tuple[Line, ...]:
    """From the injected bytes under the calls that read them to what they led to; nothing when they led nowhere."""
    cause = [event for event in events if event.cause]
    first = next((at for at, event in enumerate(cause) if event.lane == "injection"), None)
    if first is None or not any(event.lane in ("tool", "order", "violation") for event in cause[first:]):
        return ()
    x, y = axis.at(cause[first].at_ns), _y("injection")
    lines: list[Line] = []
    if any(event.lane == "data" and event.exchange == cause[first].exchange for event in events):
        lines.append(Line(_percent(x), _y("data"), _percent(x), y))
    for event in cause[first + 1 :]:
        if event.lane in ("data", "injection"):
            continue
        goal = _UNDER_CALLS if event.lane == "llm" else _y(event.lane)
        # Under a call the thread only drops: it is the next hop that draws it along the calls.
        across = x if event.lane == "llm" else axis.at(event.at_ns)
        if across != x:
            lines.append(Line(_percent(x), y, _percent(across), y))
        if goal != y:
            lines.append(Line(_percent(across), y, _percent(across), goal))
        x, y = across, goal
    return tuple(lines)
