"""The tools that a request offers, told apart by their names and schemas, and calls built to fit them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

type Role = Literal[
    "order",
    "buy",
    "sell",
    "bars",
    "news",
    "quote",
    "account",
    "positions",
    "cancel_all",
    "close",
    "close_all",
    "withdraw",
]

_ROLES: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    ("withdraw", re.compile(r"withdraw|transfer|payout|send_(funds|money|cash)")),
    ("cancel_all", re.compile(r"cancel.*all|cancel_orders")),
    ("close_all", re.compile(r"(close|liquidate).*(all|positions)")),
    ("close", re.compile(r"(close|liquidate).*position")),
    ("order", re.compile(r"(place|submit|create|send|new|make|execute).*(order|trade)|^(order|trade)$")),
    ("buy", re.compile(r"^buy|_buy$")),
    ("sell", re.compile(r"^sell|_sell$")),
    ("bars", re.compile(r"bars|candle|kline|ohlc|history|historical")),
    ("news", re.compile(r"news|headline")),
    ("quote", re.compile(r"quote|price|ticker|snapshot|latest_trade")),
    ("positions", re.compile(r"positions|holdings")),
    ("account", re.compile(r"account|balance|portfolio|cash")),
)
_NOT: Final = re.compile(r"option|crypto|replace|config|activit|history_of_orders|cancel_order_by")
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "symbol": ("symbol", "ticker", "instrument", "asset", "stock", "symbol_or_asset_id", "product_id"),
    "symbols": ("symbols", "tickers"),
    "side": ("side", "action", "direction", "order_side"),
    "qty": ("qty", "quantity", "shares", "size", "amount", "units", "volume"),
    "notional": ("notional", "dollars", "cash_amount"),
    "type": ("type", "order_type", "ordertype"),
    "tif": ("time_in_force", "tif", "timeinforce", "duration"),
    "limit_price": ("limit_price", "limitprice", "limit", "price"),
    "to": ("to", "destination", "address", "account", "iban", "recipient"),
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One offered function. `properties` maps argument names to their JSON schemas."""

    name: str
    description: str
    properties: dict[str, dict[str, Any]]
    required: tuple[str, ...]

    def argument(self, meaning: str) -> str | None:
        """The name of the argument with a meaning, or null."""
        wanted = _NAMES[meaning]
        by_rank = sorted((n for n in self.properties if n.lower() in wanted), key=lambda n: wanted.index(n.lower()))
        return by_rank[0] if by_rank else None

    def texts(self) -> Iterable[str]:
        """Everything in it that a model reads as prose."""
        yield self.description
        for schema in self.properties.values():
            described = schema.get("description")
            if isinstance(described, str):
                yield described


def read(offered: Any) -> tuple[Tool, ...]:
    """The functions in a request's `tools`; what is no function is left out."""
    out = []
    for item in offered if isinstance(offered, list) else []:
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            continue
        schema = function.get("parameters")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        required = schema.get("required") if isinstance(schema, dict) else None
        out.append(
            Tool(
                function["name"],
                function["description"] if isinstance(function.get("description"), str) else "",
                {k: v for k, v in properties.items() if isinstance(v, dict)} if isinstance(properties, dict) else {},
                tuple(name for name in required if isinstance(name, str)) if isinstance(required, list) else (),
            )
        )
    return tuple(out)


def by_role(tools: Iterable[Tool]) -> dict[Role, Tool]:
    """The first tool of each role, in the order offered. One that deals in options or coins comes last."""
    out: dict[Role, Tool] = {}
    for tool in sorted(tools, key=lambda tool: bool(_NOT.search(tool.name.lower()))):
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool.name).lower().replace("-", "_")
        role = next((role for role, pattern in _ROLES if pattern.search(name)), None)
        if role is not None:
            out.setdefault(role, tool)
    return out


def order_arguments(
    tool: Tool, symbol: str, side: str, quantity: Decimal, limit_price: Decimal | None, notional: bool = False
) -> dict[str, Any]:
    """Arguments of an order in the tool's own words; what it has no word for is left out."""
    out: dict[str, Any] = {}
    kind = "limit" if limit_price is not None and tool.argument("limit_price") else "market"
    amount = "notional" if notional else "qty"
    given = (("symbol", symbol), ("side", side), (amount, quantity), ("type", kind), ("tif", "day"))
    for meaning, value in given:
        name = tool.argument(meaning)
        if name is not None:
            out[name] = fit(tool.properties[name], value)
    price_name = tool.argument("limit_price")
    if kind == "limit" and price_name is not None:
        out[price_name] = fit(tool.properties[price_name], limit_price)
    return out


def symbol_arguments(tool: Tool, symbols: tuple[str, ...]) -> list[dict[str, Any]]:
    """Arguments that ask about some symbols: one call where the tool takes many, else one for each."""
    many = tool.argument("symbols")
    if many is not None:
        listed = tool.properties[many].get("type") == "array"
        return [{many: list(symbols) if listed else ",".join(symbols)}]
    one = tool.argument("symbol")
    return [{}] if one is None else [{one: fit(tool.properties[one], symbol)} for symbol in symbols]


def fit(schema: dict[str, Any], value: Any) -> Any:
    """A value in the type and the spelling that a schema asks for."""
    options = schema.get("enum")
    if isinstance(options, list):
        for option in options:
            if isinstance(option, str) and option.lower() == str(value).lower():
                return option
    kinds = schema.get("type")
    if isinstance(value, Decimal):
        if kinds == "string" or (isinstance(kinds, list) and "string" in kinds and "number" not in kinds):
            return f"{value:f}"
        return int(value) if value == value.to_integral_value() else value
    return [value] if kinds == "array" else value
