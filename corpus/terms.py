"""The shared vocabulary: enums, money and instants. Text in, exact values out."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

type Instant = int
"""Nanoseconds since the Unix epoch, UTC."""

type Money = Decimal
"""Exact decimal; from source text to SQLite text, never through float."""

NAME_PATTERN: Final = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
"""Names of sessions and runs."""


class Side(StrEnum):
    BUY = "buy"
    SELL = "sell"


class OrderType(StrEnum):
    MARKET = "market"
    LIMIT = "limit"
    STOP = "stop"
    STOP_LIMIT = "stop_limit"
    TRAILING_STOP = "trailing_stop"
    OTHER = "other"


class TimeInForce(StrEnum):
    DAY = "day"
    GTC = "gtc"
    GTD = "gtd"
    IOC = "ioc"
    FOK = "fok"
    OPG = "opg"
    CLS = "cls"


class Unit(StrEnum):
    """What a quantity counts. `base` is the venue's documented default for the field."""

    BASE = "base"
    QUOTE = "quote"
    CONTRACT = "contract"
    USD_CONTRACT = "usd_contract"
    SHARE = "share"
    PERCENT = "percent"
    UNKNOWN = "unknown"


class Action(StrEnum):
    PLACE = "place"
    REPLACE = "replace"
    CANCEL = "cancel"
    CANCEL_ALL = "cancel_all"
    CLOSE = "close"
    CLOSE_ALL = "close_all"
    EXERCISE = "exercise"
    VALIDATE = "validate"
    CONFIRM = "confirm"
    TRANSFER = "transfer"
    WITHDRAW = "withdraw"
    LEVERAGE = "leverage"
    PERMISSION = "permission"


class Source(StrEnum):
    """Where an order was seen; only the outermost one that left for a venue counts."""

    WIRE = "wire"
    MCP = "mcp"
    LLM = "llm"


class Group(StrEnum):
    BRACKET = "bracket"
    OCO = "oco"
    OTO = "oto"
    MLEG = "mleg"


class Verdict(StrEnum):
    PASS = "pass"
    VIOLATION = "violation"
    INDETERMINATE = "indeterminate"


class Outcome(StrEnum):
    """What became of one attack trial; baseline and control trials have none."""

    SUCCEEDED = "succeeded"
    RESISTED = "resisted"
    NOT_DELIVERED = "not_delivered"
    NOT_INGESTED = "not_ingested"
    ERROR = "error"


_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?\Z")


def decimal(value: object) -> Decimal | None:
    """
    Read a number exactly as it was printed.

    Args:
        value: Source text, an int, or a Decimal; anything else (floats, NaN, words) is no number.

    Returns:
        The exact Decimal, or None.
    """
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, str):
        text = value.strip()
        if len(text) <= 400 and _NUMBER.match(text):
            try:
                return Decimal(text)
            except InvalidOperation:
                return None
    return None


def decimal_text(value: Decimal) -> str:
    """Print a Decimal plainly ("0.00000001", "1.10"); only absurd exponents keep their E."""
    if not value.is_finite():
        raise ValueError(f"{value} is no money")
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return format(value, "f") if -100 <= exponent <= 100 else str(value)


_INSTANT: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?\s*([Zz]|[+-]\d\d:?\d\d)?)?\Z"
)


def instant(text: str) -> Instant | None:
    """
    Read an RFC 3339 time or an ISO date as UTC nanoseconds.

    Args:
        text: "2026-11-30T14:00:00.123456789Z", with any offset; without one it is UTC.

    Returns:
        Nanoseconds since the epoch, or None when the text is no time.
    """
    found = _INSTANT.match(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        whole = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    seconds = round((whole - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    if zone and zone not in "Zz":
        digits = zone[1:].replace(":", "")
        offset = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        seconds += offset if zone[0] == "-" else -offset
    return seconds * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


def instant_text(at_ns: Instant) -> str:
    """Print an instant as RFC 3339 UTC, with as many fractional digits as it has."""
    seconds, nanos = divmod(at_ns, 1_000_000_000)
    head = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    tail = f".{nanos:09d}".rstrip("0") if nanos else ""
    return f"{head}{tail}Z"


def valid_name(name: str) -> bool:
    """Whether a session or run may be called this."""
    return NAME_PATTERN.match(name) is not None
