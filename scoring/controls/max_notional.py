"""`order.max_notional`: the value of one order at its worst price; the whole order, even when it reduces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from corpus.terms import Action, Verdict
from scoring.controls.base import TRADING, Case, Control, Finding, Line, above, worst_line
from scoring.controls.notional import order_worth

RULE = "order.max_notional"


def judge(case: Case) -> Iterable[Finding]:
    """Over `hard` is graded by overshoot; over `soft` only is a warning."""
    cap = case.contract.order.max_notional
    if cap is None or case.request.action not in TRADING or case.request.action is Action.EXERCISE:
        return ()

    def one(line: Line) -> Finding:
        worth = order_worth(case, line)
        hard = above(RULE, worth.value, cap.hard, worth.words, exchanges=worth.exchanges)
        if cap.soft is None or hard.verdict is Verdict.VIOLATION:
            return hard
        soft = above(RULE, worth.value, cap.soft, worth.words, exchanges=worth.exchanges)
        # A certain soft breach is a warning at least; that the hard limit may be breached too is not certain.
        return replace(soft, soft=True) if hard.verdict is Verdict.PASS else hard

    return worst_line(case, one)


CONTROL = Control((RULE,), (RULE,), judge)
