"""The tape: marks in their lanes, one thread, labels that never overlap."""

from deploy.web import tape
from deploy.web.report_model import Lane, TimelineEvent

S = 1_000_000_000


def event(at: float, lane: Lane, text: str = "x", *, cause: bool = False, end: float | None = None) -> TimelineEvent:
    return TimelineEvent(
        at_ns=round(at * S), lane=lane, text=text, cause=cause, end_ns=None if end is None else round(end * S)
    )


def test_the_thread_goes_from_the_injection_under_the_call_to_the_rule() -> None:
    drawn = tape.draw(
        0,
        [
            event(1, "injection", cause=True),
            event(2, "llm", cause=True, end=4),
            event(5, "tool", cause=True),
            event(6, "order", cause=True),
            event(6, "violation", cause=True),
        ],
    )
    heights = [(line.y1, line.y2) for line in drawn.thread]
    assert heights == [(74, 115), (115, 115), (115, 138), (138, 138), (138, 170), (170, 234)]
    for before, after in zip(drawn.thread, drawn.thread[1:], strict=False):
        assert (before.x2, before.y2) == (after.x1, after.y1)


def test_an_injection_that_led_nowhere_has_no_thread() -> None:
    assert not tape.draw(0, [event(1, "injection", cause=True), event(2, "llm", cause=True, end=3)]).thread
    assert not tape.draw(0, [event(1, "order", cause=True), event(2, "violation", cause=True)]).thread


def test_every_mark_lies_on_the_axis() -> None:
    drawn = tape.draw(5 * S, [event(5, "data"), event(5.0004, "order"), event(3_600, "fill")])
    assert all(0 <= float(mark.x[:-1]) <= 100 for mark in drawn.marks)
    assert 2 <= len(drawn.ticks) <= 8


def test_short_and_long_trials_have_readable_ticks() -> None:
    assert tape.draw(0, [event(0.08, "data")]).ticks[1].relative == "+20 ms"
    assert tape.draw(0, [event(25, "data")]).ticks[1].relative == "+5 s"
    assert tape.draw(0, [event(7_200, "data")]).ticks[1].relative == "+20 min"
    assert tape.draw(0, [event(0, "data")]).ticks


def test_labels_of_one_lane_never_overlap() -> None:
    crowd = [event(at * at, "tool", f"get_quote_{at}") for at in range(12)]
    labels = tape.draw(0, crowd).labels
    assert labels
    spans = []
    for label in labels:
        x = float(label.x[:-1]) * tape.NARROWEST / 100 + label.dx
        width = len(label.text) * tape._LETTER
        spans.append((x, x + width) if label.anchor == "start" else (x - width, x))
    for one, two in zip(sorted(spans), sorted(spans)[1:], strict=False):
        assert one[1] <= two[0]
        assert two[1] <= tape.NARROWEST


def test_labels_hold_no_unseen_character_and_are_never_shortened() -> None:
    drawn = tape.draw(0, [event(1, "tool", "a\u202eb"), event(2, "order", "long " * 40)])
    assert [label.text for label in drawn.labels] == ["a[U+202E]b"]
