"""What every model of the corpus is built on: frozen, no unknown keys, exact numbers."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from corpus.terms import decimal


class Frozen(BaseModel):
    """A model whose unknown keys are errors and whose values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def exact(value: object) -> object:
    """A decimal from a string or an integer; YAML floats lose digits before we see them, so they are refused."""
    if isinstance(value, Decimal) or value is None:
        return value
    if type(value) in (str, int):
        found = decimal(value)
        if found is not None:
            return found
        raise ValueError(f'"{value}" is no decimal number')
    raise ValueError(f'write numbers as decimal strings: "{value}", not {value}')


type Exact = Annotated[Decimal, BeforeValidator(exact)]


def _day(value: object) -> object:
    return date.fromisoformat(value) if isinstance(value, str) else value


type Day = Annotated[date, BeforeValidator(_day)]


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


type Several[T] = Annotated[tuple[T, ...], BeforeValidator(_several)]
"""One value or a list of them."""


def canonical(value: Any) -> str:
    """Compact JSON with sorted keys, the form that hashes are taken of."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
