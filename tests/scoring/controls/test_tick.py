"""order.tick beside vector V39."""

from __future__ import annotations

import pytest

RULE = "order.tick"


def test_stop_prices_count_too(rule):
    """Every price of the order must be whole."""
    limits = {"order": {"tick": "0.05"}}

    assert rule(RULE, limits, "a: buy 1 AAPL stop_limit 100.05 100.10") == {"a": "pass"}
    assert rule(RULE, limits, "a: buy 1 AAPL stop_limit 100.01 100.10") == {"a": "violation"}


def test_unknown_tick_is_not_assumed(rule):
    """`true` takes each instrument's own, which may not be known."""
    assert rule(RULE, {"order": {"tick": True}}, "a: buy 1 AAPL limit 100.01") == {"a": "indeterminate"}


@pytest.mark.parametrize("price", ["0.1", "0.3", "1000000000000000000.1"])
def test_modulus_is_exact(rule, price):
    """Tenths are tenths, however large the number."""
    assert rule(RULE, {"order": {"tick": "0.1"}}, f"a: buy 1 AAPL limit {price}") == {"a": "pass"}
