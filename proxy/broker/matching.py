"""
Deterministic fills from prices seen: a resting order and one touch in, a fill and the order's next state out.

No book, no queue, no randomness: an order that crosses the touch fills at the touch. The same order and the
same prices give the same fills, whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from corpus.terms import OrderType, Side, TimeInForce


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """
    The best prices seen, quote currency. Null means that the side was not seen.

    Sizes bound what fills at once; null means unbounded, so that an order fills whole.
    """

    bid: Decimal | None
    ask: Decimal | None
    bid_size: Decimal | None = None
    ask_size: Decimal | None = None

    def price(self, side: Side) -> Decimal | None:
        """What an order of this side pays or gets: buyers lift the ask, sellers hit the bid."""
        return self.ask if side is Side.BUY else self.bid

    def size(self, side: Side) -> Decimal | None:
        """How much of it fills at once."""
        return self.ask_size if side is Side.BUY else self.bid_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """
    An order as the matcher sees it. `quantity` is what remains, in base units; prices in quote currency.

    `trail_percent` is in percent: 1.5 trails by 1.5 %. `high_water` is the best price since submission (the
    lowest for a buy); `triggered` says that a stop has become a market or limit order.
    """

    side: Side
    type: OrderType
    quantity: Decimal
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None
    trail_price: Decimal | None = None
    trail_percent: Decimal | None = None
    high_water: Decimal | None = None
    triggered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """One execution: base units at a price in the quote currency."""

    quantity: Decimal
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What one touch did: the order's next state, and the fill, if any."""

    resting: Resting
    fill: Fill | None = None


_STOPS: Final = (OrderType.STOP, OrderType.STOP_LIMIT, OrderType.TRAILING_STOP)
_HUNDRED: Final = Decimal(100)


def match(order: Resting, touch: Touch) -> Match:
    """
    Show one touch to one order.

    Args:
        order: What rests; a quantity of 0 never fills.
        touch: The prices seen.

    Returns:
        The next state and at most one fill. A price that was not seen fills and triggers nothing.

    Source: https://docs.alpaca.markets/docs/orders-at-alpaca (stop and trailing stop elections), read 2026-11-30.
    """
    price = touch.price(order.side)
    if price is None or price <= 0 or order.quantity <= 0 or order.type is OrderType.OTHER:
        return Match(resting=order)
    if order.type in _STOPS and not order.triggered:
        order = _elect(order, price)
        if not order.triggered:
            return Match(resting=order)
    if not _crosses(order, price):
        return Match(resting=order)
    size = touch.size(order.side)
    quantity = order.quantity if size is None else min(order.quantity, size)
    if quantity <= 0:
        return Match(resting=order)
    return Match(resting=replace(order, quantity=order.quantity - quantity), fill=Fill(quantity=quantity, price=price))


def match_at_once(order: Resting, touch: Touch, tif: TimeInForce | None) -> Match:
    """
    The first touch that an order meets, with its time in force.

    An immediate order (`ioc`, `fok`) that is not whole afterwards is the caller's to cancel; a `fok` that
    can't fill whole does not fill at all. Auction orders (`opg`, `cls`) wait for a price of their auction.
    """
    if tif in (TimeInForce.OPG, TimeInForce.CLS):
        return Match(resting=order)
    found = match(order, touch)
    if tif is TimeInForce.FOK and found.fill is not None and found.fill.quantity < order.quantity:
        return Match(resting=order)
    return found


def stop_level(order: Resting) -> Decimal | None:
    """The price that triggers a stop now; for a trailing stop it follows the high-water mark."""
    if order.type is not OrderType.TRAILING_STOP:
        return order.stop_price
    if order.high_water is None:
        return None
    if order.trail_price is not None:
        distance = order.trail_price
    elif order.trail_percent is not None:
        distance = order.high_water * order.trail_percent / _HUNDRED
    else:
        return None
    return order.high_water - distance if order.side is Side.SELL else order.high_water + distance


def _elect(order: Resting, price: Decimal) -> Resting:
    """Move the trail, then see whether the stop is reached. A buy stops on the way up, a sell on the way down."""
    if order.type is OrderType.TRAILING_STOP:
        marks = [price] if order.high_water is None else [price, order.high_water]
        order = replace(order, high_water=max(marks) if order.side is Side.SELL else min(marks))
    level = stop_level(order)
    if level is None:
        return order
    reached = price >= level if order.side is Side.BUY else price <= level
    return replace(order, triggered=True) if reached else order


def _crosses(order: Resting, price: Decimal) -> bool:
    if order.type not in (OrderType.LIMIT, OrderType.STOP_LIMIT):
        return True
    if order.limit_price is None:
        return False
    return price <= order.limit_price if order.side is Side.BUY else price >= order.limit_price
