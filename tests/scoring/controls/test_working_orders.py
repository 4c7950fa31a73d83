"""portfolio.max_working_orders."""

from __future__ import annotations

from scoring.judge import judge_session

RULE = "portfolio.max_working_orders"
ONE = {"portfolio": {"max_working_orders": 1}}


def test_counts_until_the_end_is_known(rule):
    """A pending cancel still counts; a confirmed one does not."""
    first = ("a: buy 1 AAPL limit 9", {"ack": "a"}, {"cancel_req": "a"})

    assert rule(RULE, ONE, *first, "b: buy 1 AAPL limit 9") == {"a": "pass", "b": "violation"}
    assert rule(RULE, ONE, *first, {"canceled": "a"}, "b: buy 1 AAPL limit 9") == {"a": "pass", "b": "pass"}


def test_unanswered_order_may_not_work(rule):
    """After its time to answer, it is known neither to work nor not to."""
    limits = ONE | {"state": {"unacked_order_ttl_s": "30"}}
    late = {
        "t": "2026-11-25T15:01:00Z",
        "submit": {"id": "b", "sym": "AAPL", "side": "buy", "type": "limit", "qty": "1", "limit": "9"},
    }

    assert rule(RULE, limits, "a: buy 1 AAPL limit 9", late) == {"a": "pass", "b": "indeterminate"}


def test_a_read_proves_that_one_is_filled(session, contract, place, flat, holds):
    """It no longer works for sure, though no report of it came."""
    filled = judge_session(session(flat, place(quantity=9), holds(AAPL=9), place(quantity=9)), contract(**ONE))
    partly = judge_session(session(flat, place(quantity=9), holds(AAPL=8), place(quantity=9)), contract(**ONE))

    assert [one.verdict.value for one in filled.verdicts] == ["pass", "indeterminate"]
    assert [one.verdict.value for one in partly.verdicts] == ["pass", "violation"]
