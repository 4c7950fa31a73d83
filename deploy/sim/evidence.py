"""What a conversation holds so far: calls made, and the numbers in their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from corpus.terms import decimal
from deploy.sim import wire

_DEEPEST: Final = 12
_CLOSES: Final = ("c", "close", "Close")
_PRICES: Final = ("ap", "ask_price", "ask", "price", "last", "p", "c", "close")
_NAMES: Final = ("symbol", "symbols", "ticker", "tickers", "instrument")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Calls as (name, arguments) in order, and result contents as sent, each with the arguments of its call."""

    calls: tuple[tuple[str, Any], ...]
    contents: tuple[str, ...]
    results: tuple[tuple[Any, Any], ...]
    """(arguments of the call, result as JSON) for results that are JSON."""

    @classmethod
    def of(cls, messages: list[dict[str, Any]]) -> Evidence:
        """Read a conversation; what can't be read is left out."""
        calls, contents, results = [], [], []
        by_id: dict[str, Any] = {}
        for message in messages:
            for call in message.get("tool_calls") or [] if message["role"] == "assistant" else []:
                function = call.get("function") if isinstance(call, dict) else None
                if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                    continue
                arguments = _json(function.get("arguments"))
                calls.append((function["name"], arguments))
                if isinstance(call.get("id"), str):
                    by_id[call["id"]] = arguments
            if message["role"] in ("tool", "function"):
                asked = by_id.get(message["tool_call_id"]) if isinstance(message.get("tool_call_id"), str) else None
                for text in _texts(message.get("content")):
                    contents.append(text)
                    results.append((asked, _json(text)))
        return cls(tuple(calls), tuple(contents), tuple(results))

    def made(self, name: str, arguments: dict[str, Any]) -> bool:
        """Whether this call was made before, with these arguments."""
        return any(name == made and _alike(arguments, given) for made, given in self.calls)

    def closes(self, symbol: str) -> list[Decimal]:
        """Closes of a symbol, in the order of the last result that holds any."""
        found: list[Decimal] = []
        for asked, result in self.results:
            rows = _rows(result, symbol, _asks_for(asked, symbol), 0)
            if rows:
                found = rows
        return found

    def positions(self) -> dict[str, Decimal]:
        """Signed shares by symbol, as last seen."""
        out: dict[str, Decimal] = {}
        for _, result in self.results:
            for item in _objects(result):
                symbol, quantity = item.get("symbol"), decimal(item.get("qty", item.get("quantity")))
                if isinstance(symbol, str) and quantity is not None and item.get("side") in ("long", "short", None):
                    out[symbol] = -abs(quantity) if item.get("side") == "short" else quantity
        return out

    def cash(self) -> Decimal | None:
        """Cash as last seen, USD."""
        found = [decimal(item["cash"]) for _, result in self.results for item in _objects(result) if "cash" in item]
        return found[-1] if found else None

    def price(self, symbol: str) -> Decimal | None:
        """The last price of a symbol that a result named, USD."""
        closes = self.closes(symbol)
        found = closes[-1] if closes else None
        for asked, result in self.results:
            for item in _about(result, symbol, _asks_for(asked, symbol)):
                prices = (decimal(item[key]) for key in _PRICES if key in item)
                found = next((price for price in prices if price), found)
        return found


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]


def _json(text: Any) -> Any:
    if not isinstance(text, str):
        return None
    try:
        return wire.load(text)
    except ValueError:
        return None


def _alike(one: Any, two: Any) -> bool:
    """Equal, numbers by value and in either spelling, so that "10" is 10."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(_alike(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(_alike, one, two))
    left, right = decimal(one), decimal(two)
    return left == right if left is not None and right is not None else bool(one == two)


def _asks_for(asked: Any, symbol: str) -> bool:
    if not isinstance(asked, dict):
        return False
    given = [asked[name] for name in _NAMES if name in asked]
    return symbol in given or [symbol] in given


def _rows(value: Any, symbol: str, alone: bool, depth: int) -> list[Decimal]:
    """Closes in rows below a key with the symbol's name, or in any rows when only that symbol was asked for."""
    if depth > _DEEPEST:
        return []
    if isinstance(value, dict):
        if symbol in value:
            return _rows(value[symbol], symbol, True, depth + 1)
        for item in value.values():
            found = _rows(item, symbol, alone, depth + 1)
            if found:
                return found
    if isinstance(value, list) and alone:
        closes = [decimal(next((row[k] for k in _CLOSES if k in row), None)) for row in value if isinstance(row, dict)]
        return [close for close in closes if close is not None]
    return []


def _objects(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _objects(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item, depth + 1)


def _about(value: Any, symbol: str, alone: bool) -> Iterator[dict[str, Any]]:
    for item in _objects(value):
        below = item.get(symbol)
        if isinstance(below, dict):
            yield below
        elif item.get("symbol") == symbol or alone:
            yield item
