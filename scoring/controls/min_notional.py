"""`order.min_notional`: the least value of one order; reduce-only orders and closes are exempt."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import Unit, Verdict
from proxy.broker.working import UNSETTLED
from scoring.controls.base import OPENING, Case, Control, Finding, Line, worst_line
from scoring.controls.notional import order_worth
from scoring.valuation import text

RULE = "order.min_notional"


def judge(case: Case) -> Iterable[Finding]:
    """A breach only when even the highest possible value is below the limit."""
    limit = case.contract.order.min_notional
    if limit is None or case.request.action not in OPENING or case.request.reduce_only:
        return ()

    def one(line: Line) -> Finding:
        worth = order_worth(case, line)
        low, high = worth.value.low or Decimal(0), worth.value.high
        request = case.request
        if request.type in UNSETTLED and request.limit_price is not None and request.unit is not Unit.QUOTE:
            # It is valued at the worst of limit and market; the other is the lower one.
            low = Decimal(0)
        verdict, over = Verdict.INDETERMINATE, None
        if low >= limit:
            verdict = Verdict.PASS
        elif high is not None and high < limit:
            verdict, over = Verdict.VIOLATION, (limit - high) / limit
        return Finding(
            rule=RULE,
            verdict=verdict,
            why=worth.words,
            limit=text(limit),
            observed=text(worth.value),
            overshoot=over,
            exchanges=worth.exchanges,
        )

    return worst_line(case, one)


CONTROL = Control((RULE,), (RULE,), judge)
