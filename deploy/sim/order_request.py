"""Alpaca order requests: a JSON body in, checked values out, or the venue's refusal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from corpus.terms import OrderType, Side, TimeInForce, decimal
from deploy.sim.wire import Refused
from proxy.broker import refusals

_TIFS: Final = ("day", "gtc", "opg", "cls", "ioc", "fok")
_TYPES: Final = ("market", "limit", "stop", "stop_limit", "trailing_stop")
_CLASSES: Final = ("", "simple", "bracket", "oco", "oto")
_LIMITED: Final = ("limit", "stop_limit")
_STOPPED: Final = ("stop", "stop_limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class LegRequest:
    """An exit of a bracket, OCO or OTO order. With a stop price it is a stop, else a limit."""

    limit_price: Decimal | None
    stop_price: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRequest:
    """One order as asked for. Exactly one of `quantity` (shares) and `notional` (USD) is set; prices in USD."""

    symbol: str
    side: Side
    type: OrderType
    tif: TimeInForce
    quantity: Decimal | None
    notional: Decimal | None
    limit_price: Decimal | None
    stop_price: Decimal | None
    trail_price: Decimal | None
    trail_percent: Decimal | None
    client_order_id: str | None
    extended_hours: bool
    order_class: str
    take_profit: LegRequest | None
    stop_loss: LegRequest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """What a PATCH changes; null leaves a field as it was."""

    quantity: Decimal | None
    limit_price: Decimal | None
    stop_price: Decimal | None
    trail: Decimal | None
    tif: TimeInForce | None
    client_order_id: str | None


def read(body: Any) -> OrderRequest:
    """
    Check a POST body.

    Raises:
        Refused: The venue's 400 or 422.
    """
    if not isinstance(body, dict):
        raise Refused(refusals.bad_body())
    order_class = _word(body, "order_class", "") or ""
    if order_class == "mleg":
        raise Refused(refusals.unprocessable("multi-leg orders are not supported for this account"))
    if order_class not in _CLASSES:
        raise Refused(refusals.invalid("invalid order_class"))
    symbol = body.get("symbol")
    if not isinstance(symbol, str) or not symbol.strip():
        raise Refused(refusals.invalid("symbol is required"))
    side, kind = _one(body, "side", ("buy", "sell")), _one(body, "type", _TYPES)
    tif = _one(body, "time_in_force", _TIFS)
    take_profit, stop_loss = _leg(body, "take_profit"), _leg(body, "stop_loss")
    limit_price, stop_price = price(body, "limit_price"), price(body, "stop_price")
    if order_class == "oco" and limit_price is None and take_profit is not None:
        limit_price = take_profit.limit_price
    _check_prices(body, kind, limit_price, stop_price)
    _check_class(order_class, take_profit, stop_loss)
    quantity, notional = _amounts(body)
    if notional is not None and (kind != "market" or tif != "day"):
        raise Refused(refusals.unprocessable("notional orders must be market orders with time_in_force day"))
    if quantity is not None and quantity % 1:
        if tif != "day":
            raise Refused(refusals.unprocessable("fractional orders must be DAY orders"))
        if order_class not in ("", "simple"):
            raise Refused(refusals.unprocessable("fractional orders must be simple orders"))
    return OrderRequest(
        symbol=symbol.strip(),
        side=Side(side),
        type=OrderType(kind),
        tif=TimeInForce(tif),
        quantity=quantity,
        notional=notional,
        limit_price=limit_price,
        stop_price=stop_price,
        trail_price=price(body, "trail_price"),
        trail_percent=_positive(body, "trail_percent"),
        client_order_id=_client_id(body),
        extended_hours=body.get("extended_hours") is True,
        order_class="" if order_class == "simple" else order_class,
        take_profit=take_profit,
        stop_loss=stop_loss,
    )


def read_replacement(body: Any) -> Replacement:
    """Check a PATCH body. Raises Refused."""
    if not isinstance(body, dict):
        raise Refused(refusals.bad_body())
    tif = _word(body, "time_in_force", None)
    if tif is not None and tif not in _TIFS:
        raise Refused(refusals.invalid("invalid time_in_force"))
    return Replacement(
        quantity=amount(body, "qty"),
        limit_price=price(body, "limit_price"),
        stop_price=price(body, "stop_price"),
        trail=_positive(body, "trail"),
        tif=None if tif is None else TimeInForce(tif),
        client_order_id=_client_id(body),
    )


def amount(body: dict[str, Any], name: str) -> Decimal | None:
    """A quantity of up to 9 decimals. Raises Refused."""
    value = _positive(body, name)
    if value is not None and value % Decimal("0.000000001"):
        raise Refused(refusals.unprocessable(f"{name} can have at most 9 decimal places"))
    return value


def price(body: dict[str, Any], name: str) -> Decimal | None:
    """A price in USD: whole cents from a dollar up, whole hundredths of a cent below. Raises Refused."""
    value = _positive(body, name)
    if value is not None and value % (Decimal("0.01") if value >= 1 else Decimal("0.0001")):
        message = "sub-penny increment does not fulfill minimum pricing criteria"
        raise Refused(refusals.unprocessable(f"invalid {name} {value:f}. {message}"))
    return value


def _positive(body: dict[str, Any], name: str) -> Decimal | None:
    given = body.get(name)
    if given is None:
        return None
    value = decimal(given)
    # The bound keeps arithmetic within Decimal's precision; the venue has its own, undocumented one.
    if value is None or value <= 0 or value.adjusted() > 11 or value.adjusted() < -10:
        raise Refused(refusals.invalid(f"{name} must be a number > 0"))
    return value


def _amounts(body: dict[str, Any]) -> tuple[Decimal | None, Decimal | None]:
    quantity, notional = amount(body, "qty"), amount(body, "notional")
    if quantity is None and notional is None:
        raise Refused(refusals.invalid("qty or notional is required"))
    if quantity is not None and notional is not None:
        raise Refused(refusals.invalid("only one of qty or notional is accepted"))
    return quantity, notional


def _check_prices(body: dict[str, Any], kind: str, limit: Decimal | None, stop: Decimal | None) -> None:
    if (kind in _LIMITED) != (limit is not None):
        word = "require" if kind in _LIMITED else "must not have"
        raise Refused(refusals.invalid(f"{kind} orders {word} limit_price"))
    if (kind in _STOPPED) != (stop is not None):
        word = "require" if kind in _STOPPED else "must not have"
        raise Refused(refusals.invalid(f"{kind} orders {word} stop_price"))
    trails = [name for name in ("trail_price", "trail_percent") if body.get(name) is not None]
    if len(trails) != (1 if kind == "trailing_stop" else 0):
        word = "require one of" if kind == "trailing_stop" else "must not have"
        raise Refused(refusals.invalid(f"{kind} orders {word} trail_price or trail_percent"))


def _check_class(order_class: str, take_profit: LegRequest | None, stop_loss: LegRequest | None) -> None:
    if order_class in ("bracket", "oco") and (take_profit is None or stop_loss is None):
        raise Refused(refusals.invalid(f"{order_class} orders require take_profit and stop_loss"))
    if order_class == "oto" and (take_profit is None) == (stop_loss is None):
        raise Refused(refusals.invalid("oto orders require one of take_profit and stop_loss"))
    if order_class in ("", "simple") and (take_profit or stop_loss):
        raise Refused(refusals.invalid("take_profit and stop_loss require an order_class"))


def _leg(body: dict[str, Any], name: str) -> LegRequest | None:
    given = body.get(name)
    if given is None:
        return None
    if not isinstance(given, dict):
        raise Refused(refusals.invalid(f"{name} must be an object"))
    limit_price, stop_price = price(given, "limit_price"), price(given, "stop_price")
    needed = limit_price if name == "take_profit" else stop_price
    if needed is None:
        raise Refused(refusals.invalid(f"{name}.{'limit' if name == 'take_profit' else 'stop'}_price is required"))
    return LegRequest(limit_price=limit_price, stop_price=None if name == "take_profit" else stop_price)


def _one(body: dict[str, Any], name: str, options: tuple[str, ...]) -> str:
    given = _word(body, name, None)
    if given is None:
        raise Refused(refusals.invalid(f"{name} is required"))
    if given not in options:
        raise Refused(refusals.invalid(f"invalid {name}"))
    return given


def _word(body: dict[str, Any], name: str, default: str | None) -> str | None:
    given = body.get(name)
    if given is None:
        return default
    if not isinstance(given, str):
        raise Refused(refusals.invalid(f"invalid {name}"))
    return given


def _client_id(body: dict[str, Any]) -> str | None:
    given = _word(body, "client_order_id", None)
    if given is not None and len(given) > 128:
        raise Refused(refusals.invalid("client_order_id must be no more than 128 characters"))
    return given or None
