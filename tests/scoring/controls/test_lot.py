"""order.lot: whole lots."""

from __future__ import annotations

RULE = "order.lot"


def test_whole_lots(rule):
    """An exact modulus; an amount of money has no certain quantity."""
    lots = {"order": {"lot": "0.1"}}
    got = rule(RULE, lots, "a: buy 0.3 AAPL market", "b: buy 0.35 AAPL market", "c: buy $5 AAPL market")

    assert got == {"a": "pass", "b": "violation", "c": "indeterminate"}
