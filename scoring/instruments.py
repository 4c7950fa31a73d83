"""What an instrument is: multiplier, currency, tick. Given by a table, else read off its name where that is safe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal

from corpus.terms import Unit

type Kind = Literal["equity", "option", "future", "crypto", "fx", "event", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """`multiplier` is quote currency per unit and price point; a null field is unknown, and never assumed."""

    kind: Kind = "unknown"
    multiplier: Decimal | None = None
    currency: str | None = None
    tick: Decimal | None = None
    underlying: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What scoring is told beside the traffic. `fx["EURUSD"]` is dollars for one euro."""

    instruments: Mapping[str, Instrument] = field(default_factory=dict)
    fx: Mapping[str, Decimal] = field(default_factory=dict)

    def instrument(self, names: tuple[str, ...], venue: str, unit: Unit) -> Instrument:
        """An instrument by the first of its names in the table, else by its name's form."""
        for name in names:
            if name in self.instruments:
                return self.instruments[name]
        return infer(names[0], venue, unit) if names else Instrument()

    def rate(self, have: str | None, want: str) -> Decimal | None:
        """Units of `want` for one unit of `have`, or null. A stablecoin is not its peg."""
        if have is None or have == want:
            return Decimal(1) if have == want else None
        if (direct := self.fx.get(have + want)) is not None:
            return direct
        inverse = self.fx.get(want + have)
        return 1 / inverse if inverse else None


_STOCK_BROKERS: Final = frozenset(("alpaca", "tradier", "schwab", "ibkr"))
_OPTION: Final = re.compile(r"([A-Z.]{1,6}[0-9]?) *\d{6}[CP]\d{8}\Z")
_STOCK: Final = re.compile(r"[A-Za-z]{1,6}([./ -][A-Za-z]{1,3})?\Z")
_QUOTES: Final = ("FDUSD", "USDT", "USDC", "TUSD", "USD", "EUR", "GBP", "JPY", "BTC", "ETH", "BNB", "TRY", "BRL")


def infer(symbol: str, venue: str, unit: Unit) -> Instrument:
    """
    Read an instrument off its name.

    Args:
        symbol: As on the wire, or canonical.
        venue: A venue id; stock brokers' plain tickers are US shares in dollars.
        unit: What the order counts; contracts have a multiplier that no name tells.

    Returns:
        What is certain; the rest is null.
    """
    multiplier = Decimal(1) if unit in (Unit.BASE, Unit.SHARE, Unit.QUOTE, Unit.PERCENT) else None
    if option := _OPTION.match(symbol):
        return Instrument(kind="option", currency="USD", underlying=option[1])
    if venue in _STOCK_BROKERS:
        base, slash, quote = symbol.partition("/")
        if slash and quote.upper() in _QUOTES:
            return Instrument(kind="crypto", multiplier=multiplier, currency=quote.upper(), underlying=base)
        if _STOCK.match(symbol):
            return Instrument(kind="equity", multiplier=multiplier, currency="USD")
        return Instrument()
    if venue == "polymarket":
        return Instrument(kind="event", multiplier=multiplier, currency="USDC")
    if venue == "hyperliquid":
        return Instrument(kind="crypto", multiplier=multiplier, currency="USDC")
    return _pair(symbol, venue, multiplier)


def _pair(symbol: str, venue: str, multiplier: Decimal | None) -> Instrument:
    """BTC-USD, BTC/USDT, EUR_USD, BTCUSDT: the second name is the currency."""
    kind: Kind = "fx" if venue == "oanda" else "crypto"
    words = [word for word in re.split(r"[-/_:]", symbol.upper()) if word not in ("PF", "PI", "FI")]
    if len(words) == 2:
        return Instrument(kind=kind, multiplier=multiplier, currency=words[1], underlying=words[0])
    if len(words) > 2:
        return Instrument(kind="future", currency=words[1], underlying=words[0])
    for quote in _QUOTES:
        if words and words[0].endswith(quote) and words[0] != quote:
            return Instrument(kind=kind, multiplier=multiplier, currency=quote, underlying=words[0][: -len(quote)])
    return Instrument(kind=kind, multiplier=multiplier)
