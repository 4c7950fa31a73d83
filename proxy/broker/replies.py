"""
Answers in Alpaca's own shape: state in, JSON values out. Numbers are strings, as the venue sends them.

A reply is complete by the venue's documented shape, because SDKs validate it: a missing key is a tell, or a
crash in the agent that has nothing to do with the attack.

Source: https://docs.alpaca.markets/reference/postorder and siblings; the models of alpaca-py 0.44.0; error
bodies as quoted in public issues (alpacahq/alpaca-py 225, alpacahq/Alpaca-API 89, 271). Read 2026-11-30.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from corpus.terms import Instant, decimal_text, instant_text

type Json = dict[str, Any] | list[Any] | str | int | bool | None

_ZERO: Final = Decimal(0)
_RATIO: Final = Decimal("0.0000000001")


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer: the status, and a JSON body or none (204)."""

    status: int
    body: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFacts:
    """
    An order as the venue would know it. Quantities in shares, prices and `notional` in USD, words as on the wire.

    Exactly one of `quantity` and `notional` is set. Instants are null until the thing has happened.
    """

    id: str
    client_order_id: str
    asset_id: str
    symbol: str
    side: str
    type: str
    tif: str
    status: str
    created_ns: Instant
    updated_ns: Instant
    quantity: Decimal | None = None
    notional: Decimal | None = None
    filled_quantity: Decimal = _ZERO
    average_price: Decimal | None = None
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None
    trail_price: Decimal | None = None
    trail_percent: Decimal | None = None
    high_water: Decimal | None = None
    order_class: str = ""
    asset_class: str = "us_equity"
    position_intent: str = ""
    extended_hours: bool = False
    legs: tuple[OrderFacts, ...] | None = None
    filled_ns: Instant | None = None
    expired_ns: Instant | None = None
    canceled_ns: Instant | None = None
    failed_ns: Instant | None = None
    replaced_ns: Instant | None = None
    expires_ns: Instant | None = None
    replaced_by: str | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFacts:
    """A holding. `quantity` is signed shares (short is negative); prices in USD a share."""

    asset_id: str
    symbol: str
    exchange: str
    quantity: Decimal
    average_price: Decimal
    price: Decimal
    last_day_price: Decimal
    available: Decimal
    intraday_cost: Decimal | None = None
    """Cost of what was bought today, signed USD; null when it was all bought today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountFacts:
    """One margin account, USD. `multiplier` is buying power per unit of excess equity."""

    id: str
    number: str
    created_ns: Instant
    cash: Decimal
    long_value: Decimal
    short_value: Decimal
    last_equity: Decimal
    initial_margin: Decimal
    maintenance_margin: Decimal
    buying_power: Decimal
    multiplier: int = 2
    shorting: bool = True
    blocked: bool = False


def number(value: Decimal | None) -> str | None:
    """A number as the venue prints it: plain, without trailing zeros ("150.25", "10"); null stays null."""
    if value is None:
        return None
    text = decimal_text(value)
    if "." in text and "E" not in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def cents(value: Decimal) -> str:
    """An amount of money, rounded half up to the cent and printed without trailing zeros."""
    return number(value.quantize(Decimal("0.01"), ROUND_HALF_UP)) or "0"


def order(facts: OrderFacts) -> dict[str, Any]:
    """One order object, every key of the documented shape; `legs` hold objects of the same shape."""
    return {
        "id": facts.id,
        "client_order_id": facts.client_order_id,
        "created_at": instant_text(facts.created_ns),
        "updated_at": instant_text(facts.updated_ns),
        "submitted_at": instant_text(facts.created_ns),
        "filled_at": _when(facts.filled_ns),
        "expired_at": _when(facts.expired_ns),
        "canceled_at": _when(facts.canceled_ns),
        "failed_at": _when(facts.failed_ns),
        "replaced_at": _when(facts.replaced_ns),
        "replaced_by": facts.replaced_by,
        "replaces": facts.replaces,
        "asset_id": facts.asset_id,
        "symbol": facts.symbol,
        "asset_class": facts.asset_class,
        "notional": number(facts.notional),
        "qty": number(facts.quantity),
        "filled_qty": number(facts.filled_quantity),
        "filled_avg_price": number(facts.average_price),
        "order_class": facts.order_class,
        "order_type": facts.type,
        "type": facts.type,
        "side": facts.side,
        "position_intent": facts.position_intent,
        "time_in_force": facts.tif,
        "limit_price": number(facts.limit_price),
        "stop_price": number(facts.stop_price),
        "status": facts.status,
        "extended_hours": facts.extended_hours,
        "legs": None if facts.legs is None else [order(leg) for leg in facts.legs],
        "trail_percent": number(facts.trail_percent),
        "trail_price": number(facts.trail_price),
        "hwm": number(facts.high_water),
        "subtag": None,
        "source": None,
        "expires_at": _when(facts.expires_ns),
    }


def position(facts: PositionFacts) -> dict[str, Any]:
    """One position object. Market value and cost are negative for a short, as the venue prints them."""
    value, cost = facts.quantity * facts.price, facts.quantity * facts.average_price
    profit = value - cost
    intraday_cost = cost if facts.intraday_cost is None else facts.intraday_cost
    intraday = value - intraday_cost
    return {
        "asset_id": facts.asset_id,
        "symbol": facts.symbol,
        "exchange": facts.exchange,
        "asset_class": "us_equity",
        "asset_marginable": True,
        "qty": number(facts.quantity),
        "avg_entry_price": number(facts.average_price),
        "side": "short" if facts.quantity < 0 else "long",
        "market_value": number(value),
        "cost_basis": number(cost),
        "unrealized_pl": number(profit),
        "unrealized_plpc": _ratio(profit, abs(cost)),
        "unrealized_intraday_pl": number(intraday),
        "unrealized_intraday_plpc": _ratio(intraday, abs(intraday_cost)),
        "current_price": number(facts.price),
        "lastday_price": number(facts.last_day_price),
        "change_today": _ratio(facts.price - facts.last_day_price, facts.last_day_price),
        "qty_available": number(facts.available),
    }


def account(facts: AccountFacts) -> dict[str, Any]:
    """The account object, the deprecated day-trading keys included, since older clients read them."""
    equity = facts.cash + facts.long_value + facts.short_value
    regt = max(_ZERO, equity - facts.initial_margin) * 2
    return {
        "id": facts.id,
        "admin_configurations": {},
        "user_configurations": None,
        "account_number": facts.number,
        "status": "ACTIVE",
        "crypto_status": "ACTIVE",
        "options_approved_level": 0,
        "options_trading_level": 0,
        "currency": "USD",
        "buying_power": cents(facts.buying_power),
        "regt_buying_power": cents(min(regt, facts.buying_power)),
        "daytrading_buying_power": "0",
        "effective_buying_power": cents(facts.buying_power),
        "non_marginable_buying_power": cents(max(_ZERO, min(facts.cash, facts.buying_power / 2))),
        "options_buying_power": "0",
        "bod_dtbp": "0",
        "cash": cents(facts.cash),
        "accrued_fees": "0",
        "pending_transfer_in": "0",
        "pending_transfer_out": "0",
        "portfolio_value": cents(equity),
        "pattern_day_trader": False,
        "trading_blocked": facts.blocked,
        "transfers_blocked": False,
        "account_blocked": facts.blocked,
        "created_at": instant_text(facts.created_ns),
        "trade_suspended_by_user": False,
        "multiplier": str(facts.multiplier),
        "shorting_enabled": facts.shorting,
        "equity": cents(equity),
        "last_equity": cents(facts.last_equity),
        "long_market_value": cents(facts.long_value),
        "short_market_value": cents(facts.short_value),
        "position_market_value": cents(facts.long_value + abs(facts.short_value)),
        "initial_margin": cents(facts.initial_margin),
        "maintenance_margin": cents(facts.maintenance_margin),
        "last_maintenance_margin": "0",
        "sma": cents(equity),
        "daytrade_count": 0,
        "balance_asof": instant_text(facts.created_ns)[:10],
        "crypto_tier": 1,
        "intraday_adjustments": "0",
        "pending_reg_taf_fees": "0",
    }


def _when(at_ns: Instant | None) -> str | None:
    return None if at_ns is None else instant_text(at_ns)


def _ratio(part: Decimal, whole: Decimal) -> str:
    return "0" if whole == 0 else number((part / whole).quantize(_RATIO, ROUND_HALF_UP)) or "0"
