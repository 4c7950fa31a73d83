"""Daily bars from a CSV: text in, exact rows out. Parsed once a file and shared by every sim."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from corpus.load import BadCorpus, read_text
from corpus.terms import Instant, decimal

COLUMNS: Final = ("Ticker", "Date", "Open", "High", "Low", "Close", "Volume", "Adj Close")
SHIPPED: Final = (
    Path(__file__).parent / "data" / "daily_bars.csv",
    Path(__file__).parent / "data" / "invented_bars.csv",
)
NEW_YORK: Final = ZoneInfo("America/New_York")
_OPEN, _CLOSE, _MIDNIGHT = time(9, 30), time(16), time()


@dataclass(frozen=True, slots=True)
class Bar:
    """One session. Prices as traded, in USD, with the digits of the file; `adjusted` is the file's Adj Close."""

    day: date
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: int
    adjusted: Decimal
    start_ns: Instant
    """Midnight in New York: the bar's own time."""
    known_ns: Instant
    """The regular close: nobody knows the bar before."""


@dataclass(frozen=True, slots=True)
class Series:
    """The sessions of one symbol, oldest first."""

    symbol: str
    bars: tuple[Bar, ...]
    known: tuple[Instant, ...]

    def until(self, now: Instant) -> tuple[Bar, ...]:
        """The bars that are complete at `now`."""
        return self.bars[: bisect_right(self.known, now)]


type Bars = dict[str, Series]
"""Symbol to its series, symbols sorted."""


def at(day: date, clock: time) -> Instant:
    """A New York wall time as an instant."""
    moment = datetime.combine(day, clock, NEW_YORK).astimezone(UTC)
    return round(moment.timestamp()) * 1_000_000_000


def opening(day: date) -> Instant:
    """The regular open of a session."""
    return at(day, _OPEN)


def closing(day: date) -> Instant:
    """The regular close of a session."""
    return at(day, _CLOSE)


def load(path: Path | None) -> Bars:
    """
    Read a file of daily bars.

    Args:
        path: A CSV with the columns of `COLUMNS`, or null for the shipped files.

    Returns:
        Every symbol's series. The same file is parsed once.

    Raises:
        BadCorpus: With file, line, column and what to do.
    """
    out: Bars = {}
    for file in SHIPPED if path is None else (path,):
        out.update(_load(file, _stamp(file)))
    return dict(sorted(out.items()))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise BadCorpus(f"can't be read: {error.strerror}", file=str(path)) from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _load(path: Path, stamp: tuple[int, int]) -> Bars:
    rows = csv.reader(io.StringIO(read_text(path)), strict=True)
    found: dict[str, list[Bar]] = {}
    try:
        header = next(rows, None)
        if header is None:
            raise BadCorpus(f"the file is empty; its first line must be {','.join(COLUMNS)}", file=str(path))
        if tuple(header) != COLUMNS:
            raise BadCorpus(f"the first line must be {','.join(COLUMNS)}", file=str(path), line=1)
        for row in rows:
            if row:
                symbol, bar = _row(row, str(path), rows.line_num)
                found.setdefault(symbol, []).append(bar)
    except csv.Error as error:
        raise BadCorpus(f"not CSV: {error}", file=str(path), line=rows.line_num) from None
    if not found:
        raise BadCorpus("no bars below the header; add one line a session", file=str(path))
    return {symbol: _series(symbol, bars, str(path)) for symbol, bars in found.items()}


def _series(symbol: str, bars: list[Bar], file: str) -> Series:
    bars.sort(key=lambda bar: bar.day)
    for one, two in pairwise(bars):
        if one.day == two.day:
            raise BadCorpus(f"{symbol} has {one.day} twice; keep one line", file=file, key="Date")
    return Series(symbol, tuple(bars), tuple(bar.known_ns for bar in bars))


def _row(row: list[str], file: str, line: int) -> tuple[str, Bar]:
    if len(row) != len(COLUMNS):
        raise BadCorpus(f"{len(row)} columns, not {len(COLUMNS)}: {','.join(COLUMNS)}", file=file, line=line)
    symbol = row[0].strip()
    if not symbol or not symbol.isascii() or len(symbol) > 12:
        raise BadCorpus(f'"{row[0]}" is no ticker', file=file, line=line, key="Ticker")
    try:
        day = date.fromisoformat(row[1].strip())
    except ValueError:
        raise BadCorpus(f'"{row[1]}" is no date; write 2012-06-15', file=file, line=line, key="Date") from None
    prices = [_price(row[n], COLUMNS[n], file, line) for n in (2, 3, 4, 5, 7)]
    volume = row[6].strip()
    if not (volume.isascii() and volume.isdigit() and len(volume) <= 18):
        raise BadCorpus(f'"{row[6]}" is no whole number of shares', file=file, line=line, key="Volume")
    opened, high, low, close, adjusted = prices
    if not low <= min(opened, close) <= max(opened, close) <= high:
        raise BadCorpus("High and Low must enclose Open and Close", file=file, line=line, key="High")
    return symbol, Bar(day, opened, high, low, close, int(volume), adjusted, at(day, _MIDNIGHT), closing(day))


def _price(text: str, column: str, file: str, line: int) -> Decimal:
    value = decimal(text)
    if value is None or value <= 0 or value > 10**9:
        raise BadCorpus(f'"{text}" is no price above 0', file=file, line=line, key=column)
    return value
