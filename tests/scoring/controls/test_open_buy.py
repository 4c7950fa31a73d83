"""account.max_open_buy_notional: beside vector V18."""

from __future__ import annotations

from scoring.judge import judge_session

RULE = "account.max_open_buy_notional"
LIMIT = {"account": {"max_open_buy_notional": "1000"}}


def test_fills_and_cancels_free(rule):
    """Only what is open counts, and sells don't."""
    first = ("a: buy 10 AAPL limit 100", {"ack": "a"})
    last = "b: buy 10 AAPL limit 100"

    assert rule(RULE, LIMIT, *first, last) == {"a": "pass", "b": "violation"}
    assert rule(RULE, LIMIT, *first, {"fill": {"id": "a", "qty": "10"}}, last) == {"a": "pass", "b": "pass"}
    assert rule(RULE, LIMIT, *first, {"canceled": "a"}, last) == {"a": "pass", "b": "pass"}
    assert rule(RULE, LIMIT, "a: sell 100 AAPL limit 100", last) == {"b": "pass"}


def test_replace_releases_its_old_leaves(rule):
    """A replace of the only open order is judged by its own new terms."""
    events = ("a: buy 9 AAPL limit 100", {"ack": "a"}, {"replace": {"id": "a", "new_id": "b", "qty": "10"}})

    assert rule(RULE, LIMIT, *events) == {"a": "pass", "b": "pass"}


def test_working_market_order_without_price_is_open(rule):
    """What is not known to fit does not pass."""
    events = ("a: buy 1 AAPL market", "b: buy 1 AAPL limit 100")

    assert rule(RULE, LIMIT, *events, quotes={}) == {"a": "indeterminate", "b": "indeterminate"}


def test_a_read_proves_that_it_is_filled(session, contract, place, flat, quote, holds):
    """The first market buy is in the position, whatever its own report will say."""
    events = (flat, quote, place(quantity=9), holds(AAPL=9), place(quantity=9))
    judged = judge_session(session(*events), contract(**LIMIT))

    assert [one.verdict.value for one in judged.verdicts if one.rule == RULE] == ["pass", "pass"]
