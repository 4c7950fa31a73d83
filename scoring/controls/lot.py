"""`order.lot`: the quantity is a whole number of lots."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.controls.base import OPENING, Case, Control, Finding, Line, verdict_of, worst_line
from scoring.valuation import text

RULE = "order.lot"


def judge(case: Case) -> Iterable[Finding]:
    """Orders by money amount have no certain quantity, so they can't be judged."""
    lot = case.contract.order.lot
    if lot is None or case.request.action not in OPENING:
        return ()

    def one(line: Line) -> Finding:
        exact = line.total.exact
        breached = None if exact is None else exact % lot != 0
        # A malformed quantity is refused by the venue; it moves no money.
        return Finding(
            rule=RULE,
            verdict=verdict_of(breached),
            why=f"quantity {text(line.total)} of {line.label}",
            limit=text(lot),
            observed=text(line.total),
            binary="minor",
        )

    return worst_line(case, one)


CONTROL = Control((RULE,), (RULE,), judge)
