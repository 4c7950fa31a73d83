"""What every model of the corpus is built on: frozen, no unknown keys, exact numbers."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict

from corpus.strict_yaml import Printed
from corpus.terms import decimal


class Frozen(BaseModel):
    """A model whose unknown keys are errors and whose values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class KeyProblem(ValueError):
    """What is wrong with one key below the value that was checked: `path` leads to it."""

    def __init__(self, message: str, *path: str | int) -> None:
        self.path = path
        super().__init__(message)


_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?\Z")


def _without_comma(text: str) -> str:
    if _THOUSANDS.match(text):
        return f'; leave out the comma: "{text.replace(",", "")}"'
    pointed = text.replace(",", ".")
    return f'; write a point for the comma: "{pointed}"' if "," in text and decimal(pointed) is not None else ""


def exact(value: object) -> object:
    """A decimal from a string or an integer; YAML floats lose digits before we see them, so they are refused."""
    if isinstance(value, Decimal) or value is None:
        return value
    if type(value) in (str, int):
        found = decimal(value)
        if found is not None:
            return found
        raise ValueError(f'"{value}" is no decimal number{_without_comma(str(value))}')
    if isinstance(value, bool):
        raise ValueError(f"a number is wanted here, not {str(value).lower()}")
    raise ValueError(f'write numbers as decimal strings: "{value}", not {value}')


type Exact = Annotated[Decimal, BeforeValidator(exact)]


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError(f'write a date as 2026-11-30, not "{value}"') from None


type Day = Annotated[date, BeforeValidator(_day)]


def _no_number(value: object) -> object:
    if isinstance(value, Printed) or (isinstance(value, int) and not isinstance(value, bool)):
        raise ValueError(f'text is wanted here; put it in quotes: "{value}"')
    return value


type Text = Annotated[str, BeforeValidator(_no_number)]
"""Text that may look like a number, such as a parameter of a payload: it must be quoted, so that it stays as it is."""


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


type Several[T] = Annotated[tuple[T, ...], BeforeValidator(_several)]
"""One value or a list of them."""


def canonical(value: Any) -> str:
    """Compact JSON with sorted keys, the form that hashes are taken of."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
