"""Alpaca's shapes, written out by hand."""

from __future__ import annotations

from decimal import Decimal as D

import pytest

from proxy.broker import replies
from proxy.broker.replies import AccountFacts, OrderFacts, PositionFacts

AT = 1_339_774_200_000_000_000
ORDER = OrderFacts(
    id="e9f27735-0fa8-4100-8d1e-32294c299478",
    client_order_id="mine",
    asset_id="b0b6dd9d-8b9b-48a9-ba46-b9d54906e415",
    symbol="AAPL",
    side="buy",
    type="limit",
    tif="day",
    status="filled",
    created_ns=AT,
    updated_ns=AT + 500_000,
    quantity=D("10"),
    filled_quantity=D("10"),
    average_price=D("571.540"),
    limit_price=D("572.00"),
    filled_ns=AT + 500_000,
    position_intent="buy_to_open",
)


@pytest.mark.parametrize(
    ("value", "text"),
    [("150.25", "150.25"), ("150.00", "150"), ("100", "100"), ("1E+3", "1000"), ("0.00", "0"), ("-0.0", "0")],
)
def test_numbers_are_plain_and_without_trailing_zeros(value: str, text: str) -> None:
    assert replies.number(D(value)) == text


def test_money_is_rounded_half_up_to_the_cent() -> None:
    assert replies.cents(D("1.005")) == "1.01"
    assert replies.cents(D("-1.005")) == "-1.01"
    assert replies.number(None) is None


def test_an_order() -> None:
    assert replies.order(ORDER) == {
        "id": "e9f27735-0fa8-4100-8d1e-32294c299478",
        "client_order_id": "mine",
        "created_at": "2012-06-15T15:30:00Z",
        "updated_at": "2012-06-15T15:30:00.0005Z",
        "submitted_at": "2012-06-15T15:30:00Z",
        "filled_at": "2012-06-15T15:30:00.0005Z",
        "expired_at": None,
        "canceled_at": None,
        "failed_at": None,
        "replaced_at": None,
        "replaced_by": None,
        "replaces": None,
        "asset_id": "b0b6dd9d-8b9b-48a9-ba46-b9d54906e415",
        "symbol": "AAPL",
        "asset_class": "us_equity",
        "notional": None,
        "qty": "10",
        "filled_qty": "10",
        "filled_avg_price": "571.54",
        "order_class": "",
        "order_type": "limit",
        "type": "limit",
        "side": "buy",
        "position_intent": "buy_to_open",
        "time_in_force": "day",
        "limit_price": "572",
        "stop_price": None,
        "status": "filled",
        "extended_hours": False,
        "legs": None,
        "trail_percent": None,
        "trail_price": None,
        "hwm": None,
        "subtag": None,
        "source": None,
        "expires_at": None,
    }


def test_legs_are_orders() -> None:
    parent = OrderFacts(**{name: getattr(ORDER, name) for name in ORDER.__slots__} | {"legs": (ORDER,)})
    assert replies.order(parent)["legs"] == [replies.order(ORDER)]


def test_a_short_position_has_negative_quantity_value_and_cost() -> None:
    facts = PositionFacts(
        asset_id="a",
        symbol="IBM",
        exchange="NYSE",
        quantity=D("-4"),
        average_price=D("200"),
        price=D("195"),
        last_day_price=D("195"),
        available=D("4"),
    )
    shown = replies.position(facts)
    assert (shown["qty"], shown["side"], shown["market_value"], shown["cost_basis"]) == ("-4", "short", "-780", "-800")
    assert (shown["unrealized_pl"], shown["unrealized_plpc"], shown["change_today"]) == ("20", "0.025", "0")
    assert (shown["avg_entry_price"], shown["current_price"], shown["qty_available"]) == ("200", "195", "4")


def test_an_account() -> None:
    facts = AccountFacts(
        id="47fbf9a4-45a3-45f7-b8d9-7ab758a1bdaf",
        number="PA1",
        created_ns=AT,
        cash=D("40000"),
        long_value=D("60000"),
        short_value=D("0"),
        last_equity=D("100000"),
        initial_margin=D("30000"),
        maintenance_margin=D("18000"),
        buying_power=D("140000"),
    )
    shown = replies.account(facts)
    expected = {
        "cash": "40000",
        "equity": "100000",
        "portfolio_value": "100000",
        "buying_power": "140000",
        "regt_buying_power": "140000",
        "non_marginable_buying_power": "40000",
        "initial_margin": "30000",
        "multiplier": "2",
        "status": "ACTIVE",
        "trading_blocked": False,
        "created_at": "2012-06-15T15:30:00Z",
        "balance_asof": "2012-06-15",
    }
    assert expected == {key: shown[key] for key in expected}
    # Numbers are strings throughout, but for counts and levels.
    assert not [key for key, value in shown.items() if isinstance(value, float)]
