"""The account alone: what a sequence of requests leaves behind."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deploy.sim import bars, market, order_request
from deploy.sim.account import Account
from deploy.sim.options import DEMO_NOW
from deploy.sim.wire import Refused

SHOWN = market.make(bars.load(None), (), D("0.01"))


def account() -> Account:
    return Account(SHOWN, 1, DEMO_NOW, D(100_000))


def asked(**fields: Any) -> order_request.OrderRequest:
    body = {"symbol": "AAPL", "side": "buy", "type": "market", "time_in_force": "day", "qty": "1"} | fields
    return order_request.read(body)


def test_the_clock_moves_a_millisecond_with_each_order() -> None:
    one = account()
    one.place(asked())
    try:
        one.place(asked(symbol="NOPE"))
    except Refused:
        pass
    assert one.now == DEMO_NOW + 2_000_000


def test_a_trailing_stop_follows_the_market_and_fills_below() -> None:
    """AAPL closes at 571.53 (14th), 574.13, 585.78, 587.41, 585.741, 577.67 (21st): the mark is 587.40, the stop 581.40."""
    one = account()
    one.place(asked(qty="10"))
    stop = one.place(asked(side="sell", type="trailing_stop", trail_price="6", time_in_force="gtc", qty="10"))
    for _ in range(6):
        one.move(one.now + 86_400_000_000_000)
    assert (stop.facts.status, stop.facts.high_water) == ("new", D("587.40"))
    one.move(one.now + 86_400_000_000_000)
    assert (stop.facts.status, stop.facts.average_price) == ("filled", D("577.66"))
    assert one.holdings.held == {}


orders = st.lists(
    st.tuples(
        st.sampled_from(["AAPL", "IBM"]),
        st.sampled_from(["buy", "sell"]),
        st.integers(1, 60),
        st.sampled_from([None, "150", "571.53", "700"]),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(orders)
def test_equity_loses_the_spread_and_nothing_else(sent: list[tuple[str, str, int, str | None]]) -> None:
    """Every fill is at the touch, half a spread from the last price, so equity is the start less a cent a share."""
    one, filled = account(), D(0)
    for symbol, side, quantity, limit in sent:
        more = {} if limit is None else {"type": "limit", "limit_price": limit}
        try:
            order = one.place(asked(symbol=symbol, side=side, qty=str(quantity), **more))
        except Refused:
            continue
        filled += order.facts.filled_quantity
        assert order.facts.filled_quantity in (0, quantity)
    long_value, short_value = one.holdings.values(one.last)
    assert one.holdings.cash + long_value + short_value == D(100_000) - filled * D("0.01")
    assert one.holdings.buying_power(one.working(), one.last) >= 0
    one.cancel_all()
    assert not list(one.working())
