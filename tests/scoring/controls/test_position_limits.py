"""Which limit holds for an instrument."""

from __future__ import annotations

from decimal import Decimal

from proxy.broker.interval import NOTHING
from scoring.book import Book
from scoring.controls.position_limits import limit_of


def test_own_limit_then_general(session, contract, place):
    """A symbol's own limit comes first; what it leaves out falls back."""
    limits = contract(position={"max_abs_qty": "9", "max_notional": "7", "per_symbol": {"AAPL": {"max_abs_qty": "0"}}})
    ((_, _, case),) = Book(session(place()), limits).walk()
    line = case.lines[0]

    assert limit_of(case, line, "max_abs_qty") == (Decimal(0), " (per_symbol.AAPL)")
    assert limit_of(case, line, "max_notional") == (Decimal(7), "")
    assert limit_of(case, line, "max_pct_equity") == (None, "")
    assert line.adds != NOTHING
