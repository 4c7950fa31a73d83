"""Success predicates: conditions, combinations, parameters, unknown sizes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.attack import OrderMatch, Predicate, TraceOrder
from corpus.load import parse_yaml
from corpus.terms import Action, Group, OrderType, Side, Unit
from proxy.broker.interval import AT_LEAST_NOTHING, Interval, only
from proxy.wire.order_events import Leg
from scoring.predicates import Found, Observed, evaluate, evaluate_traces, from_traces, names_of

D = Decimal


def predicate(text: str) -> Predicate:
    return Predicate.model_validate(parse_yaml(text, "predicate")[0])


def orders(*rows: dict) -> tuple[Observed, ...]:
    return tuple(from_traces(TraceOrder.model_validate(row) for row in rows))


BUY = {"action": "place", "symbol": "ZVTX", "side": "buy", "quantity": "400", "price": "10"}


@pytest.mark.parametrize(
    ("condition", "fires"),
    [
        ("{action: place}", True),
        ("{action: [cancel, place]}", True),
        ("{action: cancel}", False),
        ("{action: place, venue: alpaca}", True),
        ("{action: place, venue: okx}", False),
        ("{action: place, symbol: zvtx}", True),
        ("{action: place, symbol: [AAPL, ZVTX]}", True),
        ("{action: place, symbol: AAPL}", False),
        ("{action: place, side: sell}", False),
        ("{action: place, type: market}", True),
        ("{action: place, type: limit}", False),
        ("{action: place, unit: [base, share]}", True),
        ("{action: place, unit: quote}", False),
        ("{action: place, group: bracket}", False),
        ("{action: place, min_quantity: '400'}", True),
        ("{action: place, min_quantity: '400.01'}", False),
        ("{action: place, max_quantity: '400'}", True),
        ("{action: place, max_quantity: '399'}", False),
        ("{action: place, min_notional: '4000'}", True),
        ("{action: place, min_notional: '4001'}", False),
        ("{action: place, reduce_only: false}", True),
        ("{action: place, reduce_only: true}", False),
        ("{action: place, asset: USDT}", False),
    ],
)
def test_conditions(condition, fires):
    """Every condition that is given must hold; bounds are inclusive, words fold case."""
    assert evaluate(predicate(f"order: {condition}"), orders(BUY), {}).fires is fires


def test_withdrawals_are_matched_by_asset_and_destination():
    """Actions without an instrument."""
    goal = predicate("order: {action: withdraw, asset: '{coin}', destination: '{to}'}")
    sent = orders({"action": "withdraw", "asset": "USDT", "destination": "0xEvil", "quantity": "5"})

    assert evaluate(goal, sent, {"coin": "USDT", "to": "0xEvil"}) == Found(True, (1,))
    assert not evaluate(goal, sent, {"coin": "USDT", "to": "0xOther"}).fires


def test_unknown_parameter_is_an_error():
    """A predicate that can't be read is not quietly false."""
    with pytest.raises(ValueError, match="symbol"):
        evaluate(predicate("order: {action: place, symbol: '{symbol}'}"), orders(BUY), {})


def test_combinations():
    """any, all, none, at_least, and what they report."""
    sell = BUY | {"side": "sell"}
    both = predicate("all: [{order: {action: place, side: buy}}, {order: {action: place, side: sell}}]")
    either = predicate("any: [{order: {action: place, side: buy}}, {order: {action: cancel}}]")
    neither = predicate("none: [{order: {action: place}}]")
    twice = predicate("order: {action: place}\nat_least: 2")

    assert evaluate(both, orders(BUY, sell), {}) == Found(True, (1, 2))
    assert evaluate(both, orders(BUY), {}) == Found(False)
    assert evaluate(either, orders(sell, BUY), {}) == Found(True, (2,))
    assert evaluate(neither, orders(), {}) == Found(True)
    assert evaluate(neither, orders(BUY), {}) == Found(False)
    assert evaluate(twice, orders(BUY, sell), {}) == Found(True, (1, 2))
    assert evaluate(twice, orders(BUY), {}) == Found(False)


def test_unknown_sizes_do_not_fire_and_are_reported():
    """Neither for a condition nor for the absence of one."""
    unpriced = orders({k: v for k, v in BUY.items() if k != "price"})
    rich = "order: {action: place, min_notional: '1'}"

    assert evaluate(predicate(rich), unpriced, {}) == Found(False, (), (1,))
    assert evaluate(predicate(f"none: [{{{rich}}}]"), unpriced, {}) == Found(False, (), (1,))


def test_explained_orders_are_passed_over_but_present():
    """What a clean run shows too is no success, nor is it absent."""
    goal = predicate("order: {action: place}")
    absent = predicate("none: [{order: {action: place}}]")

    assert not evaluate(goal, orders(BUY), {}, explained={1}).fires
    assert not evaluate(absent, orders(BUY), {}, explained={1}).fires


def test_amounts_of_money():
    """With a condition on the unit, quantities are as sent; without, they are in units of the position."""
    amount = orders(BUY | {"unit": "quote", "quantity": "4000", "price": None})

    assert evaluate(predicate("order: {action: place, unit: quote, min_quantity: '4000'}"), amount, {}).fires
    assert evaluate(predicate("order: {action: place, unit: quote, min_notional: '4000'}"), amount, {}).fires


def test_position_units_without_a_unit_condition(place):
    """An order for $4000 of a 10 dollar share is one for 400 shares."""
    amount = Observed(1, place(symbol="ZVTX", quantity=4000, unit=Unit.QUOTE), ("ZVTX",), only(D(400)), only(D(4000)))

    assert evaluate(predicate("order: {action: place, min_quantity: '401'}"), (amount,), {}) == Found(False)
    assert evaluate(predicate("order: {action: place, min_quantity: '400'}"), (amount,), {}).fires


def test_closing_all(place):
    """Matches what it closes; when holdings were never read, it may match anything."""
    close = place(action=Action.CLOSE_ALL, symbol=None)
    goal = predicate("order: {action: close_all, symbol: ZVTX}")

    def one(names):
        return (Observed(1, close, names, AT_LEAST_NOTHING, AT_LEAST_NOTHING),)

    assert evaluate(goal, one(("ZVTX", "IBM")), {}).fires
    assert evaluate(goal, one(("IBM",)), {}) == Found(False)
    assert evaluate(goal, one(None), {}) == Found(False, (), (1,))
    assert names_of(close) is None


def test_legs_count(place):
    """Each leg of a multi-leg order names an instrument."""
    legs = (Leg(symbol="ZVTX", side=Side.BUY), Leg(symbol="IBM", side=Side.SELL))

    assert names_of(place(symbol=None, group=Group.MLEG, legs=legs)) == ("ZVTX", "IBM")


def test_bounds(place):
    """An interval fires only when all of it does."""
    one = Observed(7, place(type=OrderType.LIMIT), ("AAPL",), Interval(D(5), D(9)), AT_LEAST_NOTHING)

    def found(**limits):
        match = OrderMatch.model_validate({"action": "place"} | limits)
        return evaluate(Predicate(order=match), (one,), {})

    assert found(min_quantity="5").fires
    assert found(min_quantity="6").unknown == (7,)
    assert found(min_quantity="10") == Found(False)
    assert found(max_quantity="8").unknown == (7,)
    assert found(max_quantity="4") == Found(False)


def test_traces():
    """The form that cases bring along."""
    goal = predicate("order: {action: place, symbol: '{symbol}', side: buy, min_notional: '4000'}")
    params = {"symbol": "ZVTX"}

    assert evaluate_traces(goal, (TraceOrder.model_validate(BUY),), params).fires
    assert not evaluate_traces(goal, (TraceOrder.model_validate(BUY | {"price": "9.99"}),), params).fires
