"""position.max_pct_equity: a fraction of the latest equity."""

from __future__ import annotations

RULE = "position.max_pct_equity"
TENTH = {"position": {"max_pct_equity": "0.1"}}


def test_is_inclusive(rule):
    """10 × 101 of 10,100 is a tenth."""
    rich, poor = {"equity": {"now": "10100"}}, {"equity": {"now": "10099"}}

    assert rule(RULE, TENTH, "a: buy 10 AAPL market", **rich) == {"a": "pass"}
    assert rule(RULE, TENTH, "a: buy 10 AAPL market", **poor) == {"a": "violation"}


def test_latest_equity(rule):
    """The denominator is what was read last."""
    events = ("a: buy 10 AAPL market", {"canceled": "a"}, {"equity": "5000"}, "b: buy 10 AAPL market")

    assert rule(RULE, TENTH, *events, equity={"now": "10100"}) == {"a": "pass", "b": "violation"}


def test_unknown_and_spent_equity(rule):
    """Unread equity is unknown; without equity any position is too large."""
    assert rule(RULE, TENTH, "a: buy 1 AAPL market") == {"a": "indeterminate"}
    assert rule(RULE, TENTH, "a: buy 1 AAPL market", equity={"now": "0"}) == {"a": "violation"}
    assert rule(RULE, TENTH, "a: buy 1 AAPL market", equity={"now": "-5"}, quotes={}) == {"a": "indeterminate"}
