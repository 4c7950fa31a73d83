"""Arithmetic of what is known exactly, within bounds, or not at all."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.broker.interval import AT_LEAST_NOTHING, NOTHING, UNKNOWN, Interval, Total, bounded, exactly, only, quotient

D = Decimal
numbers = st.integers(-50, 50)


def interval(low: int | None, high: int | None) -> Interval:
    return Interval(None if low is None else D(low), None if high is None else D(high))


@given(numbers, numbers, numbers, numbers, st.integers(0, 10), st.integers(0, 10))
def test_operations_hold_every_value(a, b, c, d, s, t):
    """Whatever the values within are, the result holds theirs."""
    one, two = interval(min(a, b), max(a, b)), interval(min(c, d), max(c, d))
    x, y = min(a, b) + s, min(c, d) + t
    if x <= max(a, b) and y <= max(c, d):
        for found, value in (
            (one + two, x + y),
            (one - two, x - y),
            (-one, -x),
            (one.size(), abs(x)),
            (one.floor(), max(x, 0)),
        ):
            assert found.low is not None
            assert found.high is not None
            assert found.low <= value <= found.high
        hull = one.hull(two)
        assert hull.low is not None
        assert hull.low <= min(x, y)
        product = one.floor().times(two.floor())
        assert product.high is not None
        assert product.high >= max(x, 0) * max(y, 0)


def test_open_bounds():
    """No bound stays no bound; nothing times anything is nothing."""
    assert only(D(1)) + UNKNOWN == UNKNOWN
    assert -AT_LEAST_NOTHING == interval(None, 0)
    assert NOTHING.times(AT_LEAST_NOTHING) == NOTHING
    assert only(D(2)).times(AT_LEAST_NOTHING) == AT_LEAST_NOTHING
    assert interval(None, 5).floor() == interval(0, 5)
    assert UNKNOWN.size() == AT_LEAST_NOTHING
    assert interval(-3, -1).size() == interval(1, 3)
    assert interval(None, -1).size() == interval(1, None)
    assert only(D(1)).hull(interval(None, 0)) == interval(None, 1)


@pytest.mark.parametrize(
    ("low", "high", "limit", "answer"),
    [
        (5, 5, 5, False),
        (6, 9, 5, True),
        (5, 6, 5, None),
        (None, 5, 5, False),
        (6, None, 5, True),
        (None, None, 5, None),
    ],
)
def test_above(low, high, limit, answer):
    """True and false only when every value agrees; the limit itself is not above it."""
    assert interval(low, high).above(D(limit)) is answer


def test_exact():
    """One value, or none."""
    assert only(D("1.0")).exact == 1
    assert interval(1, 2).exact is None
    assert UNKNOWN.exact is None


@given(st.lists(st.tuples(st.integers(0, 9), st.one_of(st.none(), st.integers(0, 9)))))
def test_total_takes_back_what_it_was_given(items):
    """Adding and removing leaves nothing."""
    total = Total()
    values = [interval(low, None if more is None else low + more) for low, more in items]
    for value in values:
        total.add(value)
    assert (total.interval().high is None) is any(value.high is None for value in values)
    for value in values:
        total.add(value, -1)
    assert total == Total()


def test_absurd_sizes_become_bounds():
    """What sums could not hold exactly is kept as what is sure of it."""
    assert bounded(D("1e39")) == only(D("1e39"))
    assert bounded(D("1e9999")) == Interval(D("1e40"), None)
    assert bounded(D("1e-36")).exact == D("1e-36")
    assert bounded(D("1e-9999")) == Interval(D(0), D("1e-36"))


def test_quotients_are_rounded_outwards():
    """A third is between two printed numbers."""
    third = quotient(D(1), D(3), D(3))

    assert third.low is not None
    assert third.high is not None
    assert str(third.low) == "0." + "3" * 36
    assert str(third.high) == "0." + "3" * 35 + "4"
    assert quotient(D(1000), D(125), D(100)) == interval(8, 10)


def test_exactly_has_its_own_context():
    """Digits beyond the caller's precision are kept."""
    total = exactly(lambda: D("123456789012345678") + D("0.000000000000000001"))()

    assert str(total) == "123456789012345678.000000000000000001"
