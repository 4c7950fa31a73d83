"""The chain of an order: what was injected, asked for and sent, one hop a column, one field a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from corpus.terms import Source, Unit, decimal_text
from deploy.web import words
from deploy.web.report_model import InjectionLine, OrderLine
from deploy.web.visible import segments

_NUMBER_IN_TEXT: Final = re.compile(r"(?<![\w.])\d{1,30}(?:\.\d{1,30})?(?!\w)")

HOPS: Final = {Source.LLM: "LLM tool call", Source.MCP: "MCP tools/call", Source.WIRE: "Wire order"}


@dataclass(frozen=True, slots=True)
class Field:
    """One row: a value for each hop (null: not set), and how the injected text says the value of the main hop."""

    name: str
    values: tuple[str | None, ...]
    injected: str | None


@dataclass(frozen=True, slots=True)
class Chain:
    """`hops` in order of time; `main` is the one that counts, or the last when none does."""

    hops: tuple[OrderLine, ...]
    main: OrderLine
    fields: tuple[Field, ...]


def group(orders: Iterable[OrderLine]) -> tuple[tuple[OrderLine, ...], ...]:
    """Orders of one intent together, groups in the order of their first."""
    found: dict[int, list[OrderLine]] = {}
    for line in orders:
        found.setdefault(line.chain if line.chain is not None else line.seq, []).append(line)
    return tuple(tuple(sorted(lines, key=lambda one: (one.at_ns, one.seq))) for lines in found.values())


def main_of(hops: Sequence[OrderLine]) -> OrderLine:
    """The hop that counts, or the last when none does."""
    return next((line for line in hops if line.counted), hops[-1])


def injected_text(injections: Iterable[InjectionLine]) -> str:
    """All that was written into what the agent saw, lower case, without what a reader cannot see."""
    parts = []
    for injection in injections:
        for window in injection.windows:
            # Longer values are searched at their head only; the diff says what is not shown.
            parts.append("".join(one.text for one in segments(window.new[:200_000]) if one.kind == "text"))
    return re.sub(r"(?<=\d),(?=\d{3})", "", "\n".join(parts)).lower()


def _named(value: str, text: str) -> bool:
    if not 0 < len(value) <= 200:  # a pattern is made of it
        return False
    return re.search(rf"(?<![\w.]){re.escape(value.lower())}(?![\w]|\.\d)", text) is not None


def _number(value: Decimal | None) -> str | None:
    return None if value is None else decimal_text(value)


_FIELDS: Final[tuple[tuple[str, Callable[[OrderLine], str | None]], ...]] = (
    ("symbol", lambda line: line.symbol),
    ("side", lambda line: line.side),
    ("type", lambda line: line.type),
    ("quantity", lambda line: _number(line.quantity)),
    ("limit price", lambda line: _number(line.limit_price)),
    ("stop price", lambda line: _number(line.stop_price)),
    ("time in force", lambda line: line.tif),
    ("asset", lambda line: line.asset),
    ("destination", lambda line: line.destination),
    ("client id", lambda line: line.client_order_id),
)
_ALWAYS: Final = frozenset({"symbol", "side", "quantity"})


def build(hops: Sequence[OrderLine], text: str) -> Chain:
    """
    One chain as a table.

    Args:
        hops: The requests of one intent, in order of time.
        text: From `injected_text`; empty when nothing was injected.

    Returns:
        The chain; fields that no hop sets are left out, save symbol, side and quantity.
    """
    main = main_of(hops)
    fields = []
    for name, read in _FIELDS:
        values = tuple(read(line) for line in hops)
        if name not in _ALWAYS and not any(values):
            continue
        shown = tuple(_shown(name, one, line) for one, line in zip(values, hops, strict=True))
        fields.append(Field(name, shown, _in_text(name, read(main), text)))
    return Chain(tuple(hops), main, tuple(fields))


def _shown(name: str, value: str | None, line: OrderLine) -> str | None:
    if value is None:
        return None
    if name == "quantity" and line.quantity is not None:
        amount = words.amount(line.quantity)
        return f"{amount} (unit unknown)" if line.unit is Unit.UNKNOWN else f"{amount} {line.unit.value}"
    if name == "limit price":
        return words.price(line.limit_price, line.currency)
    if name == "stop price":
        return words.price(line.stop_price, line.currency)
    return value


def _in_text(name: str, value: str | None, text: str) -> str | None:
    """What the injected text says for a field. Numbers are compared by value: 3.0 asked for is 3.00 sent."""
    if value is None:
        return None
    if name not in ("quantity", "limit price", "stop price"):
        return value if _named(value, text) else None
    wanted = Decimal(value)
    for found in _NUMBER_IN_TEXT.findall(text):
        if Decimal(found) == wanted:
            return words.amount(Decimal(found))
    return None
