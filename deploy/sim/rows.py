"""Bars, quotes, trades and news in the shape of Alpaca's market data API: numbers as numbers, one-letter keys."""

from __future__ import annotations

import re
from datetime import date, time, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import groupby
from typing import Any, Final

from corpus.terms import Instant, instant_text
from deploy.sim.bars import Bar, at
from deploy.sim.market import Market, exchange, trades_in
from deploy.sim.news import NewsItem

type Row = tuple[Instant, dict[str, Any]]
"""A row's own time and its object."""

_TIMEFRAME: Final = re.compile(r"([1-9]\d?)(Min|T|Hour|H|Day|D|Week|W|Month|M)\Z", re.ASCII)
_LONGEST: Final = {"Min": 59, "Hour": 23, "Day": 1, "Week": 1, "Month": 12}
_UNITS: Final = {"T": "Min", "H": "Hour", "D": "Day", "W": "Week", "M": "Month"}
_PRINTED: Final = Decimal("0.0001")
_TAPE: Final = {"NYSE": ("N", "A"), "NASDAQ": ("V", "C")}


def timeframe(text: str) -> tuple[int, str] | None:
    """Read "1Day", "15Min" or "3M" as a count and a unit of Min, Hour, Day, Week, Month; else null."""
    found = _TIMEFRAME.match(text)
    if found is None:
        return None
    number, unit = int(found[1]), _UNITS.get(found[2], found[2])
    if number > _LONGEST[unit] or (unit == "Month" and 12 % number):
        return None
    return number, unit


def bars(market: Market, symbol: str, now: Instant, frame: tuple[int, str], adjusted: bool) -> list[Row]:
    """
    Complete bars, oldest first. The data are daily, so shorter frames have no rows.

    `adjusted` prints prices scaled by the file's adjusted close, with all that the venue knew later.
    """
    number, unit = frame
    known = market.known(symbol, now)
    if unit in ("Min", "Hour"):
        return []

    def first_day(bar: Bar) -> date:
        if unit == "Day":
            return bar.day
        if unit == "Week":
            return bar.day - timedelta(days=bar.day.weekday())
        return date(bar.day.year, (bar.day.month - 1) // number * number + 1, 1)

    out: list[Row] = []
    for day, group in groupby(known, first_day):
        begins = at(day, time())
        out.append((begins, _bar(symbol, list(group), adjusted) | {"t": instant_text(begins)}))
    return out


def _bar(symbol: str, group: list[Bar], adjusted: bool) -> dict[str, Any]:
    volume = sum(bar.volume for bar in group)
    worth = sum(((bar.high + bar.low + bar.close) / 3 * bar.volume for bar in group), Decimal(0))
    average = worth / volume if volume else (group[-1].high + group[-1].low + group[-1].close) / 3
    scale = group[-1].adjusted / group[-1].close if adjusted else None

    def price(value: Decimal) -> Decimal:
        return value if scale is None else (value * scale).quantize(_PRINTED, ROUND_HALF_EVEN)

    return {
        "t": instant_text(group[0].start_ns),
        "o": price(group[0].open),
        "h": price(max(bar.high for bar in group)),
        "l": price(min(bar.low for bar in group)),
        "c": price(group[-1].close),
        "v": volume,
        "n": sum(trades_in(bar, symbol) for bar in group),
        "vw": price(average).quantize(_PRINTED, ROUND_HALF_EVEN),
    }


def latest_bar(market: Market, symbol: str, now: Instant) -> dict[str, Any] | None:
    """The last complete session, or null."""
    known = market.known(symbol, now)
    return _bar(symbol, [known[-1]], False) if known else None


def latest_quote(market: Market, symbol: str, now: Instant) -> dict[str, Any] | None:
    """The touch at `now`, or null. Sizes are round lots."""
    touch = market.touch(symbol, now)
    return None if touch.bid is None else _quote(market.quoted_at(now), symbol, touch.bid, touch.ask)


def latest_trade(market: Market, symbol: str, now: Instant) -> dict[str, Any] | None:
    """The last close as a trade, or null."""
    known = market.known(symbol, now)
    return _trade(known[-1], symbol) if known else None


def quotes(market: Market, symbol: str, now: Instant) -> list[Row]:
    """One quote a session, at its close."""
    out: list[Row] = []
    for bar in market.known(symbol, now):
        touch = market.touch(symbol, bar.known_ns)
        out.append((bar.known_ns, _quote(bar.known_ns, symbol, touch.bid, touch.ask)))
    return out


def trades(market: Market, symbol: str, now: Instant) -> list[Row]:
    """One trade a session, its closing print."""
    return [(bar.known_ns, _trade(bar, symbol)) for bar in market.known(symbol, now)]


def snapshot(market: Market, symbol: str, now: Instant) -> dict[str, Any] | None:
    """Latest trade, quote and bars, or null. `minuteBar` repeats the closing print, the only minute known."""
    known = market.known(symbol, now)
    if not known:
        return None
    last, minute = known[-1], known[-1].known_ns - 60_000_000_000
    return {
        "latestTrade": _trade(last, symbol),
        "latestQuote": latest_quote(market, symbol, now),
        "minuteBar": {
            "t": instant_text(minute),
            "o": last.close,
            "h": last.close,
            "l": last.close,
            "c": last.close,
            "v": 100,
            "n": 1,
            "vw": last.close,
        },
        "dailyBar": _bar(symbol, [last], False),
        "prevDailyBar": _bar(symbol, [known[-2]], False) if len(known) > 1 else None,
    }


def news(item: NewsItem, content: bool) -> dict[str, Any]:
    """One news object; without `content` that key is empty, as the venue sends it."""
    return {
        "author": item.author,
        "content": item.content if content else "",
        "created_at": instant_text(item.created),
        "headline": item.headline,
        "id": item.id,
        "images": [],
        "source": item.source,
        "summary": item.summary,
        "symbols": list(item.symbols),
        "updated_at": instant_text(item.updated),
        "url": item.url,
    }


def _quote(at_ns: Instant, symbol: str, bid: Decimal | None, ask: Decimal | None) -> dict[str, Any]:
    code, tape = _TAPE[exchange(symbol)]
    return {
        "t": instant_text(at_ns),
        "ax": code,
        "ap": ask,
        "as": 3,
        "bx": code,
        "bp": bid,
        "bs": 2,
        "c": ["R"],
        "z": tape,
    }


def _trade(bar: Bar, symbol: str) -> dict[str, Any]:
    code, tape = _TAPE[exchange(symbol)]
    return {
        "t": instant_text(bar.known_ns),
        "x": code,
        "p": bar.close,
        "s": 100,
        "c": ["@"],
        "i": bar.start_ns // 86_400_000_000_000,
        "z": tape,
    }
