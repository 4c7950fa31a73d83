"""Prices and money that crossed the proxy, latest first known."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from corpus.terms import Instant
from proxy.wire.order_events import AccountRead, QuoteSeen


@dataclass(frozen=True, slots=True)
class Touch:
    """
    Latest bid and ask, and latest trade or bar price, of one instrument; each with its own time and exchange.

    Times are the source's own when it states one, else ours.
    """

    bid: Decimal | None = None
    ask: Decimal | None = None
    touch_ns: Instant = 0
    touch_exchange: int = 0
    last: Decimal | None = None
    last_ns: Instant = 0
    last_exchange: int = 0
    underlying: Decimal | None = None
    underlying_ns: Instant = 0

    def then(self, quote: QuoteSeen) -> Touch:
        """The prices after one more quote; what it leaves out stays."""
        at_ns = quote.at_ns if quote.quoted_at_ns is None else quote.quoted_at_ns
        touch = quote.bid is not None or quote.ask is not None
        last, under = quote.last is not None, quote.underlying is not None
        return Touch(
            bid=quote.bid if touch else self.bid,
            ask=quote.ask if touch else self.ask,
            touch_ns=at_ns if touch else self.touch_ns,
            touch_exchange=quote.exchange if touch else self.touch_exchange,
            last=quote.last if last else self.last,
            last_ns=at_ns if last else self.last_ns,
            last_exchange=quote.exchange if last else self.last_exchange,
            underlying=quote.underlying if under else self.underlying,
            underlying_ns=at_ns if under else self.underlying_ns,
        )


@dataclass(frozen=True, slots=True)
class Funds:
    """What an account was last said to hold, in `currency`; null was never said."""

    currency: str | None = None
    cash: Decimal | None = None
    equity: Decimal | None = None
    buying_power: Decimal | None = None
    flags: tuple[tuple[str, str], ...] = ()
    exchange: int = 0

    def then(self, read: AccountRead) -> Funds:
        """The funds after one more account read; what it leaves out stays."""
        flags = dict(self.flags) | dict(read.flags)
        return Funds(
            currency=read.currency or self.currency,
            cash=self.cash if read.cash is None else read.cash,
            equity=self.equity if read.equity is None else read.equity,
            buying_power=self.buying_power if read.buying_power is None else read.buying_power,
            flags=tuple(sorted(flags.items())),
            exchange=read.exchange,
        )
