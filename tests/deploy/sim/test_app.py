"""No request breaks the sim: whatever comes, the answer is a venue's JSON and never a 5xx."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deploy.sim.options import Handler, SimOptions
from deploy.sim.server import start
from deploy.sim.wire import MAX_BODY

from .conftest import Answer, Client, ask

ENDPOINTS = [
    ("POST", "/v2/orders"),
    ("PATCH", "/v2/orders/x"),
    ("DELETE", "/v2/positions/AAPL"),
    ("POST", "/v1/chat/completions"),
]
FIELDS = (
    "symbol side type time_in_force qty notional limit_price stop_price trail_price trail_percent order_class take_profit"
    " stop_loss client_order_id extended_hours model messages tools tool_choice stream stream_options role content"
    " tool_calls function name arguments id tool_call_id parameters properties"
).split()
WORDS = [
    "AAPL",
    "buy",
    "sell",
    "market",
    "limit",
    "day",
    "gtc",
    "1",
    "1e99",
    "NaN",
    "-0",
    "bracket",
    "oco",
    "user",
    "tool",
    "assistant",
]
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=12,
)
order = st.fixed_dictionaries(
    {"symbol": st.just("AAPL"), "side": st.sampled_from(["buy", "sell"]), "time_in_force": st.just("day")},
    optional={
        "type": st.sampled_from(["market", "limit", "stop", "stop_limit", "trailing_stop"]),
        **{name: scalars | st.decimals("0.0001", "1000", places=4).map(str) for name in FIELDS[4:10]},
        "order_class": st.sampled_from(["", "bracket", "oco", "oto"]),
        "take_profit": values,
        "stop_loss": values,
    },
)
message = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": values},
    optional={"tool_calls": values, "tool_call_id": scalars},
)
chat = st.fixed_dictionaries(
    {"model": st.just("sim-gullible"), "messages": st.lists(message, min_size=1, max_size=4)},
    optional={"tools": values, "stream": st.booleans(), "stream_options": values},
)
bodies = st.binary(max_size=60) | (values | order | chat).map(lambda value: json.dumps(value).encode())
requests = st.lists(st.tuples(st.sampled_from(ENDPOINTS), bodies), min_size=1, max_size=5)
hard = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def check(answer: Answer) -> None:
    assert answer.status < 500, answer.raw
    if answer.status == 204 or answer.headers.get("Content-Type", "").startswith("text/event-stream"):
        return
    found = answer.json
    if answer.status >= 400:
        assert isinstance(found.get("error", {}).get("message", found.get("message")), str)


@hard
@given(requests)
async def test_no_body_breaks_it(sent: list[tuple[tuple[str, str], bytes]]) -> None:
    running = await start(SimOptions())
    try:
        for (method, path), body in sent:
            check(await ask(running.url, method, path, body))
        check(await ask(running.url, "GET", "/v2/account"))
        check(await ask(running.url, "GET", "/v2/orders?status=all&nested=true"))
    finally:
        await running.stop()


QUERIED = [
    ("GET", "/v2/stocks/bars", "symbols timeframe start end limit sort page_token adjustment"),
    ("GET", "/v1beta1/news", "symbols start end limit sort page_token include_content"),
    ("GET", "/v2/orders", "status limit after until direction symbols nested side"),
    ("GET", "/v2/calendar", "start end"),
    ("DELETE", "/v2/positions/AAPL", "qty percentage"),
]
said = st.text(max_size=12) | st.sampled_from(
    ["AAPL", "1Day", "2012-06-01", "0001-01-01", "9999-12-31T23:59:59Z", "QUFQTHwx"]
)


@hard
@given(st.data())
async def test_no_query_breaks_it(data: st.DataObject) -> None:
    method, path, names = data.draw(st.sampled_from(QUERIED))
    query = data.draw(st.dictionaries(st.sampled_from(names.split()), said, max_size=6))
    running = await start(SimOptions())
    try:
        await Client(running).order("AAPL", "buy", "5")
        text = "&".join(f"{name}={quote(value)}" for name, value in query.items())
        check(await ask(running.url, method, f"{path}?{text}"))
    finally:
        await running.stop()


@pytest.mark.parametrize("path", ["/v2/orders", "/v1/chat/completions"])
async def test_an_oversized_body_is_refused_in_json(client: Client, path: str) -> None:
    answer = await client("POST", path, b" " * (MAX_BODY + 1))
    assert answer.status == 413
    check(answer)


@pytest.mark.parametrize("path", ["/%00", "/v2/orders/%ff", "/v2/positions/%2e%2e", "/v2/stocks/%F0%9F%92%A9/snapshot"])
async def test_odd_paths_are_not_found(client: Client, path: str) -> None:
    answer = await client("GET", path)
    assert answer.status == 404
    check(answer)


async def test_a_hook_may_answer_wait_or_hand_on() -> None:
    async def slow_and_broken(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path == "/v2/clock":
            return web.json_response({"message": "too many requests"}, status=429)
        await asyncio.sleep(0)
        return await handler(request)

    running = await start(SimOptions(hooks=(slow_and_broken,)))
    clock, account = await ask(running.url, "GET", "/v2/clock"), await ask(running.url, "GET", "/v2/account")
    await running.stop()
    assert (clock.status, account.status) == (429, 200)


async def test_the_host_header_decides_nothing(client: Client) -> None:
    for host in ("paper-api.alpaca.markets", "api.openai.com"):
        found: Any = (await client("GET", "/v2/clock", Host=host)).json
        assert found["timestamp"] == "2012-06-15T11:30:00-04:00"
