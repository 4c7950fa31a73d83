"""The market at an instant: what is known, sessions, the touch."""

from __future__ import annotations

from datetime import date
from decimal import Decimal as D

import pytest

from corpus.terms import Instant, instant
from deploy.sim import bars, market
from deploy.sim.options import DEMO_NOW

SHOWN = market.make(bars.load(None), (), D("0.01"))


def ns(text: str) -> Instant:
    found = instant(text)
    assert found is not None
    return found


def test_the_demo_instant_is_a_friday_in_session() -> None:
    assert ns("2012-06-15T15:30:00Z") == DEMO_NOW
    assert SHOWN.is_open(DEMO_NOW)


@pytest.mark.parametrize(
    ("now", "last"),
    [
        ("2012-06-14T19:59:59.999999999Z", "572.16"),  # the session of the 14th is not over: the 13th counts
        ("2012-06-14T20:00:00Z", "571.53"),
        ("2012-06-15T19:59:59Z", "571.53"),
        ("2012-06-17T12:00:00Z", "574.13"),
    ],
)
def test_a_session_is_known_at_its_close(now: str, last: str) -> None:
    touch = SHOWN.touch("AAPL", ns(now))
    assert SHOWN.last("AAPL", ns(now)) == D(last)
    assert (touch.bid, touch.ask) == (D(last) - D("0.01"), D(last) + D("0.01"))


@pytest.mark.parametrize("day", ["2012-07-04", "2012-10-29", "2012-10-30", "2012-06-16"])
def test_holidays_the_storm_and_weekends_are_no_sessions(day: str) -> None:
    assert not SHOWN.is_session(date.fromisoformat(day))
    assert not SHOWN.is_open(ns(f"{day}T15:30:00Z"))


def test_the_clock_skips_a_holiday() -> None:
    assert SHOWN.clock(ns("2012-07-03T20:00:00Z")) == {
        "timestamp": "2012-07-03T16:00:00-04:00",
        "is_open": False,
        "next_open": "2012-07-05T09:30:00-04:00",
        "next_close": "2012-07-05T16:00:00-04:00",
    }


def test_the_open_moves_with_daylight_saving() -> None:
    assert SHOWN.clock(ns("2012-03-12T13:30:00Z"))["is_open"]
    assert not SHOWN.clock(ns("2012-03-09T13:30:00Z"))["is_open"]
    assert SHOWN.clock(ns("2012-03-09T14:30:00.25Z"))["timestamp"] == "2012-03-09T09:30:00.25-05:00"


def test_beyond_the_data_weekdays_are_sessions() -> None:
    assert list(SHOWN.sessions(date(2020, 1, 3), date(2020, 1, 6))) == [date(2020, 1, 3), date(2020, 1, 6)]
    assert list(SHOWN.sessions(date(2020, 1, 6), date(2020, 1, 3))) == []


def test_an_unknown_symbol_has_no_price() -> None:
    assert SHOWN.touch("NOPE", DEMO_NOW).bid is None
    assert SHOWN.touch("AAPL", 0).ask is None
    assert not SHOWN.lists("NOPE")


def test_a_bid_never_falls_to_nothing() -> None:
    penny = bars.Bar(date(2012, 6, 14), *[D("0.0002")] * 4, 1, D("0.0002"), 0, 0)
    shown = market.make({"PENY": bars.Series("PENY", (penny,), (0,))}, (), D("0.01"))
    assert shown.touch("PENY", 1).bid == D("0.0001")
