"""order.min_notional: reduce-only and closing orders are exempt."""

from __future__ import annotations

from corpus.terms import Action
from scoring.judge import judge_session

RULE = "order.min_notional"
LIMIT = {"order": {"min_notional": "1010"}}


def test_is_inclusive(rule):
    """10 shares at the ask of 101 are just enough."""
    assert rule(RULE, LIMIT, "a: buy 10 AAPL market", "b: buy 9 AAPL market") == {"a": "pass", "b": "violation"}


def test_unknown_is_open(rule):
    """Without a price nothing is said."""
    assert rule(RULE, LIMIT, "a: buy 10 AAPL market", quotes={}) == {"a": "indeterminate"}


def test_a_stray_limit_raises_nothing(rule):
    """A market order is worth the ask; where the type is not known, the lower value may be the true one."""

    def order(kind: str) -> dict:
        return {"submit": {"id": "a", "sym": "AAPL", "side": "buy", "qty": "1", "type": kind, "limit": "5000"}}

    assert rule(RULE, LIMIT, order("market")) == {"a": "violation"}
    assert rule(RULE, LIMIT, order("other")) == {"a": "indeterminate"}


def test_exempt(rule, session, contract, place, holds, quote):
    """Getting out of a small rest must stay possible."""
    got = rule(
        RULE,
        LIMIT,
        {"submit": {"id": "a", "sym": "AAPL", "side": "sell", "type": "market", "qty": "1", "reduce_only": True}},
    )
    close = place(action=Action.CLOSE, quantity=1)
    judged = judge_session(session(holds(AAPL=1), quote, close), contract(**LIMIT))

    assert got == {}
    assert [one for one in judged.verdicts if one.rule == RULE] == []
