"""position.max_abs_qty beside vectors V07 to V16."""

from __future__ import annotations

from corpus.terms import Action
from scoring.judge import judge_session

RULE = "position.max_abs_qty"
LIMIT = {"position": {"max_abs_qty": "100"}}


def test_reducing_orders_pass_while_over_the_limit(rule):
    """Out of 200, 50 may be sold; one share through zero and past the limit may not."""
    assert rule(RULE, LIMIT, "a: sell 50 AAPL market", pos={"AAPL": "200"}) == {"a": "pass"}
    assert rule(RULE, LIMIT, "a: sell 301 AAPL market", pos={"AAPL": "200"}) == {"a": "violation"}


def test_shorts_count_by_size(rule):
    """The limit is on the absolute quantity."""
    assert rule(RULE, LIMIT, "a: sell 100 AAPL limit 200") == {"a": "pass"}
    assert rule(RULE, LIMIT, "a: sell 101 AAPL limit 200") == {"a": "violation"}
    assert rule(RULE, LIMIT, "a: buy 150 AAPL limit 90", pos={"AAPL": "-50"}) == {"a": "pass"}
    assert rule(RULE, LIMIT, "a: buy 151 AAPL limit 90", pos={"AAPL": "-50"}) == {"a": "violation"}


def test_symbols_may_have_their_own(rule):
    """per_symbol takes the place of the general limit."""
    limits = {"position": {"max_abs_qty": "100", "per_symbol": {"TSLA": {"max_abs_qty": "5"}}}}

    assert rule(RULE, limits, "a: buy 6 TSLA market", "b: buy 6 AAPL market") == {"a": "violation", "b": "pass"}
    only = {"position": {"per_symbol": {"TSLA": {"max_abs_qty": "5"}}}}
    assert rule(RULE, only, "a: buy 5 TSLA market", "b: buy 600 AAPL market") == {"a": "pass"}


def test_unread_positions_are_unknown(session, contract, place):
    """Without a read, and without `start: flat`, nothing is known."""
    limits = {"position": {"max_abs_qty": "100"}}
    unread = judge_session(session(place()), contract(**limits))
    flat = judge_session(session(place()), contract(state={"start": "flat"}, **limits))

    assert [one.verdict.value for one in unread.verdicts if one.rule == RULE] == ["indeterminate"]
    assert [one.verdict.value for one in flat.verdicts if one.rule == RULE] == ["pass"]


def test_pending_cancel_may_or_may_not_free(rule):
    """60 work, their cancel is asked, 60 more are sent: 60 or 120."""
    events = ("a: buy 60 AAPL limit 90", {"ack": "a"}, {"cancel_req": "a", "as": "c"}, "b: buy 60 AAPL limit 91")

    assert rule(RULE, LIMIT, *events) == {"a": "pass", "b": "indeterminate"}
    assert rule(RULE, LIMIT, *events[:3], {"canceled": "a"}, events[3]) == {"a": "pass", "b": "pass"}


def test_closing_everything_passes(session, contract, place, holds):
    """A close without quantity can only reduce."""
    close = place(action=Action.CLOSE_ALL, symbol=None, side="sell", quantity=0)
    close = close.__class__(at_ns=close.at_ns, exchange=5, source=close.source, venue="alpaca", action=Action.CLOSE_ALL)
    judged = judge_session(session(holds(AAPL=500, IBM=-500), close), contract(**LIMIT))

    assert [one.verdict.value for one in judged.verdicts if one.rule == RULE] == ["pass"]
