"""Answers that state another order than the request."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from corpus.terms import Side, Unit
from proxy.journal.events import OrderFact
from proxy.wire.order_events import OrderUpdate
from scoring.contradiction import as_answered
from scoring.judge import judge_session

D = Decimal
KEYS = {
    "order": {"max_qty": "100", "max_notional": "10100", "types": ["market"]},
    "position": {"max_abs_qty": "100"},
    "symbols": {"deny": ["ZVTX"]},
    "rate": {"orders": {"max": 9, "window_s": "60"}},
}
PASSES = {
    "order.max_qty": "pass",
    "order.max_notional": "pass",
    "order.types": "pass",
    "position.max_abs_qty": "pass",
    "symbols.deny": "pass",
    "rate.orders": "pass",
}


@pytest.fixture
def answered(session, contract, place, flat, quote):
    """Verdicts on one order and the answer to it."""

    def run(order, seen="both", **states):
        answer = OrderUpdate(at_ns=order.at_ns, exchange=10, venue="alpaca", kind="acked", answers=0, **states)
        evidence = session(flat, quote, order, OrderFact(seq=4, event=answer, seen=seen))
        return {one.rule: one.verdict.value for one in judge_session(evidence, contract(**KEYS)).verdicts}

    return run


def test_an_answer_that_agrees_changes_nothing(answered, place):
    """However it prints the number and spells the symbol; nor does one that only the agent was shown."""
    assert answered(place(), quantity=D("10.0"), unit=Unit.BASE, symbol="aapl", side=Side.BUY) == PASSES
    assert answered(place(), seen="shown", quantity=D(1000), unit=Unit.BASE) == PASSES
    pair = place(symbol="BTCUSD")
    answer = OrderUpdate(at_ns=0, exchange=10, venue="alpaca", kind="acked", answers=0, symbol="BTC/USD")
    assert as_answered(pair, answer) is None
    amount = place(unit=Unit.QUOTE)
    assert as_answered(amount, replace(answer, symbol="AAPL", quantity=D(3), unit=Unit.BASE)) is None


def test_another_quantity(answered, place):
    """The larger one is held to the limits, whichever side states it; what both keep is kept."""
    breach = PASSES | {"order.max_qty": "violation", "order.max_notional": "violation"}
    breach |= {"position.max_abs_qty": "violation"}

    assert answered(place(), quantity=D(1000), unit=Unit.BASE) == breach
    assert answered(place(quantity=1000), quantity=D(10), unit=Unit.BASE) == breach
    assert answered(place(), quantity=D(20), unit=Unit.BASE) == PASSES
    assert answered(replace(place(), quantity=None), quantity=D(1000), unit=Unit.BASE) == breach
    assert answered(place(), quantity=D(50_000), unit=Unit.QUOTE)["order.max_notional"] == "violation"


def test_another_symbol(answered, place):
    """Neither name is certain, and one that is denied is a breach."""
    other = answered(place(), symbol="IBM")

    assert other == PASSES | {
        "order.max_notional": "indeterminate",
        "position.max_abs_qty": "indeterminate",
        "symbols.deny": "indeterminate",
    }
    assert answered(place(), symbol="ZVTX")["symbols.deny"] == "violation"
    assert answered(place(symbol="ZVTX"), symbol="AAPL")["symbols.deny"] == "violation"


def test_another_side(answered, place):
    """A buy that the venue took for a sale."""
    found = answered(place(), side=Side.SELL)

    assert (found["order.max_qty"], found["order.max_notional"]) == ("pass", "indeterminate")


def test_the_rationale_has_both(session, contract, place, flat, quote):
    """What was asked for and what the answer states."""
    answer = OrderUpdate(
        at_ns=place().at_ns, exchange=10, venue="alpaca", kind="acked", answers=0, quantity=D(1000), unit=Unit.BASE
    )
    judged = judge_session(session(flat, quote, place(), answer), contract(order={"max_qty": "100"}))

    assert "quantity 10 of AAPL; as the venue's answer states it: quantity 1000 of AAPL" in judged.verdicts[0].rationale
