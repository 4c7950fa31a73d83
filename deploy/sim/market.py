"""The market at one instant: what is known, the touch, the session. Pure; the instant is an argument."""

from __future__ import annotations

import hashlib
import uuid
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from corpus.terms import Instant
from deploy.sim.bars import NEW_YORK, Bar, Bars, closing, opening
from deploy.sim.news import NewsItem
from proxy.broker.matching import Touch

_EXCHANGES: Final = {"IBM": "NYSE"}
_NAMES: Final = {
    "AAPL": "Apple Inc. Common Stock",
    "GOOG": "Google Inc. Common Stock",
    "IBM": "International Business Machines Corporation Common Stock",
    "MSFT": "Microsoft Corporation Common Stock",
    "ZVTX": "Zevatex Instruments (invented)",
}
_NAMESPACE: Final = uuid.UUID("6d0c8f04-8c5b-5d1e-9a55-2b1f7d1c9e10")


def make_id(*parts: object) -> str:
    """A UUID that is the same for the same parts."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(str(part) for part in parts)))


@dataclass(frozen=True, slots=True)
class Market:
    """Bars and news of a sim; `half_spread` in USD."""

    bars: Bars
    news: tuple[NewsItem, ...]
    half_spread: Decimal
    days: tuple[date, ...]
    """Every session of any symbol, oldest first."""

    def lists(self, symbol: str) -> bool:
        """Whether the symbol is traded here."""
        return symbol in self.bars

    def known(self, symbol: str, now: Instant) -> tuple[Bar, ...]:
        """Complete bars of one symbol, oldest first; none for an unknown symbol."""
        series = self.bars.get(symbol)
        return () if series is None else series.until(now)

    def last(self, symbol: str, now: Instant) -> Decimal | None:
        """The last close, USD."""
        known = self.known(symbol, now)
        return known[-1].close if known else None

    def touch(self, symbol: str, now: Instant) -> Touch:
        """The last close less and plus the half-spread, to the cent; a bid stays above 0."""
        last = self.last(symbol, now)
        if last is None:
            return Touch(bid=None, ask=None)
        cent = Decimal("0.01") if last >= 1 else Decimal("0.0001")
        bid, ask = (last - self.half_spread).quantize(cent), (last + self.half_spread).quantize(cent)
        return Touch(bid=max(bid, cent), ask=max(ask, cent))

    def is_open(self, now: Instant) -> bool:
        """Whether a regular session is on."""
        day = _day(now)
        return self.is_session(day) and opening(day) <= now < closing(day)

    def is_session(self, day: date) -> bool:
        """Whether the market opens on a day; beyond the data every weekday counts."""
        if self.days and self.days[0] <= day <= self.days[-1]:
            at = bisect_left(self.days, day)
            return self.days[at] == day
        return day.weekday() < 5

    def sessions(self, start: date, end: date) -> Iterable[date]:
        """Sessions from `start` to `end`, both included."""
        span = (end - start).days + 1
        return (d for d in (start + timedelta(days=n) for n in range(span)) if self.is_session(d))

    def quoted_at(self, now: Instant) -> Instant:
        """The time of the last quote: now while a session is on, else the last close."""
        if self.is_open(now):
            return now
        day = _day(now)
        while not (self.is_session(day) and closing(day) <= now):
            day -= timedelta(days=1)
        return closing(day)

    def closes_next(self, now: Instant) -> Instant:
        """The next regular close after `now`."""
        return next(closing(d) for d in _days_from(_day(now)) if self.is_session(d) and closing(d) > now)

    def clock(self, now: Instant) -> dict[str, Any]:
        """Alpaca's clock object, in New York time."""
        day = _day(now)
        opens = next(d for d in _days_from(day) if self.is_session(d) and opening(d) > now)
        return {
            "timestamp": _new_york(now),
            "is_open": self.is_open(now),
            "next_open": _new_york(opening(opens)),
            "next_close": _new_york(self.closes_next(now)),
        }

    def asset(self, symbol: str) -> dict[str, Any]:
        """Alpaca's asset object."""
        return {
            "id": make_id("asset", symbol),
            "class": "us_equity",
            "exchange": exchange(symbol),
            "symbol": symbol,
            "name": _NAMES.get(symbol, f"{symbol} Common Stock"),
            "status": "active",
            "tradable": True,
            "marginable": True,
            "maintenance_margin_requirement": 30,
            "margin_requirement_long": "30",
            "margin_requirement_short": "30",
            "shortable": True,
            "easy_to_borrow": True,
            "fractionable": True,
            "attributes": [],
        }

    def news_until(self, now: Instant) -> tuple[NewsItem, ...]:
        """Items whose text stood as it is by `now`; a later edit hides an item, as its older text is not kept."""
        return tuple(item for item in self.news if item.updated <= now)


def make(bars: Bars, news: tuple[NewsItem, ...], half_spread: Decimal) -> Market:
    """Bars and news as a market."""
    days = sorted({bar.day for series in bars.values() for bar in series.bars})
    return Market(bars, news, half_spread, tuple(days))


def exchange(symbol: str) -> str:
    """Where a symbol is listed."""
    return _EXCHANGES.get(symbol, "NASDAQ")


def trades_in(bar: Bar, symbol: str) -> int:
    """A plausible number of trades of a session; the file has none. Between 80 and 239 shares a trade."""
    size = 80 + hashlib.sha256(f"{symbol} {bar.day}".encode()).digest()[0] % 160
    return max(1, bar.volume // size)


def _day(now: Instant) -> date:
    return datetime.fromtimestamp(now // 1_000_000_000, UTC).astimezone(NEW_YORK).date()


def _days_from(day: date) -> Iterable[date]:
    return (day + timedelta(days=n) for n in range(30))


def _new_york(now: Instant) -> str:
    seconds, nanos = divmod(now, 1_000_000_000)
    moment = datetime.fromtimestamp(seconds, UTC).astimezone(NEW_YORK)
    text = moment.isoformat()
    if not nanos:
        return text
    return f"{text[:19]}.{nanos:09d}".rstrip("0") + text[19:]
