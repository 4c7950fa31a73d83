"""The valuation price of orders, facts/risk section 1, and how numbers are printed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import OrderType, Side
from proxy.broker.interval import AT_LEAST_NOTHING, UNKNOWN, Interval, only
from proxy.broker.ledger import Touch
from scoring.valuation import fresh, text, value_at

D = Decimal
TOUCH = Touch(bid=D(100), ask=D(101), last=D(99), touch_exchange=4, last_exchange=5)
BUY, SELL = Side.BUY, Side.SELL


@pytest.mark.parametrize(
    ("side", "limit", "stop", "touch", "low", "high"),
    [
        (BUY, "300", None, TOUCH, "300", "300"),
        (BUY, "90", "95", TOUCH, "90", "90"),
        (BUY, None, "120", TOUCH, "120", "120"),
        (BUY, None, "50", TOUCH, "101", "101"),
        (BUY, None, None, TOUCH, "101", "101"),
        (BUY, None, "50", Touch(), "50", None),
        (BUY, None, None, Touch(), "0", None),
        (BUY, None, None, Touch(last=D(7)), "7", "7"),
        (SELL, "1", None, TOUCH, "100", "100"),
        (SELL, "110", None, TOUCH, "110", "110"),
        (SELL, "90", "105", TOUCH, "105", "105"),
        (SELL, None, None, TOUCH, "100", "100"),
        (SELL, "90", None, Touch(ask=D(91)), "90", None),
    ],
)
def test_value_at(side, limit, stop, touch, low, high):
    """Buys at the limit, else the higher of stop and ask; sells at the best of limit, stop and bid."""
    found = value_at(side, limit and D(limit), stop and D(stop), OrderType.STOP_LIMIT, touch)

    assert found.value == Interval(D(low), None if high is None else D(high))


@pytest.mark.parametrize("type_", [OrderType.MARKET, OrderType.STOP, OrderType.TRAILING_STOP])
@pytest.mark.parametrize(("side", "touch", "price"), [(BUY, TOUCH, "101"), (SELL, TOUCH, "100")])
def test_a_limit_that_the_type_does_not_have_is_no_price(type_, side, touch, price):
    """Venues pass it over, so it may neither lower nor raise what the order is worth."""
    for limit in ("0.01", "5000"):
        assert value_at(side, D(limit), None, type_, touch).value == only(D(price))
    assert value_at(BUY, D("0.01"), D(120), OrderType.STOP, TOUCH).value == only(D(120))
    assert value_at(BUY, D("0.01"), None, type_, Touch()).value == AT_LEAST_NOTHING


@pytest.mark.parametrize("type_", [None, OrderType.OTHER])
def test_a_type_that_is_not_known_is_worth_the_worst(type_):
    """It may be a market order or one with a limit: the higher of both values, a bound where one is unknown."""
    assert value_at(BUY, D("0.01"), None, type_, TOUCH).value == only(D(101))
    assert value_at(BUY, D(300), None, type_, TOUCH).value == only(D(300))
    assert value_at(BUY, D("0.01"), D(120), type_, TOUCH).value == only(D(120))
    assert value_at(BUY, D(3), None, type_, Touch()).value == Interval(D(3), None)
    assert value_at(SELL, D(110), None, type_, TOUCH).value == only(D(110))


def test_a_trigger_that_the_type_does_not_have_is_no_price():
    """Of a market or limit order."""
    assert value_at(BUY, None, D(5000), OrderType.MARKET, TOUCH).value == only(D(101))
    assert value_at(SELL, D(90), D(5000), OrderType.LIMIT, TOUCH).value == only(D(100))


def test_trailing_stops_move():
    """Their trigger is not their price."""
    assert value_at(BUY, None, D(120), OrderType.TRAILING_STOP, TOUCH).value == only(D(101))


def test_price_says_where_it_is_from():
    """Word and exchange, for rationales."""
    ask = value_at(BUY, None, None, None, TOUCH)
    last = value_at(BUY, None, None, None, Touch(last=D(7), last_exchange=5))

    assert (ask.how, ask.exchange) == ("ask", 4)
    assert (last.how, last.exchange) == ("last price", 5)


def test_fresh():
    """A price exactly as old as allowed is fresh; each price has its own age."""
    touch = Touch(bid=D(1), ask=D(2), touch_ns=5, last=D(3), last_ns=4, underlying=D(4), underlying_ns=3)
    kept = fresh(touch, 5_000_000_004, D(5))

    assert fresh(touch, 10**18, None) is touch
    assert (kept.bid, kept.ask, kept.last, kept.underlying) == (D(1), D(2), D(3), None)
    assert fresh(touch, 5_000_000_006, D(5)).ask is None


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (D("100.10"), "100.10"),
        (D(10) / 3, "3.33333333"),
        (D("9.850000000000"), "9.85"),
        (D("1e-9"), "0"),
        (D("Infinity"), "without bound"),
        (only(D("1e3")), "1000"),
        (Interval(D(1), D(2)), "1..2"),
        (Interval(D(1), None), "1 or more"),
        (Interval(None, D(1)), "any..1"),
        (AT_LEAST_NOTHING, "unknown"),
        (UNKNOWN, "unknown"),
        (None, "unknown"),
    ],
)
def test_text(value, printed):
    """Plain decimals, bounds where it is not one number."""
    assert text(value) == printed
