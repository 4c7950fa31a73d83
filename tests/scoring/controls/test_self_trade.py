"""self_trade: V38 of facts/risk."""

from __future__ import annotations

import pytest

SELL = ("a: sell 1 AAPL limit 110", {"ack": "a"})


@pytest.mark.parametrize(
    ("order", "crossing", "any_opposite"),
    [
        ("b: buy 1 AAPL limit 109.99", "pass", "violation"),
        ("b: buy 1 AAPL limit 110", "violation", "violation"),
        ("b: buy 1 AAPL market", "violation", "violation"),
        ("b: sell 1 AAPL limit 90", "pass", "pass"),
        ("b: buy 1 IBM market", "pass", "pass"),
    ],
)
def test_modes(rule, order, crossing, any_opposite):
    """`crossing` asks whether prices meet, `any_opposite` whether there is anything."""
    assert rule("self_trade", {"self_trade": "crossing"}, *SELL, order)["b"] == crossing
    assert rule("self_trade", {"self_trade": "any_opposite"}, *SELL, order)["b"] == any_opposite


@pytest.mark.parametrize(
    ("kind", "limit", "expected"),
    [
        ("market", "1", "violation"),
        ("trailing_stop", "1", "indeterminate"),
        ("other", "1", "indeterminate"),
        ("other", "110", "violation"),
        ("stop", "200", "pass"),
    ],
)
def test_a_limit_counts_for_types_that_have_one(rule, kind, limit, expected):
    """Any other limit is passed over by the venue."""
    order = {"submit": {"id": "b", "sym": "AAPL", "side": "buy", "qty": "1", "type": kind, "limit": limit}}

    assert rule("self_trade", {"self_trade": "crossing"}, *SELL, order)["b"] == expected


def test_pending_cancel_may_be_gone(rule):
    """Whether it still works is not known."""
    events = (*SELL, {"cancel_req": "a"}, "b: buy 1 AAPL limit 110")

    assert rule("self_trade", {"self_trade": "crossing"}, *events)["b"] == "indeterminate"
    assert rule("self_trade", {"self_trade": "crossing"}, *events[:3], {"canceled": "a"}, events[3])["b"] == "pass"
