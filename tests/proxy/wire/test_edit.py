"""Edits: only the spans change, and an edit that does not fit is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.edit import BadEdit, Edit, apply, ordered, shown_spans


@st.composite
def bodies_and_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    body = draw(st.binary(max_size=80))
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [Edit(start, body[start:end], draw(st.binary(max_size=10))) for start, end in pairs]
    return body, draw(st.permutations(edits))


@given(bodies_and_edits())
def test_only_the_spans_differ(given_: tuple[bytes, list[Edit]]) -> None:
    """What lies between the spans stands between the new bytes, in order."""
    body, edits = given_
    out = apply(body, edits)
    at_old = at_new = 0
    for edit, (start, end) in zip(ordered(edits), shown_spans(edits), strict=True):
        assert body[at_old : edit.start] == out[at_new:start]
        assert edit.new == out[start:end]
        at_old, at_new = edit.end, end
    assert body[at_old:] == out[at_new:]


@given(bodies_and_edits())
def test_undoing_gives_the_original(given_: tuple[bytes, list[Edit]]) -> None:
    body, edits = given_
    out = apply(body, edits)
    back = [Edit(start, e.new, e.old) for e, (start, _) in zip(ordered(edits), shown_spans(edits), strict=True)]
    assert body == apply(out, back)


@given(st.binary(min_size=1, max_size=40), st.data())
def test_nothing_to_change_is_the_same_object(body: bytes, pick: st.DataObject) -> None:
    start = pick.draw(st.integers(0, len(body)))
    assert apply(body, []) is body
    assert apply(body, [Edit(start, body[start:], body[start:])]) is body


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, b"ab", b"x"), Edit(1, b"bc", b"y")],
        [Edit(0, b"abcd", b"x"), Edit(1, b"", b"y")],
        [Edit(2, b"c", b"x"), Edit(2, b"c", b"y")],
        [Edit(0, b"x", b"y")],
        [Edit(0, b"x", b"x")],
        [Edit(3, b"de", b"y")],
        [Edit(4, b"d", b"")],
        [Edit(99, b"", b"y")],
        [Edit(-1, b"", b"y")],
        [Edit(-1, b"d", b"y")],
    ],
)
def test_what_does_not_fit_is_refused(edits: list[Edit]) -> None:
    with pytest.raises(BadEdit, match="byte"):
        apply(b"abcd", edits)


def test_inserts_keep_the_order_they_came_in() -> None:
    assert b"a12xd" == apply(b"abcd", [Edit(1, b"", b"1"), Edit(1, b"bc", b"x"), Edit(1, b"", b"2")])
    assert b"abcd!" == apply(b"abcd", [Edit(4, b"", b"!")])
    assert b"!" == apply(b"", [Edit(0, b"", b"!")])


def test_shown_spans_shift_with_what_comes_before() -> None:
    edits = [Edit(2, b"c", b""), Edit(0, b"a", b"AAA"), Edit(3, b"", b"++")]
    assert b"AAAb++d" == apply(b"abcd", edits)
    assert ((0, 3), (4, 4), (4, 6)) == shown_spans(edits)


def test_an_edit_ends_where_its_old_bytes_do() -> None:
    assert 7 == Edit(4, b"abc", b"").end
