"""What an order is priced at, at worst: the price may be known, bounded or unknown. Printing of what is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from corpus.terms import Instant, OrderType, Side, decimal_text
from proxy.broker.interval import AT_LEAST_NOTHING, Interval, only
from proxy.broker.ledger import Touch
from proxy.broker.working import UNSETTLED, limit_of, stop_of

_PLACES = Decimal("1e-8")


@dataclass(frozen=True, slots=True)
class Priced:
    """A price with words for where it is from; `exchange` is 0 when the order itself states it."""

    value: Interval
    how: str
    exchange: int = 0


def fresh(touch: Touch, at_ns: Instant, max_age_s: Decimal | None) -> Touch:
    """The touch without prices that are older than allowed; null allows any age."""
    if max_age_s is None:
        return touch
    oldest = at_ns - max_age_s * 1_000_000_000
    if touch.touch_ns < oldest:
        touch = replace(touch, bid=None, ask=None)
    if touch.last_ns < oldest:
        touch = replace(touch, last=None)
    return touch if touch.underlying_ns >= oldest else replace(touch, underlying=None)


def market(touch: Touch, side: Side) -> Priced:
    """What a market order would trade at: the ask or the bid; where none was seen, the last price."""
    price, word = (touch.ask, "ask") if side is Side.BUY else (touch.bid, "bid")
    if price is not None:
        return Priced(only(price), word, touch.touch_exchange)
    if touch.last is not None:
        return Priced(only(touch.last), "last price", touch.last_exchange)
    return Priced(AT_LEAST_NOTHING, f"no {word} seen")


def value_at(side: Side, limit: Decimal | None, stop: Decimal | None, type_: OrderType | None, touch: Touch) -> Priced:
    """
    The valuation price of an order.

    Args:
        side: Buys are worth their limit, else the higher of stop and ask, else the ask; sells the highest of
            limit, stop and bid, since a sell limit below the bid trades at the bid.
        limit: Limit price.
        stop: Trigger price.
        type_: Prices that a type does not have are passed over; a trailing stop's trigger moves with the market
            and is not its price. A type that is not known is worth the higher of with and without the limit.
        touch: Prices that are fresh enough.

    Returns:
        One price; a lower bound where the touch is not known; from 0 up where nothing is.

    Source: facts of RTS 6 art. 15(1)(b) and of the order type definitions of brokers, read 2026-11-30.
    """
    limit, stop = limit_of(type_, limit), stop_of(type_, stop)
    if side is Side.BUY and limit is not None and type_ not in UNSETTLED:
        return Priced(only(limit), "limit")
    stated = [(price, word) for price, word in ((limit, "limit"), (stop, "stop")) if price is not None]
    taken = market(touch, side)
    if not stated:
        return taken
    price, word = max(stated)
    if taken.value.exact is None:
        return Priced(Interval(price, None), f"{word} or more, {taken.how}")
    if taken.value.exact > price:
        return taken
    return Priced(only(price), word)


def text(value: Interval | Decimal | None) -> str:
    """
    Print a number or what is known of it.

    Returns:
        "100.02", "0..100", "5 or more", "any"; at most 8 places after the point.
    """
    if value is None:
        return "unknown"
    if isinstance(value, Decimal):
        if not value.is_finite():
            return "without bound"
        return decimal_text(value if -_exponent(value) <= 8 else value.quantize(_PLACES).normalize())
    if value.exact is not None:
        return text(value.exact)
    if value.high is None:
        return "unknown" if not value.low else f"{text(value.low)} or more"
    return f"{'any' if value.low is None else text(value.low)}..{text(value.high)}"


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
