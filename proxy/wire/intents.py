"""
Tool calls as intents: what an agent's model asked its tools to do, read by name and argument shape.

An intent is an OrderRequested whose source is llm or mcp. It never counts when the same order left on the
wire; it shows who asked for it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from corpus.terms import Action, Instant, OrderType, Side, Source, TimeInForce, Unit, decimal
from proxy.wire.order_events import UNREADABLE, OrderRequested
from proxy.wire.orders import with_body_key
from proxy.wire.rules import json_in_text

_WORDS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

_NOUNS: Final = frozenset(
    [
        "order",
        "orders",
        "trade",
        "trades",
        "position",
        "positions",
        "stock",
        "stocks",
        "crypto",
        "option",
        "options",
        "shares",
    ]
)
_PLACE: Final = frozenset(["place", "submit", "create", "send", "execute", "enter", "open", "make", "put", "new"])
_REPLACE: Final = frozenset(["replace", "modify", "amend", "edit", "update", "change"])
_CLOSE: Final = frozenset(["close", "liquidate", "flatten"])
_EVERYTHING: Final = frozenset(["all", "everything", "portfolio"])
_READS: Final = frozenset(
    [
        "get",
        "list",
        "show",
        "fetch",
        "read",
        "find",
        "search",
        "query",
        "describe",
        "check",
        "lookup",
        "view",
        "count",
        "status",
        "history",
        "preview",
        "estimate",
        "quote",
        "calculate",
        "analyze",
        "analyse",
        "explain",
        "simulate",
        "backtest",
        "compute",
        "compare",
        "summarize",
        "summarise",
        "monitor",
        "track",
        "should",
        "can",
        "is",
        "has",
        "suggest",
        "recommend",
        "plan",
    ]
)
_ABOUT: Final = frozenset(
    [
        "history",
        "status",
        "preview",
        "estimate",
        "report",
        "summary",
        "analysis",
        "alert",
        "email",
        "notification",
        "journal",
        "log",
        "book",
        "chain",
        "signal",
        "idea",
        "simulation",
        "backtest",
    ]
)
"""Things about orders that are none: `create_order_preview` places nothing."""

_MONEY: Final = frozenset(["fund", "funds", "money", "cash", "balance", "asset", "assets", "coin", "coins", "crypto"])


def action_of(name: str, arguments: Mapping[str, Any]) -> Action | None:
    """
    What a tool does to orders or money, by its name's words and its arguments; None for anything else.

    A verb alone is not enough: `create_report` places nothing.
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    given = set(words)
    if not words or words[0] in _READS or given & _ABOUT:
        return None
    return _money_action(given, arguments) or _order_action(words, given, arguments)


def _money_action(given: set[str], arguments: Mapping[str, Any]) -> Action | None:
    if given & {"withdraw", "withdrawal"}:
        return Action.WITHDRAW
    # Agents hand conversations over by tools called transfer_to_somebody: only money is moved with an amount.
    moved = _first(arguments, (*_QUANTITY, *_NOTIONAL, *_AMBIGUOUS, "asset", "currency", "coin"))
    if "transfer" in given and (given & _MONEY or (moved is not None and not given & _NOUNS)):
        return Action.TRANSFER
    if "leverage" in given and given & {"set", *_REPLACE}:
        return Action.LEVERAGE
    return None


def _order_action(words: list[str], given: set[str], arguments: Mapping[str, Any]) -> Action | None:
    every = bool(given & _EVERYTHING)
    bare = given <= {"cancel", *_CLOSE, *_EVERYTHING}
    if "cancel" in given and (given & _NOUNS or bare or _first(arguments, _OWN_ORDER_ID)):
        return Action.CANCEL_ALL if every else Action.CANCEL
    if given & _CLOSE and (given & _NOUNS or (bare and every) or _first(arguments, _SYMBOL)):
        return Action.CLOSE_ALL if every else Action.CLOSE
    if "exercise" in given:
        return Action.EXERCISE
    if given & {"order", "orders"}:
        if given & _REPLACE:
            return Action.REPLACE
        if words[0] in ("validate", "test"):
            return Action.VALIDATE
        if words[0] == "confirm":
            return Action.CONFIRM
    return Action.PLACE if _places(words, given, arguments) else None


def _places(words: list[str], given: set[str], arguments: Mapping[str, Any]) -> bool:
    sided = _first(arguments, _SIDE) is not None or bool(given & {"buy", "sell"})
    sized = _first(arguments, (*_QUANTITY, *_NOTIONAL, *_AMBIGUOUS)) is not None
    orderlike = _first(arguments, _SYMBOL) is not None and (sized or _first(arguments, _SIDE) is not None)
    if words[0] in ("buy", "sell") and (orderlike or given & _NOUNS):
        return True
    if given & _PLACE and given & _NOUNS:
        # `open_orders` lists what works already.
        single = given & {"order", "trade"} or ("orders" in given and not given & {"open", "new"})
        if orderlike or single:
            return True
    return bool(given & {"order", "trade", "buy", "sell"}) and orderlike and sided


_SYMBOL: Final = ("symbol", "ticker", "instrument", "tradingsymbol", "product_id", "instId", "asset", "market", "pair")
_SIDE: Final = ("side", "action", "transaction_type", "direction", "order_side", "buy_sell")
_QUANTITY: Final = ("qty", "quantity", "shares", "size", "units", "volume", "contracts")
_NOTIONAL: Final = ("notional", "dollars", "quote_size", "cost", "amount_usd", "usd_amount")
_AMBIGUOUS: Final = ("amount",)
_LIMIT: Final = ("limit_price", "limitPrice", "price", "limit")
_STOP: Final = ("stop_price", "stopPrice", "trigger_price", "stop")
_TYPE: Final = ("type", "order_type", "orderType", "ordType")
_TIF: Final = ("time_in_force", "timeInForce", "tif", "duration", "validity")
_CLIENT_ID: Final = (
    "client_order_id",
    "clientOrderId",
    "newClientOrderId",
    "orderLinkId",
    "clOrdId",
    "cl_ord_id",
    "cOID",
)
_OWN_ORDER_ID: Final = ("order_id", "orderId", "orderID", "order_uuid")
_ORDER_ID: Final = (*_OWN_ORDER_ID, "id")
_ACCOUNT: Final = ("account", "account_id", "accountId", "accountName", "account_number")
_ASSET: Final = ("asset", "currency", "coin")
_DESTINATION: Final = ("address", "destination", "to", "to_address", "recipient")

_TYPES: Final = {
    "market": OrderType.MARKET,
    "mkt": OrderType.MARKET,
    "limit": OrderType.LIMIT,
    "lmt": OrderType.LIMIT,
    "stop": OrderType.STOP,
    "stp": OrderType.STOP,
    "stop_limit": OrderType.STOP_LIMIT,
    "trailing_stop": OrderType.TRAILING_STOP,
}


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value != "":
            return str(value)
    return None


def read_call(
    name: str, arguments: str | Mapping[str, Any], source: Source, exchange: int, at_ns: Instant, item: int
) -> OrderRequested | None:
    """
    The intent of one tool call, or None when it does not act.

    Args:
        name: The tool's name.
        arguments: Its arguments, as JSON text or loaded with printed numbers.
        source: llm or mcp.
        exchange: Where it was seen.
        at_ns: When.
        item: Its number among the intents of the exchange.

    Returns:
        The order as asked for. A malformed call of an order tool still yields one, with nulls.
    """
    loaded = arguments if isinstance(arguments, Mapping) else json_in_text(arguments)
    given: Mapping[str, Any] = loaded if isinstance(loaded, Mapping) else {}
    for wrapper in ("order", "params", "request", "input"):
        inner = given.get(wrapper)
        if isinstance(inner, Mapping) and _first(given, _SYMBOL) is None:
            given = {**given, **inner}
    action = action_of(name, given)
    if action is None:
        return None
    words = [word.lower() for word in _WORDS.findall(name)]
    quantity, unit = _quantity(given)
    limit, stop = decimal(_first(given, _LIMIT)), decimal(_first(given, _STOP))
    order = OrderRequested(
        at_ns=at_ns,
        exchange=exchange,
        source=source,
        venue="unknown",
        action=action,
        item=item,
        account=_first(given, _ACCOUNT),
        client_order_id=_first(given, _CLIENT_ID),
        venue_order_id=_first(given, _ORDER_ID) if action in (Action.CANCEL, Action.REPLACE) else None,
        symbol=_first(given, _SYMBOL) if action not in (Action.WITHDRAW, Action.TRANSFER) else None,
        side=_side(given, words),
        type=_type(given, limit, stop) if action is Action.PLACE else None,
        tif=_tif(given),
        quantity=quantity,
        unit=unit,
        limit_price=limit,
        stop_price=stop,
        asset=_first(given, _ASSET) if action in (Action.WITHDRAW, Action.TRANSFER) else None,
        destination=_first(given, _DESTINATION) if action in (Action.WITHDRAW, Action.TRANSFER) else None,
        extra=(("tool", name), *(((UNREADABLE, "quantity"),) if quantity is None and _sized(given) else ())),
    )
    return with_body_key(order)


def _quantity(given: Mapping[str, Any]) -> tuple[Decimal | None, Unit]:
    quantity = decimal(_first(given, _QUANTITY))
    notional = decimal(_first(given, _NOTIONAL))
    if quantity is not None and notional is not None:
        return quantity, Unit.UNKNOWN
    if quantity is not None:
        return quantity, Unit.BASE
    if notional is not None:
        return notional, Unit.QUOTE
    return decimal(_first(given, _AMBIGUOUS)), Unit.UNKNOWN


def _sized(given: Mapping[str, Any]) -> bool:
    return any(given.get(name) not in (None, "") for name in (*_QUANTITY, *_NOTIONAL, *_AMBIGUOUS))


def _side(given: Mapping[str, Any], words: list[str]) -> Side | None:
    for name in _SIDE:
        said = (_first(given, (name,)) or "").lower()
        if said in ("buy", "b", "long", "buy_to_open", "buy_to_cover", "buy_to_close"):
            return Side.BUY
        if said in ("sell", "s", "short", "sell_short", "sell_to_open", "sell_to_close"):
            return Side.SELL
    if "buy" in words and "sell" not in words:
        return Side.BUY
    return Side.SELL if "sell" in words and "buy" not in words else None


def _type(given: Mapping[str, Any], limit: Decimal | None, stop: Decimal | None) -> OrderType | None:
    said = _first(given, _TYPE)
    if said is not None:
        return _TYPES.get(said.lower().replace(" ", "_").replace("-", "_"), OrderType.OTHER)
    if stop is not None:
        return OrderType.STOP_LIMIT if limit is not None else OrderType.STOP
    return OrderType.LIMIT if limit is not None else None


def _tif(given: Mapping[str, Any]) -> TimeInForce | None:
    said = (_first(given, _TIF) or "").lower()
    try:
        return TimeInForce(said)
    except ValueError:
        return None
