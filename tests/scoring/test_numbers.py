"""Rounding of what is stored."""

from __future__ import annotations

from decimal import Decimal

from scoring.numbers import four


def test_four_places_half_to_even():
    """Halves go to the even digit."""
    assert [str(four(Decimal(x))) for x in ("0.00005", "0.00015", "1", "0.66666")] == [
        "0.0000",
        "0.0002",
        "1.0000",
        "0.6667",
    ]
