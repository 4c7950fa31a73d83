"""`position.max_abs_qty`: the position with all that works on the order's side; sides are never netted."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Action, Side, Verdict
from scoring.controls.base import TRADING, Case, Control, Finding, Line, above, worst_line
from scoring.controls.position_limits import limit_of
from scoring.valuation import text

RULE = "position.max_abs_qty"


def judge(case: Case) -> Iterable[Finding]:
    """A reducing order passes even while the position is over the limit."""
    if case.request.action not in TRADING or case.request.action is Action.EXERCISE:
        return ()

    def one(line: Line) -> Finding | None:
        limit, where = limit_of(case, line, "max_abs_qty")
        if limit is None:
            return None
        if case.reducing(line):
            return Finding(rule=RULE, verdict=Verdict.PASS, why=f"reduces {line.label}", limit=text(limit))
        word = "short" if line.side is Side.SELL else "long"
        value = case.projected(line)
        return above(RULE, value, limit, f"{word} {text(value)} {line.label} with all working orders{where}")

    return worst_line(case, one)


CONTROL = Control((RULE, "position.per_symbol"), (RULE,), judge)
