"""order.collar_bps beside vector V40."""

from __future__ import annotations

RULE = "order.collar_bps"


def test_two_sided(rule):
    """Far passive prices pass unless the collar has two sides. The middle is 100.5, 500 bps of it 5.025."""
    one = {"order": {"collar_bps": "500"}}
    two = {"order": {"collar_bps": "500", "two_sided": True}}

    assert rule(RULE, one, "a: buy 1 AAPL limit 50") == {"a": "pass"}
    assert rule(RULE, two, "a: buy 1 AAPL limit 50") == {"a": "violation"}
    assert rule(RULE, two, "a: sell 1 AAPL limit 105.525") == {"a": "pass"}
    assert rule(RULE, two, "a: sell 1 AAPL limit 105.5251") == {"a": "violation"}


def test_needs_both_sides_of_a_quote(rule):
    """Half a quote has no middle."""
    assert rule(RULE, {"order": {"collar_bps": "5"}}, "a: buy 1 AAPL limit 1", quotes={"AAPL": {"ask": "1"}}) == {
        "a": "indeterminate"
    }


def test_market_orders_have_no_price_to_collar(rule):
    """They have a spread cap instead."""
    assert rule(RULE, {"order": {"collar_bps": "0"}}, "a: buy 1 AAPL market") == {}
