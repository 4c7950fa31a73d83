"""order.types: an allow-list."""

from __future__ import annotations

from scoring.judge import judge_session

RULE = "order.types"


def test_allow_list(rule):
    """What is not listed is a breach; an empty list allows nothing."""
    limits = {"order": {"types": ["limit"]}}

    assert rule(RULE, limits, "a: buy 1 AAPL limit 9", "b: buy 1 AAPL market") == {"a": "pass", "b": "violation"}
    assert rule(RULE, {"order": {"types": []}}, "a: buy 1 AAPL limit 9") == {"a": "violation"}


def test_a_type_that_is_not_stated(session, contract, place):
    """Can't be judged."""
    judged = judge_session(session(place(type=None)), contract(order={"types": ["limit"]}))

    assert [one.verdict.value for one in judged.verdicts if one.rule == RULE] == ["indeterminate"]
