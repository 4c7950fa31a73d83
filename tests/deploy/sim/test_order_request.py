"""Order bodies by themselves: what values come out, and which refusal."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

import pytest

from corpus.terms import OrderType, Side, TimeInForce
from deploy.sim import order_request
from deploy.sim.order_request import LegRequest, OrderRequest, Replacement, read, read_replacement
from deploy.sim.wire import Refused
from proxy.broker.replies import Reply

ORDER = {"symbol": "AAPL", "side": "buy", "type": "market", "time_in_force": "day", "qty": "1"}
EXITS = {"take_profit": {"limit_price": "600"}, "stop_loss": {"stop_price": "500"}}


def body(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in (ORDER | fields).items() if value is not None}


def refused(status: int, code: int, message: str) -> Reply:
    return Reply(status, {"code": code, "message": message})


def test_the_least_that_an_order_is() -> None:
    assert read(ORDER) == OrderRequest(
        symbol="AAPL",
        side=Side.BUY,
        type=OrderType.MARKET,
        tif=TimeInForce.DAY,
        quantity=D(1),
        notional=None,
        limit_price=None,
        stop_price=None,
        trail_price=None,
        trail_percent=None,
        client_order_id=None,
        extended_hours=False,
        order_class="",
        take_profit=None,
        stop_loss=None,
    )


def test_all_that_an_order_may_be() -> None:
    found = read(
        body(
            symbol=" AAPL ",
            side="sell",
            type="stop_limit",
            time_in_force="gtc",
            qty=D("2.0"),
            limit_price="499.99",
            stop_price=500,
            client_order_id="x" * 128,
            extended_hours=True,
            order_class="bracket",
            take_profit={"limit_price": "450", "stop_price": "1"},
            stop_loss={"stop_price": "550", "limit_price": "551"},
        )
    )
    assert (found.symbol, found.side, found.type, found.tif) == (
        "AAPL",
        Side.SELL,
        OrderType.STOP_LIMIT,
        TimeInForce.GTC,
    )
    assert (found.quantity, found.limit_price, found.stop_price) == (D(2), D("499.99"), D(500))
    assert (found.client_order_id, found.extended_hours, found.order_class) == ("x" * 128, True, "bracket")
    # A take-profit is a limit, whatever else it says.
    assert found.take_profit == LegRequest(limit_price=D(450), stop_price=None)
    assert found.stop_loss == LegRequest(limit_price=D(551), stop_price=D(550))


def test_what_means_nothing_is_nothing() -> None:
    found = read(body(client_order_id="", order_class="simple", extended_hours="true", legs=[1]))
    assert (found.client_order_id, found.order_class, found.extended_hours) == (None, "", False)


@pytest.mark.parametrize(("name", "given"), [("trail_price", "1.50"), ("trail_percent", "0.125")])
def test_a_trailing_stop_trails_by_one_of_two(name: str, given: str) -> None:
    found = read(body(type="trailing_stop", **{name: given}))
    assert getattr(found, name) == D(given)
    with pytest.raises(Refused) as caught:
        read(body(type="trailing_stop", trail_price="1", trail_percent="1"))
    assert caught.value.reply == refused(
        422, 40010001, "trailing_stop orders require one of trail_price or trail_percent"
    )


def test_an_oco_takes_its_limit_from_the_take_profit() -> None:
    assert read(body(side="sell", type="limit", order_class="oco", **EXITS)).limit_price == D(600)
    assert read(body(side="sell", type="limit", order_class="oco", limit_price="610", **EXITS)).limit_price == D(610)


@pytest.mark.parametrize("given", ["0.000000001", "999999999999", 1, D("1E+3"), " 5 ", "0.5"])
def test_quantities(given: Any) -> None:
    expected = D(given.strip()) if isinstance(given, str) else D(given)
    assert order_request.amount({"qty": given}, "qty") == expected
    assert order_request.amount({}, "qty") is None


@pytest.mark.parametrize(
    ("given", "reply"),
    [
        ("0.0000000015", refused(422, 42210000, "qty can have at most 9 decimal places")),
        ("1000000000000", refused(422, 40010001, "qty must be a number > 0")),
        ("1e-11", refused(422, 40010001, "qty must be a number > 0")),
        ("-0", refused(422, 40010001, "qty must be a number > 0")),
        ("", refused(422, 40010001, "qty must be a number > 0")),
        (1.5, refused(422, 40010001, "qty must be a number > 0")),
        (D("Infinity"), refused(422, 40010001, "qty must be a number > 0")),
        ([1], refused(422, 40010001, "qty must be a number > 0")),
    ],
)
def test_what_is_no_quantity(given: Any, reply: Reply) -> None:
    with pytest.raises(Refused) as caught:
        order_request.amount({"qty": given}, "qty")
    assert caught.value.reply == reply


@pytest.mark.parametrize(("given", "taken"), [
    ("1", True), ("1.01", True), ("1.010", True), ("1.001", False),
    ("0.9999", True), ("0.0001", True), ("0.99999", False), ("0.00001", False),
])  # fmt: skip
def test_prices_are_whole_cents_from_a_dollar_up(given: str, taken: bool) -> None:
    if taken:
        assert order_request.price({"limit_price": given}, "limit_price") == D(given)
        return
    with pytest.raises(Refused) as caught:
        order_request.price({"limit_price": given}, "limit_price")
    assert caught.value.reply == refused(
        422,
        42210000,
        f"invalid limit_price {given}. sub-penny increment does not fulfill minimum pricing criteria",
    )


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"symbol": "  "}, 40010001, "symbol is required"),
        ({"side": "BUY"}, 40010001, "invalid side"),
        ({"order_class": "pair"}, 40010001, "invalid order_class"),
        ({"order_class": ["oco"]}, 40010001, "invalid order_class"),
        ({"type": "stop_limit", "stop_price": "5"}, 40010001, "stop_limit orders require limit_price"),
        (
            {"type": "limit", "limit_price": "5", "stop_price": "5"},
            40010001,
            "limit orders must not have stop_price",
        ),
        ({"trail_price": "5"}, 40010001, "market orders must not have trail_price or trail_percent"),
        ({"order_class": "oto"}, 40010001, "oto orders require one of take_profit and stop_loss"),
        ({"order_class": "oto", **EXITS}, 40010001, "oto orders require one of take_profit and stop_loss"),
        (
            {"order_class": "bracket", "take_profit": {"limit_price": "5"}},
            40010001,
            "bracket orders require take_profit and stop_loss",
        ),
        ({"order_class": "oto", "take_profit": {}}, 40010001, "take_profit.limit_price is required"),
        ({"order_class": "simple", **EXITS}, 40010001, "take_profit and stop_loss require an order_class"),
        ({"qty": "1.5", "order_class": "bracket", **EXITS}, 42210000, "fractional orders must be simple orders"),
        (
            {"qty": None, "notional": "5", "time_in_force": "gtc"},
            42210000,
            "notional orders must be market orders with time_in_force day",
        ),
    ],
)
def test_refusals(change: dict[str, Any], code: int, says: str) -> None:
    with pytest.raises(Refused) as caught:
        read(body(**change))
    assert caught.value.reply == refused(422, code, says)


@pytest.mark.parametrize("given", [None, [], "{}", 5, True])
def test_what_is_no_object_is_refused(given: Any) -> None:
    for reader in (read, read_replacement):
        with pytest.raises(Refused) as caught:
            reader(given)
        assert caught.value.reply == refused(400, 40010000, "request body format is invalid")


def test_a_replacement_leaves_out_what_it_does_not_change() -> None:
    nothing = Replacement(quantity=None, limit_price=None, stop_price=None, trail=None, tif=None, client_order_id=None)
    assert read_replacement({}) == read_replacement({"qty": None, "symbol": "IBM"}) == nothing
    assert read_replacement(
        {
            "qty": 2,
            "limit_price": "5.01",
            "stop_price": "5",
            "trail": "0.5",
            "time_in_force": "gtc",
            "client_order_id": "a",
        }
    ) == Replacement(
        quantity=D(2),
        limit_price=D("5.01"),
        stop_price=D(5),
        trail=D("0.5"),
        tif=TimeInForce.GTC,
        client_order_id="a",
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"time_in_force": "gtd"}, "invalid time_in_force"),
        ({"time_in_force": 1}, "invalid time_in_force"),
        ({"trail": "0"}, "trail must be a number > 0"),
        ({"qty": "x"}, "qty must be a number > 0"),
        ({"client_order_id": "x" * 129}, "client_order_id must be no more than 128 characters"),
    ],
)
def test_replacements_that_are_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused) as caught:
        read_replacement(change)
    assert caught.value.reply == refused(422, 40010001, says)
