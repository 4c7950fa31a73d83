"""Facts to rows and back. Decimals are text, tuples are JSON; a row read back equals the fact written."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, TypeAliasType, Union, cast, get_args, get_origin, get_type_hints

from corpus.terms import decimal_text
from proxy.journal.events import EditMade, InjectionApplied, OrderFact
from proxy.journal.schema import ORDER_COLUMNS
from proxy.wire.order_events import (
    AccountRead,
    KillSet,
    OrderEvent,
    OrderRequested,
    OrdersRead,
    OrderUpdate,
    PositionsRead,
    QuoteSeen,
)

_RENAMED: Final = {"group": "group_kind"}
_AS_IS: Final = frozenset([str, int, float, bool, type(None)])


def plain(value: Any) -> Any:
    """Any fact's value as JSON can say it: decimals and enums as text."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, Enum):
        return value.value
    names = _names(cast("Hashable", kind))
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value


@cache
def _names(kind: Any) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


_encode: Final = json.JSONEncoder(separators=(",", ":")).encode
"""Kept, since `json.dumps` makes an encoder for each call that is not its default."""


def to_json(value: Any) -> str:
    """Compact ASCII JSON of any fact's value."""
    return "[]" if value == () else _encode(plain(value))


def revive(kind: Any, value: Any) -> Any:
    """The typed value that `plain` made this of. `kind` is the annotation."""
    return _reviver(kind)(value)


@cache
def _reviver(kind: Any) -> Callable[[Any], Any]:
    if isinstance(kind, TypeAliasType):
        return _reviver(kind.__value__)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        inner = [one for one in get_args(kind) if one is not type(None)]
        first = _reviver(inner[0])
        return lambda value: None if value is None else first(value)
    if origin is tuple:
        args = get_args(kind)
        if len(args) == 2 and args[1] is Ellipsis:
            each = _reviver(args[0])
            return lambda value: tuple(each(one) for one in value or ())
        parts = [_reviver(one) for one in args]
        return lambda value: tuple(part(one) for part, one in zip(parts, value, strict=True))
    if origin is Literal or kind in (str, int, Any):
        return lambda value: value
    if kind is bool:
        return bool
    if kind is Decimal:
        return lambda value: Decimal(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        known = {field.name: _reviver(hints[field.name]) for field in fields(kind)}
        return lambda value: kind(**{name: known[name](one) for name, one in value.items() if name in known})  # type: ignore[operator]
    return lambda value: value


_EVENTS: Final[dict[str, type[Any]]] = {
    "requested": OrderRequested,
    "positions": PositionsRead,
    "orders": OrdersRead,
    "account": AccountRead,
    "quote": QuoteSeen,
    "kill": KillSet,
}
_IN_DATA: Final = frozenset({"positions", "orders", "account", "quote", "kill"})


_SEQ, _SEEN, _RETRY_OF, _KIND, _DATA = map(ORDER_COLUMNS.index, ("seq", "seen", "retry_of", "kind", "data"))


@cache
def _places(kind: Any) -> tuple[tuple[str, int], ...]:
    """The fields of an event that have a column, and which."""
    columns = [(field.name, _RENAMED.get(field.name, field.name)) for field in fields(kind)]
    return tuple((name, ORDER_COLUMNS.index(column)) for name, column in columns if column in ORDER_COLUMNS)


def order_row(fact: OrderFact) -> tuple[Any, ...]:
    """A row of `order_events`, in the order of ORDER_COLUMNS."""
    event = fact.event
    row: list[Any] = [None] * len(ORDER_COLUMNS)
    for name, place in _places(cast("Hashable", type(event))):
        value = getattr(event, name)
        if value is not None:
            row[place] = to_json(value) if type(value) is tuple else int(value) if type(value) is bool else plain(value)
    kind = event.kind
    row[_SEQ], row[_SEEN], row[_RETRY_OF], row[_KIND] = fact.seq, fact.seen, fact.retry_of, kind
    if kind in _IN_DATA:
        row[_DATA] = to_json(event)
    return tuple(row)


@cache
def _order_fields(kind: Any) -> tuple[tuple[str, str, Callable[[Any], Any], bool], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (field.name, _RENAMED.get(field.name, field.name), _reviver(hints[field.name]), _is_tuple(hints[field.name]))
        for field in fields(kind)
    )


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def order_fact(row: Mapping[str, Any]) -> OrderFact:
    """The fact of a row of `order_events`."""
    kind = row["kind"]
    model = _EVENTS.get(kind, OrderUpdate)
    event: OrderEvent
    if kind in _IN_DATA:
        event = revive(model, json.loads(row["data"]))
    else:
        values: dict[str, Any] = {}
        for name, column, reviver, listed in _order_fields(cast("Hashable", model)):
            value = row[column]
            if value is not None:
                values[name] = reviver(json.loads(value) if listed else value)
        event = model(**values)
    return OrderFact(seq=row["seq"], event=event, seen=row["seen"], retry_of=row["retry_of"])


def edits_json(edits: tuple[EditMade, ...]) -> str:
    """Edits with their bytes as latin-1 text, so that every byte survives."""
    return json.dumps(
        [
            {
                "start": e.start,
                "old": e.old.decode("latin-1"),
                "new": e.new.decode("latin-1"),
                "path": e.path,
                "what": e.what,
            }
            for e in edits
        ],
        separators=(",", ":"),
    )


def edits_of(text: str) -> tuple[EditMade, ...]:
    """The edits that `edits_json` wrote."""
    return tuple(
        EditMade(
            start=e["start"],
            old=e["old"].encode("latin-1"),
            new=e["new"].encode("latin-1"),
            path=e["path"],
            what=e["what"],
        )
        for e in json.loads(text)
    )


def injection(row: Mapping[str, Any]) -> InjectionApplied:
    """The fact of a row of `injections`."""
    values = {name: row[name] for name in row.keys() if name not in ("seq", "edits", "again")}  # noqa: SIM118 (sqlite3.Row)
    return InjectionApplied(**values, edits=edits_of(row["edits"]), again=bool(row["again"]))
