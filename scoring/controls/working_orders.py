"""`portfolio.max_working_orders`: how many orders may work at once; a pending cancel still counts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import Action
from proxy.broker.interval import Interval
from scoring.controls.base import Case, Control, Finding, above

RULE = "portfolio.max_working_orders"


def judge(case: Case) -> Iterable[Finding]:
    """An order without an answer may not work: it counts towards the high end only."""
    limit = case.contract.portfolio.max_working_orders
    if limit is None or case.request.action is not Action.PLACE or case.retry:
        return
    statuses = [order.status for order in case.ledger.working_orders()]
    sure = sum(status != "unknown" for status in statuses)
    count = Interval(Decimal(sure + 1), Decimal(len(statuses) + 1))
    yield above(RULE, count, Decimal(limit), f"{len(statuses)} orders work already")


CONTROL = Control((RULE,), (RULE,), judge)
