"""Tool calls as intents: the tools of many servers, by name and arguments, and the many that are no orders."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import Action, OrderType, Side, Source, TimeInForce, Unit
from proxy.wire.intents import action_of, read_call
from proxy.wire.order_events import OrderRequested


def read(name: str, arguments: Any) -> OrderRequested | None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return read_call(name, text, Source.LLM, 1, 1, 0)


AAPL = {"symbol": "AAPL", "side": "buy", "qty": 1}


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("place_order", AAPL, Action.PLACE),
        ("place_order", {}, Action.PLACE),
        ("place_order", {"order": AAPL}, Action.PLACE),
        ("place_order", {"confirmation_token": "t"}, Action.PLACE),
        ("place_stock_order", AAPL, Action.PLACE),
        ("place_crypto_order", {"symbol": "BTC/USD", "side": "buy", "notional": "10"}, Action.PLACE),
        ("place_option_order", {"legs": [], "qty": 1}, Action.PLACE),
        ("createOrder", {"accountName": "a", "symbol": "BTC/USDT", "type": "market", "side": "buy", "amount": 1}, Action.PLACE),
        ("CreateOrder", AAPL, Action.PLACE),
        ("submitOrder", {}, Action.PLACE),
        ("alpaca__place_order", AAPL, Action.PLACE),
        ("mcp.alpaca.place_order", AAPL, Action.PLACE),
        ("buy_stock", {"ticker": "AAPL", "shares": 3}, Action.PLACE),
        ("buy_stock", {}, Action.PLACE),
        ("sell_shares", {}, Action.PLACE),
        ("buy", {"symbol": "AAPL", "amount": 5}, Action.PLACE),
        ("sell", {"symbol": "AAPL", "quantity": 5}, Action.PLACE),
        ("market_buy", {"symbol": "AAPL", "quantity": 5}, Action.PLACE),
        ("limit_sell_order", {"symbol": "AAPL", "qty": 5, "price": "1"}, Action.PLACE),
        ("execute_trade", {"action": "buy", "ticker": "AAPL", "shares": 5}, Action.PLACE),
        ("trade", {"action": "buy", "ticker": "AAPL", "shares": 5}, Action.PLACE),
        ("order", AAPL, Action.PLACE),
        ("open_position", {"symbol": "BTCUSDT", "side": "long", "size": "1"}, Action.PLACE),
        ("open_position", {"market": "BTCUSDT", "direction": "short"}, Action.PLACE),
        ("submit_orders", {"orders": [AAPL]}, Action.PLACE),
        # kite: https://github.com/zerodha/kite-mcp-server
        ("place_order", {"variety": "regular", "exchange": "NSE", "tradingsymbol": "INFY", "transaction_type": "BUY", "quantity": 1, "product": "CNC", "order_type": "MARKET"}, Action.PLACE),
        ("modify_order", {"order_id": "1", "quantity": 2}, Action.REPLACE),
        # IBKR
        ("place_order", {"accountId": "U1", "symbol": "AAPL", "action": "BUY", "orderType": "MKT", "quantity": 1, "suppressConfirmations": True}, Action.PLACE),
        ("confirm_order", {"replyId": "r", "messageIds": ["m"]}, Action.CONFIRM),
        # bybit
        ("place_order", {"category": "spot", "symbol": "BTCUSDT", "side": "Buy", "orderType": "Market", "qty": "1"}, Action.PLACE),
        ("replace_order_by_id", {"order_id": "x", "qty": "2"}, Action.REPLACE),
        ("edit_order", {}, Action.REPLACE),
        ("cancel_order_by_id", {"order_id": "x"}, Action.CANCEL),
        ("cancelOrder", {"id": "x"}, Action.CANCEL),
        ("cancel", {"id": "x"}, Action.CANCEL),
        ("cancel_by_id", {"order_id": "x"}, Action.CANCEL),
        ("cancel_all_orders", {}, Action.CANCEL_ALL),
        ("cancel_all", {}, Action.CANCEL_ALL),
        ("close_position", {"symbol": "AAPL"}, Action.CLOSE),
        ("close", {"symbol": "AAPL"}, Action.CLOSE),
        ("liquidate", {"ticker": "AAPL"}, Action.CLOSE),
        ("close_all_positions", {}, Action.CLOSE_ALL),
        ("close_all", {}, Action.CLOSE_ALL),
        ("flatten_portfolio", {}, Action.CLOSE_ALL),
        ("exercise_options_position", {"symbol_or_contract_id": "x"}, Action.EXERCISE),
        ("withdraw", {"asset": "USDC", "amount": 1, "address": "0x"}, Action.WITHDRAW),
        ("create_withdrawal", {}, Action.WITHDRAW),
        ("transfer_funds", {}, Action.TRANSFER),
        ("internal_transfer", {"currency": "USDT", "amount": "5"}, Action.TRANSFER),
        ("set_leverage", {"symbol": "BTCUSDT", "leverage": 10}, Action.LEVERAGE),
        ("validate_order", AAPL, Action.VALIDATE),
        ("test_order", AAPL, Action.VALIDATE),
    ],
)  # fmt: skip
def test_tools_that_act(name: str, arguments: dict[str, Any], expected: Action) -> None:
    found = read(name, arguments)
    assert found is not None
    assert expected == found.action


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_order_history", {"symbol": "AAPL", "side": "buy"}),
        ("order_history", {"symbol": "AAPL", "side": "buy"}),
        ("trade_history", {"symbol": "AAPL", "side": "buy", "limit": 5}),
        ("order_status", {"order_id": "x"}),
        ("get_orders", {}),
        ("open_orders", {"symbol": "AAPL"}),
        ("fetchOpenOrders", {"symbol": "BTC/USDT"}),
        ("get_open_position", {"symbol": "AAPL"}),
        ("list_positions", {}),
        ("create_report", {"symbol": "AAPL", "quantity": 1}),
        ("create_trade_report", {"symbol": "AAPL", "side": "buy", "quantity": 1}),
        ("preview_order", AAPL),
        ("create_order_preview", AAPL),
        ("explain_order", AAPL),
        ("analyze_trade", AAPL),
        ("analyse_trade", AAPL),
        ("simulate_order", AAPL),
        ("estimate_order_cost", AAPL),
        ("calculate_buy_size", {"symbol": "AAPL", "amount": 5}),
        ("should_buy", {"symbol": "AAPL", "quantity": 1}),
        ("can_sell_shares", {"symbol": "AAPL", "quantity": 1}),
        ("get_buy_price", {"symbol": "AAPL", "quantity": 1}),
        ("get_order_book", {"symbol": "AAPL"}),
        ("orderbook", {"symbol": "AAPL"}),
        ("get_option_chain", {"symbol": "AAPL"}),
        ("create_price_alert", {"symbol": "AAPL", "price": "1", "side": "buy"}),
        ("create_stock_alert", {"symbol": "AAPL", "quantity": 1}),
        ("create_watchlist", {"symbol": "AAPL"}),
        ("send_email", {"to": "a@b.example", "subject": "order"}),
        ("execute_query", {"query": "select 1"}),
        ("search", {"query": "buy AAPL"}),
        ("get_account", {}),
        ("cancel_subscription", {"id": "5"}),
        ("close_browser", {}),
        ("close_ticket", {"id": 1}),
        ("transfer_to_agent", {}),
        ("transfer_to_trading_agent", {"reason": "please buy"}),
        ("withdrawal_history", {"asset": "BTC"}),
        ("put_file", {"path": "x"}),
        ("make_summary", {"symbol": "AAPL"}),
        ("update_memory", {"symbol": "AAPL", "quantity": 1}),
        ("", {}),
        ("_", AAPL),
        ("12", AAPL),
        ("买入", {}),
    ],
)
def test_tools_that_do_not(name: str, arguments: dict[str, Any]) -> None:
    assert read(name, arguments) is None
    assert action_of(name, {}) is None


@pytest.mark.parametrize(
    "text", ["", "{", '{"symbol": "AAPL", "qty": ', "null", "[]", '"AAPL"', "NaN", "[" * 9999, "\ud83d"]
)
def test_malformed_arguments_of_an_order_tool_are_an_order_with_nulls(text: str) -> None:
    found = read("place_order", text)
    assert found is not None
    assert (Action.PLACE, None, None, None, Unit.UNKNOWN) == (
        found.action,
        found.symbol,
        found.side,
        found.quantity,
        found.unit,
    )


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (
            "place_stock_order",
            {"symbol": "AAPL", "side": "sell", "qty": "1.50", "type": "limit", "limit_price": 10.10, "time_in_force": "gtc", "client_order_id": "c"},
            {"symbol": "AAPL", "side": Side.SELL, "quantity": Decimal("1.50"), "unit": Unit.BASE, "type": OrderType.LIMIT, "limit_price": Decimal("10.1"), "tif": TimeInForce.GTC, "client_order_id": "c"},
        ),
        ("place_order", {"order": {"symbol": "AAPL", "side": "buy", "quantity": 3}}, {"symbol": "AAPL", "side": Side.BUY, "quantity": Decimal(3)}),
        ("place_order", {"symbol": "X", "side": "buy", "order": {"symbol": "Y"}}, {"symbol": "X"}),
        ("createOrder", {"symbol": "BTC/USDT", "type": "limit", "side": "buy", "amount": 0.01, "price": 50000}, {"quantity": Decimal("0.01"), "unit": Unit.UNKNOWN, "limit_price": Decimal(50000)}),
        ("place_order", {"tradingsymbol": "INFY", "transaction_type": "SELL", "quantity": 1, "order_type": "MARKET"}, {"symbol": "INFY", "side": Side.SELL, "type": OrderType.MARKET}),
        ("place_order", {"accountId": "U1", "symbol": "AAPL", "action": "BUY", "orderType": "STP LMT", "quantity": 1}, {"account": "U1", "side": Side.BUY, "type": OrderType.OTHER}),
        ("place_order", {"symbol": "A", "action": "open", "direction": "short", "quantity": 1}, {"side": Side.SELL}),
        ("buy_stock", {"ticker": "AAPL", "dollars": "250"}, {"side": Side.BUY, "quantity": Decimal(250), "unit": Unit.QUOTE}),
        ("sell_shares", {"ticker": "AAPL", "shares": 2}, {"side": Side.SELL, "quantity": Decimal(2), "unit": Unit.BASE}),
        ("place_order", AAPL | {"notional": 5}, {"quantity": Decimal(1), "unit": Unit.UNKNOWN}),
        ("place_order", AAPL | {"qty": "a few"}, {"quantity": None, "unit": Unit.UNKNOWN}),
        ("place_order", AAPL | {"qty": True}, {"quantity": None}),
        ("place_order", AAPL | {"stop_price": 5}, {"type": OrderType.STOP}),
        ("place_order", AAPL | {"stop_price": 5, "limit_price": 4}, {"type": OrderType.STOP_LIMIT}),
        ("place_order", AAPL | {"type": "Trailing-Stop"}, {"type": OrderType.TRAILING_STOP}),
        ("place_order", AAPL | {"time_in_force": "whenever"}, {"tif": None}),
        ("cancel_order", {"order_id": "x"}, {"venue_order_id": "x"}),
        ("place_order", AAPL | {"id": "x"}, {"venue_order_id": None}),
        ("withdraw", {"asset": "USDC", "amount": "12.5", "address": "0xA"}, {"asset": "USDC", "quantity": Decimal("12.5"), "destination": "0xA", "symbol": None}),
    ],
)  # fmt: skip
def test_fields(name: str, arguments: dict[str, Any], expected: dict[str, Any]) -> None:
    found = read(name, arguments)
    assert found is not None
    assert expected == {field: getattr(found, field) for field in expected}


def test_numbers_are_read_as_printed() -> None:
    found = read("place_order", '{"symbol": "SHIB", "side": "buy", "qty": 12345678901234567890.10}')
    assert found is not None
    assert "12345678901234567890.10" == str(found.quantity)
    assert (("tool", "place_order"),) == found.extra
    assert 32 == len(found.body_key)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
KEYS = st.sampled_from(["symbol", "side", "qty", "order", "params", "price", "amount", "action", "id", "type"])


@given(
    st.sampled_from(["place_order", "buy", "cancel_order", "transfer_funds", "get_news"]) | st.text(max_size=20),
    st.dictionaries(KEYS, VALUES) | st.text(max_size=30),
)
def test_nothing_raises(name: str, arguments: Any) -> None:
    read(name, arguments)
