"""Tools of other people, by the names they really have."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

import pytest

from deploy.sim import tools


def tool(name: str, properties: dict[str, Any] | None = None, required: list[str] | None = None) -> Any:
    parameters = {"type": "object", "properties": properties or {}, "required": required or []}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def test_alpaca_mcp_server_names_find_their_roles() -> None:
    names = [
        "get_account_info",
        "get_all_positions",
        "place_option_order",
        "place_stock_order",
        "cancel_order_by_id",
        "cancel_all_orders",
        "close_position",
        "close_all_positions",
        "get_stock_bars",
        "get_stock_latest_quote",
        "get_news",
    ]
    found = tools.by_role(tools.read([tool(name) for name in names]))
    assert {role: tool.name for role, tool in found.items()} == {
        "account": "get_account_info",
        "positions": "get_all_positions",
        "order": "place_stock_order",
        "cancel_all": "cancel_all_orders",
        "close": "close_position",
        "close_all": "close_all_positions",
        "bars": "get_stock_bars",
        "quote": "get_stock_latest_quote",
        "news": "get_news",
    }


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        (
            {"symbol": {"type": "string"}, "side": {"type": "string"}, "qty": {"type": "string"}},
            {"symbol": "ZVTX", "side": "buy", "qty": "400"},
        ),
        (
            {
                "ticker": {"type": "string"},
                "action": {"enum": ["BUY", "SELL"]},
                "quantity": {"type": "integer"},
                "orderType": {"enum": ["MKT", "MARKET"]},
                "price": {"type": "number"},
            },
            {"ticker": "ZVTX", "action": "BUY", "quantity": 400, "orderType": "MARKET"},
        ),
    ],
)
def test_arguments_take_the_tools_own_names_and_types(properties: dict[str, Any], expected: dict[str, Any]) -> None:
    (order,) = tools.read([tool("place_order", properties)])
    assert tools.order_arguments(order, "ZVTX", "buy", D(400), None) == expected


def test_a_limit_price_makes_a_limit_order() -> None:
    (order,) = tools.read([tool("place_order", {"symbol": {}, "qty": {}, "type": {}, "limit_price": {}})])
    assert tools.order_arguments(order, "IBM", "buy", D(4), D("195.10")) == {
        "symbol": "IBM",
        "qty": 4,
        "type": "limit",
        "limit_price": D("195.10"),
    }


def test_many_symbols_go_in_one_call_where_they_can() -> None:
    listed, joined, single = tools.read(
        [
            tool("get_news", {"symbols": {"type": "array"}}),
            tool("get_bars", {"symbols": {"type": "string"}}),
            tool("get_quote", {"symbol": {"type": "string"}}),
        ]
    )
    assert tools.symbol_arguments(listed, ("A", "B")) == [{"symbols": ["A", "B"]}]
    assert tools.symbol_arguments(joined, ("A", "B")) == [{"symbols": "A,B"}]
    assert tools.symbol_arguments(single, ("A", "B")) == [{"symbol": "A"}, {"symbol": "B"}]


@pytest.mark.parametrize("offered", [None, 5, [None], [{"function": 1}], [{"function": {"name": 5}}]])
def test_what_is_no_tool_is_left_out(offered: Any) -> None:
    assert tools.read(offered) == ()
