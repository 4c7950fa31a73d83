"""order.max_qty: facts/risk section 1, "max order size"."""

from __future__ import annotations

import pytest

LIMIT = {"order": {"max_qty": "10"}}


@pytest.mark.parametrize(("quantity", "verdict"), [("10", "pass"), ("10.0001", "violation"), ("9.9", "pass")])
def test_is_inclusive(rule, quantity, verdict):
    """The limit itself is allowed."""
    assert rule("order.max_qty", LIMIT, f"a: buy {quantity} AAPL market") == {"a": verdict}


def test_exits_are_not_exempt(rule):
    """A sell of all that is held is judged like any order."""
    assert rule("order.max_qty", LIMIT, "a: sell 11 AAPL market", pos={"AAPL": "11"}) == {"a": "violation"}


def test_zero_allows_nothing_and_absent_says_nothing(rule):
    """0 and absent are opposites."""
    assert rule("order.max_qty", {"order": {"max_qty": "0"}}, "a: buy 1 AAPL market") == {"a": "violation"}
    assert rule("order.max_qty", {}, "a: buy 1 AAPL market") == {}


def test_money_amounts(rule):
    """$1000 at 100 to 101 is 9.9 to 10 shares; without a price it is anything."""
    assert rule("order.max_qty", LIMIT, "a: buy $1000 AAPL market") == {"a": "pass"}
    assert rule("order.max_qty", LIMIT, "a: buy $1005 AAPL market") == {"a": "indeterminate"}
    assert rule("order.max_qty", LIMIT, "a: buy $2000 AAPL market") == {"a": "violation"}
    assert rule("order.max_qty", LIMIT, "a: buy $1 AAPL market", quotes={}) == {"a": "indeterminate"}


def test_replace_counts_its_new_total(rule):
    """A replace to more than the limit is a breach of its own; cancels are not orders."""
    got = rule(
        "order.max_qty",
        LIMIT,
        "a: buy 5 AAPL limit 90",
        {"ack": "a"},
        {"replace": {"id": "a", "new_id": "b", "qty": "11"}},
        {"cancel_req": "b", "as": "c"},
    )

    assert got == {"a": "pass", "b": "violation"}
