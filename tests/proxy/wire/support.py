"""Requests and responses for tests of readers, written short."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from corpus.terms import Action, Side, Source
from proxy.wire.exchange import Headers, Request, Response
from proxy.wire.order_events import OrderRequested

JSON = {"content-type": "application/json"}


def headers(values: dict[str, str] | None) -> Headers:
    return Headers(tuple((name.encode(), value.encode()) for name, value in (values or {}).items()))


def request(
    method: str, url: str, body: bytes | None = b"", head: dict[str, str] | None = None, at_ns: int = 1
) -> Request:
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return Request(method, parts.scheme, parts.hostname or "", parts.port or 443, path, headers(head), body, at_ns)


def response(status: int, body: bytes | None = b"", head: dict[str, str] | None = None, **more: Any) -> Response:
    return Response(status=status, headers=headers(head), body=body, at_ns=2, end_ns=3, **more)


def placed(**values: Any) -> OrderRequested:
    """An order request that fits every intent of the same name, unless told otherwise."""
    given = {
        "at_ns": 1,
        "exchange": 1,
        "source": Source.WIRE,
        "venue": "alpaca",
        "action": Action.PLACE,
        "symbol": "AAPL",
        "side": Side.BUY,
        "quantity": Decimal(1),
    }
    return OrderRequested(**(given | values))


def shown(value: Any) -> Any:
    """A fact as a vector writes it: the fields that differ from their default, numbers as digits."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        out = {}
        for field in fields(value):
            given = getattr(value, field.name)
            if field.default is MISSING or given != field.default:
                out[field.name] = shown(given)
        return out
    if isinstance(value, tuple | list):
        return [shown(one) for one in value]
    return value
