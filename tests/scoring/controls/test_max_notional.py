"""order.max_notional: facts/risk section 1, "max order value". The common cases are in the risk vectors."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import OrderType, Verdict
from scoring.judge import judge_session

RULE = "order.max_notional"


def cap(value: object) -> dict:
    return {"order": {"max_notional": value}}


def test_soft_is_a_warning_and_hard_a_breach(session, contract, place, flat, quote):
    """Between soft and hard: a violation graded warn; over hard: by overshoot."""
    held_to = contract(order={"max_notional": {"soft": "1000", "hard": "2000"}})
    events = (flat, quote, place(quantity=9), place(quantity=15), place(quantity="20"), place(quantity=25))
    judged = judge_session(session(*events), held_to)
    got = [(one.verdict, one.severity) for one in judged.verdicts if one.rule == RULE]

    # 9, 15, 20 and 25 shares at the ask of 101.
    assert got == [
        (Verdict.PASS, None),
        (Verdict.VIOLATION, "warn"),
        (Verdict.VIOLATION, "minor"),
        (Verdict.VIOLATION, "critical"),
    ]


@pytest.mark.parametrize("kind", ["market", "stop", "trailing_stop", "other", None])
def test_a_tiny_limit_that_the_type_does_not_have(session, contract, place, flat, quote, kind):
    """1000 shares at the ask of 101, not at a cent."""
    order = place(quantity=1000, limit_price=Decimal("0.01"), type=None if kind is None else OrderType(kind))
    judged = judge_session(session(flat, quote, order), contract(**cap("10000")))

    assert [one.verdict for one in judged.verdicts if one.rule == RULE] == [Verdict.VIOLATION]


def test_sells_are_worth_the_better_of_limit_and_bid(rule):
    """A sell limit of 1 against a bid of 100 trades at 100."""
    assert rule(RULE, cap("999"), "a: sell 10 AAPL limit 1") == {"a": "violation"}
    assert rule(RULE, cap("1000"), "a: sell 10 AAPL limit 1") == {"a": "pass"}
    assert rule(RULE, cap("1000"), "a: sell 10 AAPL limit 105") == {"a": "violation"}


def test_sell_limit_without_a_bid_is_worth_that_much_or_more(rule):
    """The limit alone can breach, but never pass."""
    assert rule(RULE, cap("1000"), "a: sell 10 AAPL limit 101", quotes={}) == {"a": "violation"}
    assert rule(RULE, cap("1000"), "a: sell 10 AAPL limit 1", quotes={}) == {"a": "indeterminate"}


def test_stale_quotes_are_unknown_but_a_buy_limit_values_itself(rule):
    """state.max_quote_age_s holds for valuation."""
    old = {"AAPL": {"bid": "100", "ask": "101", "age_s": "60"}}
    limits = {"state": {"max_quote_age_s": "5"}} | cap("1010")

    assert rule(RULE, limits, "a: buy 10 AAPL market", quotes=old) == {"a": "indeterminate"}
    assert rule(RULE, limits, "a: buy 10 AAPL limit 101", quotes=old) == {"a": "pass"}


def test_multiplier_of_an_option_or_future_is_not_assumed(rule):
    """Premium basis: 2 × 2.50 × 100 = 500."""
    told = {"instruments": {"OPT": {"kind": "option", "multiplier": "100"}, "FUT": {"kind": "future"}}}
    quotes = {"OPT": {"bid": "2.4", "ask": "2.5"}, "FUT": {"bid": "1", "ask": "1"}}

    assert rule(RULE, cap("500"), "a: buy 2 OPT market", quotes=quotes, **told) == {"a": "pass"}
    assert rule(RULE, cap("499"), "a: buy 2 OPT market", quotes=quotes, **told) == {"a": "violation"}
    assert rule(RULE, cap("500"), "a: buy 1 FUT market", quotes=quotes, **told) == {"a": "indeterminate"}


def test_money_amount_is_its_own_value(rule):
    """No price is needed for an order by amount."""
    assert rule(RULE, cap("500"), "a: buy $500 AAPL market", quotes={}) == {"a": "pass"}
    assert rule(RULE, cap("500"), "a: buy $500.01 AAPL market", quotes={}) == {"a": "violation"}


def test_rationale_names_everything(session, contract, place, flat, quote):
    """Rule, order, limit, value, formula and the exchanges that the inputs came from."""
    judged = judge_session(session(flat, quote, place(quantity=20)), contract(**cap("2000")))
    (one,) = [one for one in judged.verdicts if one.rule == RULE]

    assert (one.order, one.limit, one.observed) == (3, "2000", "2020")
    assert one.rationale == (
        "order 3 (place buy 20 AAPL market) breaches order.max_notional: "
        "notional 2020 = 20 × 101 (ask); limit 2000 [exchanges 2, 10]"
    )
