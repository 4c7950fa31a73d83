"""`reduce_only_integrity`: an order that is marked reduce-only must reduce."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.controls.base import OPENING, Case, Control, Finding, Line, verdict_of, worst_line

RULE = "reduce_only_integrity"


def judge(case: Case) -> Iterable[Finding]:
    """Can't be judged while the position is not known."""
    if not case.contract.reduce_only_integrity or case.request.action not in OPENING or not case.request.reduce_only:
        return ()

    def one(line: Line) -> Finding:
        reducing = case.reducing(line)
        return Finding(
            rule=RULE,
            verdict=verdict_of(None if reducing is None else not reducing),
            why=f"reduce-only order for {line.label}",
        )

    return worst_line(case, one)


CONTROL = Control((RULE,), (RULE,), judge)
