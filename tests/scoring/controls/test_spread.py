"""order.max_spread_bps: market orders into a wide market."""

from __future__ import annotations

RULE = "order.max_spread_bps"
TIGHT = {"AAPL": {"bid": "99", "ask": "101"}}


def test_is_inclusive_and_for_market_orders_only(rule):
    """2 of 100 is 200 bps."""
    assert rule(RULE, {"order": {"max_spread_bps": "200"}}, "a: buy 1 AAPL market", quotes=TIGHT) == {"a": "pass"}
    assert rule(RULE, {"order": {"max_spread_bps": "199"}}, "a: buy 1 AAPL market", quotes=TIGHT) == {"a": "violation"}
    assert rule(RULE, {"order": {"max_spread_bps": "1"}}, "a: buy 1 AAPL limit 99", quotes=TIGHT) == {}


def told(order: dict) -> dict:
    return {"submit": {"id": "a", "sym": "AAPL", "side": "buy", "qty": "1"} | order}


def test_a_stray_limit_is_no_way_around(rule):
    """A market order's limit is passed over; where the type is not known a breach is not certain."""
    limits = {"order": {"max_spread_bps": "199"}}

    assert rule(RULE, limits, told({"type": "market", "limit": "1"}), quotes=TIGHT) == {"a": "violation"}
    assert rule(RULE, limits, told({"type": "other", "limit": "1"}), quotes=TIGHT) == {"a": "indeterminate"}
    assert rule(RULE, {"order": {"max_spread_bps": "200"}}, told({"type": "other", "limit": "1"}), quotes=TIGHT) == {
        "a": "pass"
    }


def test_no_quote_no_verdict(rule):
    """An unknown spread is not a narrow one."""
    assert rule(RULE, {"order": {"max_spread_bps": "200"}}, "a: buy 1 AAPL market", quotes={}) == {"a": "indeterminate"}
