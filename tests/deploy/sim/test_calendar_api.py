"""The trading calendar over HTTP: which days are sessions, and what a day looks like."""

from __future__ import annotations

import pytest

from deploy.sim.options import SimOptions
from deploy.sim.server import start

from .conftest import Client, ask


async def days(client: Client, query: str) -> list[str]:
    answer = await client("GET", f"/v2/calendar{query}")
    assert answer.status == 200, answer.raw
    return [row["date"] for row in answer.json]


async def test_a_day_is_complete(client: Client) -> None:
    answer = await client("GET", "/v2/calendar?start=2012-06-14&end=2012-06-14")
    assert answer.raw == (
        b'[{"date":"2012-06-14","open":"09:30","close":"16:00","session_open":"0400","session_close":"2000",'
        b'"settlement_date":"2012-06-19"}]'
    )
    assert answer.headers["Content-Type"] == "application/json; charset=UTF-8"


async def test_trades_settle_three_weekdays_later(client: Client) -> None:
    rows = (await client("GET", "/v2/calendar?start=2012-06-11&end=2012-06-15")).json
    assert [(row["date"][-2:], row["settlement_date"][-2:]) for row in rows] == [
        ("11", "14"),
        ("12", "15"),
        ("13", "18"),
        ("14", "19"),
        ("15", "20"),
    ]


async def test_weekends_and_holidays_are_left_out(client: Client) -> None:
    assert await days(client, "?start=2012-06-30&end=2012-07-06") == [
        "2012-07-02",
        "2012-07-03",
        "2012-07-05",
        "2012-07-06",
    ]


async def test_without_dates_it_is_the_span_of_the_data(client: Client) -> None:
    found = await days(client, "")
    assert (len(found), found[0], found[-1]) == (543, "2011-01-03", "2013-03-01")
    assert (await days(client, "?start=2013-02-28")) == ["2013-02-28", "2013-03-01"]
    assert (await days(client, "?start=&end=2011-01-04")) == ["2011-01-03", "2011-01-04"]


async def test_outside_the_data_every_weekday_counts(client: Client) -> None:
    # July 4th of 2025 is a Friday; nothing here knows that it is a holiday.
    assert await days(client, "?start=2025-07-03&end=2025-07-07") == ["2025-07-03", "2025-07-04", "2025-07-07"]


async def test_a_span_across_an_end_of_the_data_is_whole(client: Client) -> None:
    assert await days(client, "?start=2010-12-30&end=2011-01-04") == [
        "2010-12-30",
        "2010-12-31",
        "2011-01-03",
        "2011-01-04",
    ]
    assert await days(client, "?start=2013-02-28&end=2013-03-05") == [
        "2013-02-28",
        "2013-03-01",
        "2013-03-04",
        "2013-03-05",
    ]


async def test_an_end_before_the_start_is_no_day(client: Client) -> None:
    assert await days(client, "?start=2012-06-15&end=2012-06-14") == []
    assert await days(client, "?start=2020-01-01") == []


async def test_of_a_time_only_the_date_counts(client: Client) -> None:
    query = "?start=2012-06-14T23:59:59Z&end=2012-06-15T00:00:00Z"
    assert await days(client, query) == ["2012-06-14", "2012-06-15"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("start=June", "invalid date June; write YYYY-MM-DD"),
        ("end=2012-02-30", "invalid date 2012-02-30; write YYYY-MM-DD"),
        ("start=1899-12-31", "invalid date 1899-12-31; write YYYY-MM-DD"),
        ("end=2101-01-01", "invalid date 2101-01-01; write YYYY-MM-DD"),
        (f"start={'9' * 40}", f"invalid date {'9' * 32}; write YYYY-MM-DD"),
        ("start=2000-01-01&end=2020-01-17", "the interval is longer than 20 years"),
    ],
)
async def test_refusals(client: Client, query: str, says: str) -> None:
    answer = await client("GET", f"/v2/calendar?{query}")
    assert (answer.status, answer.json) == (422, {"code": 40010001, "message": says})


async def test_twenty_years_and_the_outermost_dates_are_taken(client: Client) -> None:
    # 366 * 20 = 7,320 days lie between the two.
    assert (await days(client, "?start=2000-01-01&end=2020-01-16"))[0] == "2000-01-03"
    assert await days(client, "?start=1900-01-01&end=1900-01-02") == ["1900-01-01", "1900-01-02"]
    assert await days(client, "?start=2100-12-31&end=2100-12-31") == ["2100-12-31"]


async def test_a_sim_without_the_venue_has_no_calendar() -> None:
    running = await start(SimOptions(venues=("openai",)))
    answer = await ask(running.url, "GET", "/v2/calendar")
    await running.stop()
    assert answer.status == 404
