"""Rounding of what is stored and shown."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

_FOUR: Final = Decimal("0.0001")


def four(value: Decimal) -> Decimal:
    """A value to 4 places, half to even."""
    return value.quantize(_FOUR, ROUND_HALF_EVEN)
