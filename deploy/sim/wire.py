"""JSON in and out without floats, and the parameters of requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any, Final

import msgspec
from aiohttp import web

from corpus.terms import Instant, instant
from deploy.sim.bars import at
from proxy.broker.replies import Reply

MAX_BODY: Final = 4_000_000
"""Bytes of a request that the sim reads; the venues themselves stop earlier."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
_DECODER: Final = msgspec.json.Decoder(float_hook=Decimal)
_JSON: Final = {"Content-Type": "application/json; charset=UTF-8"}
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)


class Refused(Exception):
    """A request that ends here with a reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def dump(value: object) -> bytes:
    """Compact JSON; a Decimal is printed as the number that it is."""
    return _ENCODER.encode(value)


def load(raw: bytes | str) -> Any:
    """
    JSON with Decimals for fractions.

    Raises:
        ValueError: Not JSON, NaN, not UTF-8, or nested too deep.
    """
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ArithmeticError) as error:
        raise ValueError(str(error) or type(error).__name__) from None


def respond(reply: Reply) -> web.Response:
    """A reply as an HTTP response; without a body it is empty, as a 204 must be."""
    if reply.body is None:
        return web.Response(status=reply.status)
    return web.Response(body=dump(reply.body), status=reply.status, headers=_JSON)


def data_error(message: str, status: int = 400) -> Refused:
    """A refusal in the shape of Alpaca's market data API, which sends no code."""
    return Refused(Reply(status, {"message": message}))


def symbols(query: Mapping[str, str]) -> tuple[str, ...]:
    """The `symbols` parameter: upper case, sorted, each once."""
    found = {part.strip().upper() for part in query.get("symbols", "").split(",")}
    return tuple(sorted(found - {""}))


def moment(query: Mapping[str, str], name: str, default: Instant) -> Instant:
    """A time parameter; a bare date is midnight in New York. Raises Refused."""
    text = query.get(name, "")
    if not text:
        return default
    found = instant(text)
    if found is not None and _DATE.match(text):
        try:
            return at(date.fromisoformat(text), time())
        except (ValueError, OverflowError):
            found = None
    if found is None:
        raise data_error(f"invalid {name}: {text[:64]}; write RFC-3339 or YYYY-MM-DD")
    return found


def count(query: Mapping[str, str], name: str, default: int, most: int) -> int:
    """A whole-number parameter from 1 to `most`. Raises Refused."""
    text = query.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most):
        raise data_error(f"invalid {name}: must be between 1 and {most}")
    return int(text)


def choice(query: Mapping[str, str], name: str, options: tuple[str, ...]) -> str:
    """One of a few words, the first one by default. Raises Refused."""
    text = query.get(name, "") or options[0]
    if text not in options:
        raise data_error(f"invalid {name}: must be one of {', '.join(options)}")
    return text


def flag(query: Mapping[str, str], name: str) -> bool:
    """A truth parameter, in any of the spellings that clients send."""
    return query.get(name, "").lower() in ("true", "1", "t", "yes")
