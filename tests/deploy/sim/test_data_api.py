"""Market data over HTTP: shapes, windows, pages."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

import pytest

from corpus.terms import instant
from deploy.sim.options import SimOptions
from deploy.sim.server import start

from .conftest import Client, ask

BARS = "/v2/stocks/bars?timeframe=1Day"


async def test_a_bar_row_is_complete_and_exact(client: Client) -> None:
    answer = await client("GET", f"{BARS}&symbols=AAPL&start=2012-06-14&end=2012-06-14")
    assert answer.raw == (
        b'{"bars":{"AAPL":[{"t":"2012-06-14T04:00:00Z","o":571.24,"h":573.5,"l":567.26,"c":571.53,"v":12341900,'
        b'"n":114276,"vw":570.7633}]},"next_page_token":null}'
    )
    assert answer.headers["Content-Type"] == "application/json; charset=UTF-8"


async def test_nothing_after_the_simulated_instant_is_served(client: Client) -> None:
    for query in ("&symbols=AAPL&start=2012-06-14", "&symbols=AAPL&start=2012-06-14&end=2013-03-01"):
        rows = (await client("GET", BARS + query)).json["bars"]["AAPL"]
        assert [row["t"][:10] for row in rows] == ["2012-06-14"]
    news = (await client("GET", "/v1beta1/news?limit=50&end=2013-01-01")).json["news"]
    assert len(news) == 25
    assert max(item["updated_at"] for item in news) == "2012-06-15T14:05:00Z"


async def test_a_later_sim_serves_the_later_text_under_its_old_date() -> None:
    running = await start(SimOptions(now=instant("2013-01-02T15:30:00Z") or 0))
    query = "/v1beta1/news?symbols=MSFT&start=2012-06-16&end=2012-06-30"
    (item,) = (await ask(running.url, "GET", query)).json["news"]
    await running.stop()
    assert (item["created_at"], item["updated_at"]) == ("2012-06-14T14:10:00Z", "2012-06-19T11:00:00Z")


async def pages(client: Client, path: str, key: str) -> tuple[int, list[Any]]:
    token, count, rows = "", 0, []
    while token is not None:
        answer = (await client("GET", path + (f"&page_token={token.replace('=', '%3D')}" if token else ""))).json
        found = answer[key]
        rows += found if isinstance(found, list) else [(s, row) for s, part in found.items() for row in part]
        token, count = answer["next_page_token"], count + 1
    return count, rows


@pytest.mark.parametrize("sort", ["asc", "desc"])
async def test_pages_put_together_are_the_whole(client: Client, sort: str) -> None:
    for path, key in (
        (f"{BARS}&symbols=MSFT,AAPL&start=2012-05-01&sort={sort}", "bars"),
        (f"/v2/stocks/AAPL/bars?timeframe=1Day&start=2012-05-01&sort={sort}", "bars"),
        (f"/v2/stocks/quotes?symbols=IBM,ZVTX&start=2012-05-01&sort={sort}", "quotes"),
        (f"/v2/stocks/IBM/trades?start=2012-05-01&sort={sort}", "trades"),
        (f"/v1beta1/news?sort={sort}", "news"),
    ):
        whole = await pages(client, f"{path}&limit=50" if key == "news" else path, key)
        parts = await pages(client, f"{path}&limit=7", key)
        assert whole[0] == 1
        assert parts == (-(-len(whole[1]) // 7), whole[1])


async def test_symbols_come_in_order_and_limit_counts_rows_of_all(client: Client) -> None:
    answer = (await client("GET", f"{BARS}&symbols=MSFT,AAPL,NOPE&start=2012-06-13&limit=3")).json
    assert {symbol: len(rows) for symbol, rows in answer["bars"].items()} == {"AAPL": 2, "MSFT": 1}
    assert answer["next_page_token"]


async def test_adjusted_prices_know_the_split_of_2014(client: Client) -> None:
    path = f"{BARS}&symbols=AAPL&start=2012-06-14"
    raw = (await client("GET", path)).json["bars"]["AAPL"][0]
    adjusted = (await client("GET", path + "&adjustment=all")).json["bars"]["AAPL"][0]
    assert (raw["c"], adjusted["c"]) == (571.53, 73.4496)


@pytest.mark.parametrize(
    ("frame", "rows"), [("1Day", 30), ("1D", 30), ("1Week", 7), ("1Month", 2), ("2M", 1), ("15Min", 0), ("1Hour", 0)]
)
async def test_timeframes(client: Client, frame: str, rows: int) -> None:
    answer = await client(
        "GET", f"/v2/stocks/AAPL/bars?timeframe={frame}&start=2012-04-30T04:00:00Z&end=2012-06-11T04:00:00Z"
    )
    assert len(answer.json["bars"] or []) == rows


async def test_a_week_is_the_sum_of_its_days(client: Client) -> None:
    window = "start=2012-06-04&end=2012-06-08"
    days = (await client("GET", f"/v2/stocks/IBM/bars?timeframe=1Day&{window}")).json["bars"]
    (week,) = (await client("GET", f"/v2/stocks/IBM/bars?timeframe=1Week&{window}")).json["bars"]
    assert week["t"] == days[0]["t"]
    assert (week["o"], week["c"]) == (days[0]["o"], days[-1]["c"])
    assert (week["h"], week["l"]) == (max(d["h"] for d in days), min(d["l"] for d in days))
    assert (week["v"], week["n"]) == (sum(d["v"] for d in days), sum(d["n"] for d in days))


async def test_latest_quote_trade_bar_and_snapshot_agree(client: Client) -> None:
    quote = (await client("GET", "/v2/stocks/ZVTX/quotes/latest")).json
    assert quote["symbol"] == "ZVTX"
    assert (D(str(quote["quote"]["bp"])), D(str(quote["quote"]["ap"]))) == (D("12.04"), D("12.06"))
    assert quote["quote"]["t"] == "2012-06-15T15:30:00Z"
    trade = (await client("GET", "/v2/stocks/ZVTX/trades/latest")).json["trade"]
    bar = (await client("GET", "/v2/stocks/bars/latest?symbols=ZVTX")).json["bars"]["ZVTX"]
    shot = (await client("GET", "/v2/stocks/ZVTX/snapshot")).json
    many = (await client("GET", "/v2/stocks/snapshots?symbols=ZVTX,NOPE")).json
    assert (trade["p"], bar["c"], shot["dailyBar"]["c"], shot["minuteBar"]["c"]) == (12.05,) * 4
    assert shot["latestQuote"] == quote["quote"]
    assert many == {"ZVTX": {key: value for key, value in shot.items() if key != "symbol"}}


async def test_after_hours_the_last_quote_is_that_of_the_close() -> None:
    running = await start(SimOptions(now=instant("2012-06-17T12:00:00Z") or 0))
    quote = (await ask(running.url, "GET", "/v2/stocks/AAPL/quotes/latest")).json["quote"]
    clock = (await ask(running.url, "GET", "/v2/clock")).json
    await running.stop()
    assert (quote["t"], quote["ap"]) == ("2012-06-15T20:00:00Z", 574.14)
    assert clock == {
        "timestamp": "2012-06-17T08:00:00-04:00",
        "is_open": False,
        "next_open": "2012-06-18T09:30:00-04:00",
        "next_close": "2012-06-18T16:00:00-04:00",
    }


async def test_news_content_comes_only_when_asked_for(client: Client) -> None:
    path = "/v1beta1/news?symbols=ZVTX&limit=1"
    short, full = (
        (await client("GET", path)).json["news"][0],
        (await client("GET", path + "&include_content=true")).json["news"][0],
    )
    assert short == full | {"content": ""}
    assert full["content"].startswith("<p>Slides will be posted")
    assert list(full) == [
        "author", "content", "created_at", "headline", "id", "images", "source", "summary", "symbols", "updated_at", "url",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        (BARS, 400, "symbols is required"),
        ("/v2/stocks/bars?symbols=AAPL", 400, "timeframe is required"),
        ("/v2/stocks/bars?symbols=AAPL&timeframe=9Day", 400, "invalid timeframe: 9Day"),
        (f"{BARS}&symbols=AAPL&start=June", 400, "invalid start"),
        (f"{BARS}&symbols=AAPL&start=2012-13-01", 400, "invalid start"),
        (f"{BARS}&symbols=AAPL&start=2012-06-14&end=2012-06-01", 400, "end should not be before start"),
        (f"{BARS}&symbols=AAPL&limit=0", 400, "invalid limit: must be between 1 and 10000"),
        (f"{BARS}&symbols=AAPL&limit=NaN", 400, "invalid limit"),
        (f"{BARS}&symbols=AAPL&sort=up", 400, "invalid sort: must be one of asc, desc"),
        (f"{BARS}&symbols=AAPL&adjustment=split", 400, "invalid adjustment: must be one of raw, all"),
        (f"{BARS}&symbols=AAPL&page_token=%00", 400, "invalid page_token"),
        ("/v1beta1/news?limit=51", 400, "invalid limit: must be between 1 and 50"),
        ("/v2/stocks/NOPE/quotes/latest", 404, "no quote found for NOPE"),
        ("/v2/stocks/NOPE/snapshot", 404, "no snapshot found for NOPE"),
        ("/v2/stocks/nothing/here/at/all", 404, "endpoint not found."),
    ],
)
async def test_a_bad_request_says_why(client: Client, path: str, status: int, says: str) -> None:
    answer = await client("GET", path)
    assert answer.status == status
    assert says in answer.json["message"]
