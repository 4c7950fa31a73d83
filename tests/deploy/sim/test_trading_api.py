"""Trading over HTTP: what is accepted, what is refused and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus.terms import instant
from deploy.sim.options import SimOptions
from deploy.sim.server import RunningSim, start

from .conftest import Client, ask

ORDER = {"symbol": "AAPL", "side": "buy", "type": "market", "time_in_force": "day", "qty": "1"}


async def test_an_acknowledgement_comes_before_the_fill(client: Client) -> None:
    ack = (await client("POST", "/v2/orders", ORDER | {"client_order_id": "mine"})).json
    assert (ack["status"], ack["filled_qty"], ack["filled_at"]) == ("pending_new", "0", None)
    assert ack["created_at"] == "2012-06-15T15:30:00.0006Z"
    filled = (await client("GET", "/v2/orders:by_client_order_id?client_order_id=mine")).json
    assert (filled["id"], filled["status"], filled["filled_avg_price"]) == (ack["id"], "filled", "571.54")
    assert filled["filled_at"] == "2012-06-15T15:30:00.001Z"


async def test_cash_and_buying_power_move_by_the_fill(client: Client) -> None:
    await client.order("AAPL", "buy", "100")
    account = (await client("GET", "/v2/account")).json
    # 100 at the ask of 571.54 = 57,154; worth 57,153 at the last price. (99,999 − 28,576.50) × 2.
    assert (account["cash"], account["equity"], account["buying_power"]) == ("42846", "99999", "142845")
    assert (account["long_market_value"], account["initial_margin"]) == ("57153", "28576.5")


async def test_a_working_order_reserves_what_it_would_cost(client: Client) -> None:
    await client.order("AAPL", "buy", "100", "limit", limit_price="500")
    assert (await client("GET", "/v2/account")).json["buying_power"] == "150000"
    refused = await client("POST", "/v2/orders", ORDER | {"type": "limit", "qty": 301, "limit_price": 500})
    assert (refused.status, refused.json["cost_basis"]) == (403, "150500")


async def test_json_numbers_and_strings_are_the_same_order(client: Client) -> None:
    text = await client.order("IBM", "buy", "2", "limit", limit_price="150.10")
    number = (await client("POST", "/v2/orders", b'{"symbol":"IBM","side":"buy","type":"limit","time_in_force":"day",'
        b'"qty":2.0,"limit_price":150.10}')).json  # fmt: skip
    assert (number["qty"], number["limit_price"]) == (text["qty"], text["limit_price"]) == ("2", "150.1")


async def test_a_short_sale_and_its_cover(client: Client) -> None:
    sold = await client.order("IBM", "sell", "4")
    assert (sold["filled_avg_price"], sold["position_intent"]) == ("195.09", "sell_to_open")
    position = (await client("GET", "/v2/positions/IBM")).json
    assert (position["qty"], position["side"], position["unrealized_pl"]) == ("-4", "short", "-0.04")
    refused = await client("POST", "/v2/orders", ORDER | {"symbol": "IBM", "qty": "5"})
    assert (refused.status, refused.json["available"]) == (403, "4")
    await client("DELETE", "/v2/positions/IBM?percentage=60")
    assert (await client("GET", "/v2/positions/IBM")).json["qty"] == "-2"
    fraction = await client("POST", "/v2/orders", ORDER | {"symbol": "MSFT", "side": "sell", "qty": "0.5"})
    assert (fraction.status, fraction.json["message"]) == (403, "fractional orders cannot be sold short")


async def test_a_notional_buys_fractions_at_the_ask(client: Client) -> None:
    body = {key: value for key, value in ORDER.items() if key != "qty"} | {"notional": "100"}
    placed = (await client("POST", "/v2/orders", body)).json
    filled = (await client("GET", f"/v2/orders/{placed['id']}")).json
    assert (filled["qty"], filled["notional"], filled["filled_qty"]) == (None, "100", "0.174965881")


async def test_bracket_exits_hold_the_shares_once_and_end_together(client: Client) -> None:
    exits = {"take_profit": {"limit_price": "600"}, "stop_loss": {"stop_price": "500", "limit_price": "499"}}
    bracket = await client.order("AAPL", "buy", "10", order_class="bracket", **exits)
    assert [(leg["type"], leg["status"]) for leg in bracket["legs"]] == [("limit", "new"), ("stop_limit", "new")]
    assert (await client("GET", "/v2/positions/AAPL")).json["qty_available"] == "0"
    assert (await client("DELETE", f"/v2/orders/{bracket['legs'][0]['id']}")).status == 204
    after = (await client("GET", f"/v2/orders/{bracket['id']}?nested=true")).json
    assert [leg["status"] for leg in after["legs"]] == ["canceled", "canceled"]


async def test_a_bracket_whose_target_is_reached_cancels_its_stop(client: Client) -> None:
    exits = {"take_profit": {"limit_price": "571.52"}, "stop_loss": {"stop_price": "500"}}
    bracket = await client.order("AAPL", "buy", "10", order_class="bracket", **exits)
    assert [(leg["status"], leg["filled_avg_price"]) for leg in bracket["legs"]] == [
        ("filled", "571.52"),
        ("canceled", None),
    ]
    assert (await client("GET", "/v2/positions")).json == []


async def test_oco_is_a_limit_with_a_stop_beside_it(client: Client) -> None:
    await client.order("AAPL", "buy", "10")
    exits = {"take_profit": {"limit_price": "600"}, "stop_loss": {"stop_price": "500"}}
    oco = await client.order("AAPL", "sell", "10", "limit", order_class="oco", **exits)
    assert (oco["limit_price"], [(leg["type"], leg["side"], leg["status"]) for leg in oco["legs"]]) == (
        "600",
        [("stop", "sell", "new")],
    )
    assert (await client("DELETE", "/v2/orders")).json == [
        {"id": x, "status": 200} for x in (oco["id"], oco["legs"][0]["id"])
    ]


async def test_immediate_orders_do_not_rest(client: Client) -> None:
    for tif in ("ioc", "fok"):
        missed = await client.order("AAPL", "buy", "1", "limit", limit_price="500", time_in_force=tif)
        assert missed["status"] == "canceled"
        assert (await client.order("AAPL", "buy", "1", time_in_force=tif))["status"] == "filled"


async def test_lists_filter_by_status_symbol_and_time(client: Client) -> None:
    await client.order("AAPL", "buy", "1")
    resting = await client.order("IBM", "buy", "1", "limit", limit_price="100")
    listed = {path: [o["symbol"] for o in (await client("GET", f"/v2/orders{path}")).json] for path in (
        "", "?status=closed", "?status=all", "?status=all&direction=asc", "?status=all&symbols=AAPL", "?side=sell",
        "?status=all&limit=1", f"?status=all&after={resting['created_at']}", f"?status=all&until={resting['created_at']}",
    )}  # fmt: skip
    assert list(listed.values()) == [
        ["IBM"],
        ["AAPL"],
        ["IBM", "AAPL"],
        ["AAPL", "IBM"],
        ["AAPL"],
        [],
        ["IBM"],
        [],
        ["AAPL"],
    ]


async def test_outside_a_session_orders_wait_for_the_open() -> None:
    running = await start(SimOptions(now=instant("2012-06-17T12:00:00Z") or 0))
    client = Client(running)
    waiting = await client.order("AAPL", "buy", "1")
    assert (waiting["status"], waiting["expires_at"]) == ("accepted", "2012-06-18T20:00:00Z")
    running.advance(86_400 + 4 * 3600)
    assert (await client("GET", f"/v2/orders/{waiting['id']}")).json["filled_avg_price"] == "574.14"
    await running.stop()


@pytest.mark.parametrize(
    ("change", "status", "code", "says"),
    [
        ({"symbol": None}, 422, 40010001, "symbol is required"),
        ({"symbol": "NOPE"}, 422, 42210000, 'asset "NOPE" not found'),
        ({"side": None}, 422, 40010001, "side is required"),
        ({"side": "up"}, 422, 40010001, "invalid side"),
        ({"side": ["buy"]}, 422, 40010001, "invalid side"),
        ({"type": "peg"}, 422, 40010001, "invalid type"),
        ({"time_in_force": "gtd"}, 422, 40010001, "invalid time_in_force"),
        ({"qty": None}, 422, 40010001, "qty or notional is required"),
        ({"qty": "0"}, 422, 40010001, "qty must be a number > 0"),
        ({"qty": "-1"}, 422, 40010001, "qty must be a number > 0"),
        ({"qty": "NaN"}, 422, 40010001, "qty must be a number > 0"),
        ({"qty": True}, 422, 40010001, "qty must be a number > 0"),
        ({"qty": "1e400"}, 422, 40010001, "qty must be a number > 0"),
        ({"qty": "0.0000000001"}, 422, 42210000, "qty can have at most 9 decimal places"),
        ({"qty": "1.5", "time_in_force": "gtc"}, 422, 42210000, "fractional orders must be DAY orders"),
        ({"notional": "5"}, 422, 40010001, "only one of qty or notional is accepted"),
        ({"qty": None, "notional": "5", "type": "limit", "limit_price": "5"}, 422, 42210000, "notional orders must be"),
        ({"type": "limit"}, 422, 40010001, "limit orders require limit_price"),
        ({"limit_price": "5"}, 422, 40010001, "market orders must not have limit_price"),
        ({"type": "stop"}, 422, 40010001, "stop orders require stop_price"),
        ({"type": "trailing_stop"}, 422, 40010001, "trailing_stop orders require one of trail_price"),
        ({"type": "limit", "limit_price": "5.001"}, 422, 42210000, "invalid limit_price 5.001. sub-penny"),
        ({"order_class": "bracket"}, 422, 40010001, "bracket orders require take_profit and stop_loss"),
        ({"order_class": "mleg"}, 422, 42210000, "multi-leg orders are not supported"),
        ({"take_profit": {"limit_price": "5"}}, 422, 40010001, "require an order_class"),
        ({"order_class": "oto", "stop_loss": {}}, 422, 40010001, "stop_loss.stop_price is required"),
        ({"order_class": "oto", "stop_loss": 5}, 422, 40010001, "stop_loss must be an object"),
        ({"client_order_id": "x" * 129}, 422, 40010001, "client_order_id must be no more than 128"),
        ({"client_order_id": 5}, 422, 40010001, "invalid client_order_id"),
        ({"qty": "1000"}, 403, 40310000, "insufficient buying power"),
    ],
)
async def test_refusals(client: Client, change: dict[str, Any], status: int, code: int, says: str) -> None:
    body = {key: value for key, value in (ORDER | change).items() if value is not None}
    answer = await client("POST", "/v2/orders", body)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert says in answer.json["message"]
    assert (await client("GET", "/v2/orders?status=all")).json == []
    # Refused or not, the broker received it.
    assert [json.loads(raw) for _, _, raw in client.sim.orders_received] == [body]


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b'{"qty":NaN}', b"\xff", b"[" * 50_000, b'{"a":1}x'])
async def test_what_is_no_json_object_is_refused(client: Client, raw: bytes) -> None:
    answer = await client("POST", "/v2/orders", raw)
    assert (answer.status, answer.json["code"]) == (400, 40010000)


async def test_a_client_order_id_is_taken_once(client: Client) -> None:
    first = await client("POST", "/v2/orders", ORDER | {"client_order_id": "a"})
    second = await client("POST", "/v2/orders", ORDER | {"client_order_id": "a"})
    assert (first.status, second.status, second.json["message"]) == (200, 422, "client_order_id must be unique")


async def test_replacing(client: Client) -> None:
    resting = await client.order("AAPL", "buy", "2", "limit", limit_price="500", client_order_id="one")
    path = f"/v2/orders/{resting['id']}"
    for change, says in (
        ({"stop_price": "5"}, "limit orders must not have stop_price"),
        ({"client_order_id": "one"}, "client_order_id must be unique"),
        ({"qty": "100000"}, "insufficient buying power"),
        ({"time_in_force": "x"}, "invalid time_in_force"),
    ):
        refused = await client("PATCH", path, change)
        assert says in refused.json["message"]
    crossing = await client("PATCH", path, {"limit_price": "572", "client_order_id": "two"})
    filled = (await client("GET", "/v2/orders:by_client_order_id?client_order_id=two")).json
    assert (crossing.status, filled["status"], filled["replaces"]) == (200, "filled", resting["id"])
    assert (await client("GET", path)).json["replaced_by"] == filled["id"]
    again = await client("PATCH", path, {"qty": "3"})
    assert (again.status, again.json["message"]) == (422, "cannot replace order in replaced state")
    assert (await client("GET", "/v2/positions/AAPL")).json["qty"] == "2"


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("GET", "/v2/orders/nope", 404, "order not found for nope"),
        ("DELETE", "/v2/orders/nope", 404, "order not found for nope"),
        ("GET", "/v2/orders:by_client_order_id", 404, "order not found"),
        ("GET", "/v2/positions/AAPL", 404, "position does not exist"),
        ("DELETE", "/v2/positions/AAPL", 404, "position does not exist"),
        ("GET", "/v2/assets/NOPE", 404, "asset not found for NOPE"),
        ("GET", "/v2/calendar?start=June", 422, "invalid date June"),
        ("GET", "/v2/calendar?start=9999-12-31&end=9999-12-31", 422, "invalid date"),
        ("GET", "/v2/calendar?start=1950-01-01&end=2050-01-01", 422, "longer than 20 years"),
        ("GET", "/v2/orders?limit=501", 400, "invalid limit"),
        ("POST", "/v2/account", 405, "method not allowed"),
        ("GET", "/v2/watchlists", 404, "endpoint not found"),
        ("GET", "/", 404, "endpoint not found"),
    ],
)
async def test_reads_that_fail_say_why(client: Client, method: str, path: str, status: int, says: str) -> None:
    answer = await client(method, path)
    assert (answer.status, says in answer.json["message"]) == (status, True)


async def test_closing_takes_a_quantity_or_a_share_and_not_both(client: Client) -> None:
    await client.order("AAPL", "buy", "10")
    for query, says in (
        ("qty=1&percentage=5", "only one of qty or percentage"),
        ("percentage=101", "percentage must be at most 100"),
        ("qty=11", "insufficient qty available for order (requested: 11, available: 10)"),
        ("qty=x", "qty must be a number > 0"),
    ):
        assert says in (await client("DELETE", f"/v2/positions/AAPL?{query}")).json["message"]
    await client("DELETE", "/v2/positions/AAPL?qty=3")
    assert (await client("GET", "/v2/positions/AAPL")).json["qty"] == "7"


async def test_closing_all_reports_what_working_orders_hold(client: Client) -> None:
    await client.order("AAPL", "buy", "10")
    await client.order("AAPL", "sell", "4", "limit", limit_price="900")
    (held,) = (await client("DELETE", "/v2/positions")).json
    assert (held["status"], held["body"]["held_for_orders"]) == (403, "4")
    (closed,) = (await client("DELETE", "/v2/positions?cancel_orders=true")).json
    assert (closed["status"], closed["body"]["side"]) == (200, "sell")


async def test_reset_forgets_everything(sim: RunningSim, client: Client) -> None:
    await client.order("AAPL", "buy", "10")
    sim.reset()
    assert sim.orders_received == []
    assert (await ask(sim.url, "GET", "/v2/orders?status=all")).json == []
    assert (await ask(sim.url, "GET", "/v2/account")).json["cash"] == "100000"
