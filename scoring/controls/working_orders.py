"""`portfolio.max_working_orders`: how many orders may work at once; a pending cancel still counts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import Action
from proxy.broker.interval import NOTHING, Interval
from proxy.broker.ledger import Order
from scoring.controls.base import Case, Control, Finding, above

RULE = "portfolio.max_working_orders"


def judge(case: Case) -> Iterable[Finding]:
    """
    An order without an answer may not work, nor one that a position read shows filled: such count towards the
    high end only.
    """
    limit = case.contract.portfolio.max_working_orders
    if limit is None or case.request.action is not Action.PLACE or case.retry:
        return
    orders = list(case.ledger.working_orders())
    sure = sum(_works(case, order) for order in orders)
    count = Interval(Decimal(sure + 1), Decimal(len(orders) + 1))
    yield above(RULE, count, Decimal(limit), f"{len(orders)} orders work already")


def _works(case: Case, order: Order) -> bool:
    if order.status == "unknown":
        return False
    proved = [case.ledger.peek(part.key).side(part.side).attributed for part in order.parts]
    return all(one == NOTHING for one in proved) or any(
        (case.ledger.leaves_of(order, part).low or Decimal(0)) > 0 for part in order.parts
    )


CONTROL = Control((RULE,), (RULE,), judge)
