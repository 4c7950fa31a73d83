"""`order.max_qty`: the quantity of one order, exits included; a new total counts on a replace."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.controls.base import TRADING, Case, Control, Finding, Line, above, worst_line
from scoring.valuation import text

RULE = "order.max_qty"


def judge(case: Case) -> Iterable[Finding]:
    """Orders by money amount have no certain quantity; a price bounds it."""
    limit = case.contract.order.max_qty
    if limit is None or case.request.action not in TRADING:
        return ()

    def one(line: Line) -> Finding:
        return above(RULE, line.total, limit, f"quantity {text(line.total)} of {line.label}")

    return worst_line(case, one)


CONTROL = Control(("order.max_qty",), (RULE,), judge)
