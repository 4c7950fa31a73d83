"""A sim as users meet it: real SDKs, determinism, a fresh start."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from deploy.sim.options import SimOptions
from deploy.sim.server import RunningSim, start

from .conftest import Answer, Client, ask, run_script

HERE = Path(__file__).parent


async def test_alpaca_py_lives_a_full_life(sim: RunningSim, sdk_python: str) -> None:
    code, out, err = await run_script(sdk_python, HERE / "clients" / "alpaca_life.py", sim.url)
    assert code == 0, err
    assert json.loads(out) == {
        "start": ["100000", "200000", "ACTIVE"],
        "clock": True,
        "market": ["pending_new", "filled", "10", "571.54"],
        "limit": ["new", "20.5", True],
        "replace": ["6", "21", True, "replaced"],
        "open": [True],
        "cancel": "canceled",
        "cancel again": [422, 42210000, 'order is already in "canceled" state'],
        "trailing": "5",
        "available": "7",
        "cancel all": [200, 200],
        "bracket": ["filled", [["limit", "sell", "new"], ["stop", "sell", "new"]]],
        "positions": {"AAPL": ["10", "long", "571.54", "10"], "IBM": ["3", "long", "195.11", "0"]},
        "half": ["5", "5"],
        "close all": [["AAPL", 200], ["IBM", 200]],
        "flat": [],
        "no position": [404, 40410000, "position does not exist"],
        "too dear": [403, 40310000, "insufficient buying power"],
        "notional": "100",
        "assets": ["AAPL", "GOOG", "IBM", "MSFT", "ZVTX"],
        "asset": ["NYSE", True, "IBM"],
        "calendar": ["2012-06-14", "2012-06-15", "2012-06-18"],
        "configuration": False,
        "bars": {"AAPL": 9},
        "bar": ["2012-06-14T04:00:00+00:00", 571.24, 573.5, 567.26, 571.53, 12341900],
        "quote": [571.52, 571.54],
        "trade": 571.53,
        "latest bar": 571.53,
        "snapshot": [571.53, 572.16],
        "quotes": 10,
        "trades": 10,
        "news": ["Apple suppliers see steady orders for the autumn", True, 9],
    }
    # What the broker received is what the SDK sent, in order.
    assert sim.orders_received[0][:2] == ("POST", "/v2/orders")
    assert json.loads(sim.orders_received[0][2])["symbol"] == "AAPL"
    assert ("DELETE", "/v2/positions/AAPL?percentage=50", b"") in sim.orders_received


async def test_openai_sdk_reads_answers_and_streams(sim: RunningSim, sdk_python: str) -> None:
    script = HERE / "clients" / "openai_chat.py"
    code, out, err = await run_script(sdk_python, script, sim.url, "sk-sim-guarded")
    assert code == 0, err
    call = ["tool_calls", "submit_order", {"symbol": "AAPL", "side": "BUY", "quantity": "5"}]
    assert json.loads(out) == {
        "whole": call,
        "usage": True,
        "stream": [*call, 1, True],
        "end": ["stop", "AAPL: buy 5 as instructed."],
        "end streamed": "AAPL: buy 5 as instructed.",
        "models": ["gpt-4o-mini", "sim-guarded", "sim-gullible"],
        "model": "gpt-4o-mini",
        "no model": "model_not_found",
    }


SCRIPT: list[tuple[str, str, Any]] = [
    ("GET", "/v2/account", None),
    ("POST", "/v2/orders", {"symbol": "AAPL", "qty": 3, "side": "buy", "type": "market", "time_in_force": "day"}),
    ("POST", "/v2/orders", b"{"),
    ("POST", "/v2/orders", {"symbol": "X", "qty": 3, "side": "buy", "type": "market", "time_in_force": "day"}),
    ("GET", "/v2/orders?status=all", None),
    ("GET", "/v2/positions", None),
    ("DELETE", "/v2/positions", None),
    ("GET", "/v2/stocks/bars?symbols=AAPL,IBM&timeframe=1Day&start=2012-01-01&limit=50", None),
    ("GET", "/v2/stocks/snapshots?symbols=ZVTX,MSFT", None),
    ("GET", "/v1beta1/news?include_content=true", None),
    ("POST", "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}),
    ("POST", "/v1/chat/completions", {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}),
    ("GET", "/v2/nothing", None),
    ("GET", "/v2/account", None),
]


async def run(url: str) -> list[Answer]:
    answers = [await ask(url, *step) for step in SCRIPT]
    return [Answer(answer.status, answer.raw, {}) for answer in answers]


async def test_two_fresh_sims_answer_byte_for_byte_alike_and_a_seed_changes_ids() -> None:
    one, two, other = await start(SimOptions()), await start(SimOptions()), await start(SimOptions(seed=2))
    first, second, third = await run(one.url), await run(two.url), await run(other.url)
    one.reset()
    again = await run(one.url)
    for running in (one, two, other):
        await running.stop()
    assert first == second
    assert first == again
    assert first[1].json["id"] != third[1].json["id"]


async def test_a_fresh_sim_is_cheap() -> None:
    await (await start(SimOptions())).stop()
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        running = await start(SimOptions())
        took.append(time.perf_counter() - begun)
        await running.stop()
    assert min(took) < 0.02


async def test_time_passes_only_when_told(sim: RunningSim, client: Client) -> None:
    """A limit below the market fills when a later session closes below it; a day order expires first."""
    gtc = await client.order("AAPL", "buy", "1", "limit", limit_price="571", time_in_force="gtc")
    day = await client.order("AAPL", "sell", "1", "stop", stop_price="400")
    assert (gtc["status"], day["status"]) == ("new", "new")
    sim.advance(7 * 3600)
    assert (await client("GET", f"/v2/orders/{day['id']}")).json["status"] == "expired"
    # AAPL closes at 585.74 on the 20th and at 570.765 on the 25th: half a cent is a tie, and goes to the even cent.
    sim.advance(7 * 86_400 - 7 * 3600)
    assert (await client("GET", f"/v2/orders/{gtc['id']}")).json["status"] == "new"
    sim.advance(4 * 86_400)
    filled = (await client("GET", f"/v2/orders/{gtc['id']}")).json
    assert (filled["status"], filled["filled_avg_price"]) == ("filled", "570.78")
    assert filled["filled_at"].startswith("2012-06-26T15:30:00")


@pytest.mark.parametrize("venues", [("alpaca",), ("openai",)])
async def test_only_the_venues_asked_for_are_spoken(venues: tuple[str, ...]) -> None:
    running = await start(SimOptions(venues=venues))
    account = await ask(running.url, "GET", "/v2/account")
    models = await ask(running.url, "GET", "/v1/models")
    await running.stop()
    assert (account.status, models.status) == ((200, 404) if venues == ("alpaca",) else (404, 200))


def test_an_unknown_venue_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown venue nyse; the sim speaks alpaca, openai"):
        SimOptions(venues=("nyse",))


@pytest.mark.parametrize("now", [-1, 4_102_444_800_000_000_000])
def test_an_instant_that_no_calendar_holds_is_refused(now: int) -> None:
    with pytest.raises(ValueError, match="now must lie between 1970 and 2100"):
        SimOptions(now=now)


@pytest.mark.parametrize("venues", [("alpaca", "openai"), ("openai",)])
async def test_reset_from_outside(venues: tuple[str, ...]) -> None:
    """Back to the start, on the same port, whatever is spoken; other paths below it are not there."""
    running = await start(SimOptions(venues=venues))
    try:
        order = {"symbol": "AAPL", "side": "buy", "type": "market", "qty": "1", "time_in_force": "day"}
        order["client_order_id"] = "c"
        spoken = 200 if "alpaca" in venues else 404
        for _ in range(2):
            assert spoken == (await ask(running.url, "POST", "/v2/orders", order)).status
            assert spoken == 404 or running.state.account.orders
            answer = await ask(running.url, "POST", "/sim/reset")
            assert (204, b"") == (answer.status, answer.raw)
            assert ({}, []) == (running.state.account.orders, running.orders_received)
        assert [404, 405] == [
            (await ask(running.url, method, path)).status
            for method, path in (("POST", "/sim/other"), ("GET", "/sim/reset"))
        ]
    finally:
        await running.stop()
