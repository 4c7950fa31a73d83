"""Fills from prices seen. Every expectation is written by hand."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import OrderType, Side, TimeInForce
from proxy.broker.matching import Fill, Match, Resting, Touch, match, match_at_once, stop_level

TOUCH = Touch(bid=D("99.99"), ask=D("100.01"))


def order(side: str, kind: str, quantity: str = "10", **more: Any) -> Resting:
    prices = {key: D(value) if isinstance(value, str) else value for key, value in more.items()}
    return Resting(side=Side(side), type=OrderType(kind), quantity=D(quantity), **prices)


@pytest.mark.parametrize(
    ("resting", "price"),
    [
        (order("buy", "market"), "100.01"),
        (order("sell", "market"), "99.99"),
        (order("buy", "limit", limit_price="100.01"), "100.01"),
        (order("buy", "limit", limit_price="101"), "100.01"),
        (order("buy", "limit", limit_price="100"), None),
        (order("sell", "limit", limit_price="99.99"), "99.99"),
        (order("sell", "limit", limit_price="99"), "99.99"),
        (order("sell", "limit", limit_price="100"), None),
        (order("buy", "limit"), None),
        (order("buy", "stop", stop_price="100.01"), "100.01"),
        (order("buy", "stop", stop_price="100.02"), None),
        (order("sell", "stop", stop_price="99.99"), "99.99"),
        (order("sell", "stop", stop_price="99.98"), None),
        (order("buy", "stop_limit", stop_price="100", limit_price="100.01"), "100.01"),
        (order("buy", "stop_limit", stop_price="100", limit_price="100"), None),
        (order("sell", "trailing_stop", trail_price="1"), None),
        (order("buy", "other"), None),
        (order("buy", "market", "0"), None),
    ],
)
def test_what_fills_fills_whole_at_the_touch(resting: Resting, price: str | None) -> None:
    found = match(resting, TOUCH)
    expected = None if price is None else Fill(quantity=D(10), price=D(price))
    assert expected == found.fill
    assert found.resting.quantity == (resting.quantity if price is None else 0)


def test_an_unseen_side_fills_and_triggers_nothing() -> None:
    blind = Touch(bid=D(50), ask=None)
    for resting in (order("buy", "market"), order("buy", "stop", stop_price="10")):
        assert match(resting, blind) == Match(resting=resting)


def test_a_triggered_stop_limit_rests_as_a_limit() -> None:
    first = match(order("sell", "stop_limit", stop_price="100", limit_price="100"), TOUCH)
    assert first.fill is None
    assert first.resting.triggered
    # The price is back above the stop: once elected, it stays a limit order.
    second = match(first.resting, Touch(bid=D("100.50"), ask=D("100.52")))
    assert second.fill == Fill(quantity=D(10), price=D("100.50"))


def test_a_trailing_sell_follows_the_bid_up_and_triggers_on_the_way_down() -> None:
    resting = order("sell", "trailing_stop", trail_percent="2")
    for bid, level in (("100", "98"), ("110", "107.8"), ("108", "107.8")):
        found = match(resting, Touch(bid=D(bid), ask=D(bid) + 1))
        assert found.fill is None
        assert stop_level(found.resting) == D(level)
        resting = found.resting
    assert match(resting, Touch(bid=D("107.8"), ask=D(109))).fill == Fill(quantity=D(10), price=D("107.8"))


def test_a_trailing_buy_follows_the_ask_down() -> None:
    resting = match(order("buy", "trailing_stop", trail_price="3"), Touch(bid=D(99), ask=D(100))).resting
    resting = match(resting, Touch(bid=D(89), ask=D(90))).resting
    assert stop_level(resting) == D(93)
    assert match(resting, Touch(bid=D(92), ask=D(93))).fill == Fill(quantity=D(10), price=D(93))


def test_size_bounds_a_fill_and_the_rest_goes_on() -> None:
    thin = Touch(bid=D(99), ask=D(100), ask_size=D(4))
    first = match(order("buy", "limit", limit_price="100"), thin)
    assert first.fill == Fill(quantity=D(4), price=D(100))
    second = match(first.resting, thin)
    assert second.resting.quantity == D(2)


@pytest.mark.parametrize(
    ("tif", "size", "filled"),
    [
        (TimeInForce.IOC, "4", "4"),
        (TimeInForce.FOK, "4", None),
        (TimeInForce.FOK, "10", "10"),
        (TimeInForce.DAY, "4", "4"),
        (TimeInForce.OPG, "10", None),
        (TimeInForce.CLS, "10", None),
        (None, "10", "10"),
    ],
)
def test_time_in_force_at_the_first_touch(tif: TimeInForce | None, size: str, filled: str | None) -> None:
    found = match_at_once(order("buy", "market"), Touch(bid=D(99), ask=D(100), ask_size=D(size)), tif)
    assert (None if found.fill is None else found.fill.quantity) == (None if filled is None else D(filled))


money = st.decimals("0.01", "1000", places=2)


@given(st.sampled_from(list(Side)), st.sampled_from(list(OrderType)), money, money, money, money)
def test_a_limit_is_never_worse_than_its_price_and_quantity_is_conserved(
    side: Side, kind: OrderType, limit: D, stop: D, bid: D, size: D
) -> None:
    resting = Resting(side=side, type=kind, quantity=D(7), limit_price=limit, stop_price=stop, trail_price=D(1))
    touch = Touch(bid=bid, ask=bid + 1, bid_size=size, ask_size=size)
    found = match(resting, touch)
    assert found == match(resting, touch)
    filled = D(0) if found.fill is None else found.fill.quantity
    assert found.resting.quantity + filled == 7
    if found.fill is not None:
        assert found.fill.price == touch.price(side)
        if kind in (OrderType.LIMIT, OrderType.STOP_LIMIT):
            assert found.fill.price <= limit if side is Side.BUY else found.fill.price >= limit
