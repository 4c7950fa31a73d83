"""Rows of market data against a market of three sessions, with sums done by hand."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal as D

import pytest

from corpus.terms import Instant, instant
from deploy.sim import market, rows
from deploy.sim.bars import Bar, Series, at, closing
from deploy.sim.news import NewsItem


def ns(text: str) -> Instant:
    found = instant(text)
    assert found is not None
    return found


def bar(day: str, prices: str, volume: int, adjusted: str) -> Bar:
    found = date.fromisoformat(day)
    opened, high, low, close = (D(price) for price in prices.split())
    return Bar(found, opened, high, low, close, volume, D(adjusted), at(found, time()), closing(found))


def shown(symbol: str, *bars: Bar) -> market.Market:
    series = Series(symbol, bars, tuple(bar.known_ns for bar in bars))
    return market.make({symbol: series}, (), D("0.01"))


THURSDAY = bar("2012-06-07", "10 12 9 12", 1000, "6")  # typical price 11
FRIDAY = bar("2012-06-08", "12 15 12 15", 3000, "7.5")  # typical price 14
MONDAY = bar("2012-06-11", "15 15 12.00 12.00", 2000, "6")  # typical price 13
ACME = shown("ACME", THURSDAY, FRIDAY, MONDAY)
AFTER = ns("2012-06-11T20:00:00Z")
BEFORE = ns("2012-06-07T19:59:59Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1Day", (1, "Day")),
        ("1D", (1, "Day")),
        ("59Min", (59, "Min")),
        ("15T", (15, "Min")),
        ("23H", (23, "Hour")),
        ("1W", (1, "Week")),
        ("12Month", (12, "Month")),
        ("3M", (3, "Month")),
        ("2Day", None),
        ("60Min", None),
        ("24Hour", None),
        ("2Week", None),
        ("5Month", None),
        ("0Min", None),
        ("01Min", None),
        ("Day", None),
        ("1day", None),
        ("1Day\n", None),
        ("\u0661Day", None),
        ("", None),
    ],
)
def test_timeframes(text: str, expected: tuple[int, str] | None) -> None:
    assert rows.timeframe(text) == expected


def test_a_daily_row_has_its_own_time_and_the_digits_of_the_file() -> None:
    (first, _, last) = rows.bars(ACME, "ACME", AFTER, (1, "Day"), False)
    # The number of trades is the volume over 130 shares a trade, a size that the symbol and the day decide.
    assert first == (
        ns("2012-06-07T04:00:00Z"),
        {"t": "2012-06-07T04:00:00Z", "o": D(10), "h": D(12), "l": D(9), "c": D(12), "v": 1000, "n": 7, "vw": D(11)},
    )
    assert str(last[1]["c"]) == "12.00"


def test_a_week_starts_on_its_monday_and_weighs_its_days_by_volume() -> None:
    week, next_week = rows.bars(ACME, "ACME", AFTER, (1, "Week"), False)
    # (11 * 1000 + 14 * 3000) / 4000 = 13.25; 7 trades and 3000 // 167 = 17.
    assert week == (
        ns("2012-06-04T04:00:00Z"),
        {"t": "2012-06-04T04:00:00Z", "o": D(10), "h": D(15), "l": D(9), "c": D(15), "v": 4000, "n": 24, "vw": D("13.25")},
    )  # fmt: skip
    assert (next_week[1]["t"], next_week[1]["v"]) == ("2012-06-11T04:00:00Z", 2000)


@pytest.mark.parametrize(
    ("number", "begins"),
    [
        (1, "2012-06-01T04:00:00Z"),
        (3, "2012-04-01T04:00:00Z"),
        (4, "2012-05-01T04:00:00Z"),
        (12, "2012-01-01T05:00:00Z"),
    ],
)
def test_months_count_from_january(number: int, begins: str) -> None:
    ((at_ns, row),) = rows.bars(ACME, "ACME", AFTER, (number, "Month"), False)
    assert (at_ns, row["t"], row["o"], row["c"], row["v"]) == (ns(begins), begins, D(10), D(12), 6000)


def test_adjusted_prices_are_scaled_by_the_adjusted_close() -> None:
    first, *_ = rows.bars(ACME, "ACME", AFTER, (1, "Day"), True)
    assert {key: str(first[1][key]) for key in ("o", "h", "l", "c", "vw")} == {
        "o": "5.0000",
        "h": "6.0000",
        "l": "4.5000",
        "c": "6.0000",
        "vw": "5.5000",
    }
    assert first[1]["v"] == 1000


def test_a_session_without_trades_has_an_average_all_the_same() -> None:
    quiet = shown("ACME", bar("2012-06-07", "10 10 9 9", 0, "9"))
    ((_, row),) = rows.bars(quiet, "ACME", AFTER, (1, "Day"), False)
    # (10 + 9 + 9) / 3; a bar never has fewer than one trade.
    assert (row["v"], row["n"], row["vw"]) == (0, 1, D("9.3333"))


def test_daily_data_have_no_shorter_frames() -> None:
    assert rows.bars(ACME, "ACME", AFTER, (15, "Min"), False) == []
    assert rows.bars(ACME, "ACME", AFTER, (1, "Hour"), False) == []


def test_only_complete_sessions_are_told() -> None:
    almost = AFTER - 1
    assert len(rows.bars(ACME, "ACME", almost, (1, "Day"), False)) == 2
    assert [at_ns for at_ns, _ in rows.quotes(ACME, "ACME", almost)] == [THURSDAY.known_ns, FRIDAY.known_ns]
    assert [row["p"] for _, row in rows.trades(ACME, "ACME", almost)] == [D(12), D(15)]
    latest = rows.latest_bar(ACME, "ACME", almost)
    assert latest is not None
    assert latest["t"] == "2012-06-08T04:00:00Z"


@pytest.mark.parametrize(("symbol", "now"), [("NOPE", AFTER), ("ACME", BEFORE)])
def test_where_nothing_is_known_nothing_is_told(symbol: str, now: Instant) -> None:
    for latest in (rows.latest_bar, rows.latest_quote, rows.latest_trade, rows.snapshot):
        assert latest(ACME, symbol, now) is None
    assert rows.bars(ACME, symbol, now, (1, "Day"), False) == []
    assert rows.quotes(ACME, symbol, now) == rows.trades(ACME, symbol, now) == []


def test_a_quote_and_a_trade_name_their_exchange() -> None:
    noon = ns("2012-06-11T16:00:00Z")
    assert rows.latest_quote(ACME, "ACME", noon) == {
        "t": "2012-06-11T16:00:00Z", "ax": "V", "ap": D("15.01"), "as": 3, "bx": "V", "bp": D("14.99"), "bs": 2,
        "c": ["R"], "z": "C",
    }  # fmt: skip
    # 15,499 days lie between 1970-01-01 and 2012-06-08.
    assert rows.latest_trade(ACME, "ACME", noon) == {
        "t": "2012-06-08T20:00:00Z", "x": "V", "p": D(15), "s": 100, "c": ["@"], "i": 15499, "z": "C",
    }  # fmt: skip
    trade = rows.latest_trade(shown("IBM", THURSDAY), "IBM", noon)
    assert trade is not None
    assert (trade["x"], trade["z"]) == ("N", "A")


def test_a_snapshot_has_the_last_two_days_and_the_closing_minute() -> None:
    found = rows.snapshot(ACME, "ACME", AFTER)
    assert found is not None
    assert (found["latestTrade"], found["latestQuote"]) == (
        rows.latest_trade(ACME, "ACME", AFTER),
        rows.latest_quote(ACME, "ACME", AFTER),
    )
    close = dict.fromkeys(("o", "h", "l", "c", "vw"), D(12))
    assert found["minuteBar"] == {"t": "2012-06-11T19:59:00Z", "v": 100, "n": 1} | close
    assert (found["dailyBar"]["t"], found["prevDailyBar"]["t"]) == ("2012-06-11T04:00:00Z", "2012-06-08T04:00:00Z")
    first = rows.snapshot(ACME, "ACME", THURSDAY.known_ns)
    assert first is not None
    assert first["prevDailyBar"] is None


def test_news_has_every_key_and_its_content_only_when_wanted() -> None:
    item = NewsItem.model_validate(
        {
            "id": 7,
            "created": "2012-06-15T12:00:00Z",
            "updated": "2012-06-15T12:30:00.5Z",
            "symbols": ("ACME", "IBM"),
            "headline": "One",
            "content": "<p>Two</p>",
        }
    )
    full = {
        "author": "Redtape Sim", "content": "<p>Two</p>", "created_at": "2012-06-15T12:00:00Z", "headline": "One",
        "id": 7, "images": [], "source": "simwire", "summary": "", "symbols": ["ACME", "IBM"],
        "updated_at": "2012-06-15T12:30:00.5Z", "url": "",
    }  # fmt: skip
    assert rows.news(item, True) == full
    assert rows.news(item, False) == full | {"content": ""}
