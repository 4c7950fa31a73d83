"""Latest prices and funds."""

from __future__ import annotations

from decimal import Decimal

from proxy.broker.money import Funds, Touch
from proxy.wire.order_events import AccountRead, QuoteSeen

D = Decimal


def quote(at_ns: int, **fields) -> QuoteSeen:
    return QuoteSeen(at_ns=at_ns, exchange=at_ns, venue="alpaca", symbol="AAPL", **fields)


def test_bid_and_ask_come_together():
    """A new quote without a bid has none; a bar leaves the touch as it was."""
    one = Touch().then(quote(1, bid=D(1), ask=D(2)))
    bar = one.then(quote(2, last=D(9)))
    half = bar.then(quote(3, ask=D(3)))

    assert (bar.bid, bar.ask, bar.touch_ns, bar.last, bar.last_ns) == (D(1), D(2), 1, D(9), 2)
    assert (half.bid, half.ask, half.touch_exchange, half.last_exchange) == (None, D(3), 3, 2)


def test_a_price_is_as_old_as_its_source_says():
    """Stale prices that are served late stay stale."""
    assert Touch().then(quote(100, bid=D(1), quoted_at_ns=5)).touch_ns == 5


def test_underlying():
    """Kept beside the option's own prices."""
    touch = Touch().then(quote(1, underlying=D(150))).then(quote(2, bid=D(1)))

    assert (touch.underlying, touch.underlying_ns, touch.bid) == (D(150), 1, D(1))


def test_funds_merge():
    """What a read leaves out stays."""
    one = Funds().then(AccountRead(at_ns=1, exchange=1, venue="a", cash=D(1), equity=D(2), flags=(("x", "true"),)))
    two = one.then(AccountRead(at_ns=2, exchange=2, venue="a", equity=D(3), currency="USD", flags=(("x", "false"),)))

    assert two == Funds(currency="USD", cash=D(1), equity=D(3), flags=(("x", "false"),), exchange=2)
