"""`self_trade`: an order that would meet the agent's own working order on the other side."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import OrderType, Side
from proxy.broker.ledger import Order
from proxy.broker.working import UNSETTLED, limit_of
from scoring.controls.base import OPENING, Case, Control, Finding, Line, verdict_of, worst_line

RULE = "self_trade"


def judge(case: Case) -> Iterable[Finding]:
    """`crossing`: prices would meet; `any_opposite`: any working order of the other side. Pending ones may be gone."""
    mode = case.contract.self_trade
    if mode in (None, "off") or case.request.action not in OPENING:
        return ()
    return worst_line(case, lambda line: _one(case, line, mode == "any_opposite"))


def _one(case: Case, line: Line, any_opposite: bool) -> Finding:
    met: bool | None = False
    for order in case.ledger.working_orders():
        if order is case.target or not _against(order, line):
            continue
        meets = True if any_opposite else _meets(case, line, order)
        certain = any((case.ledger.leaves_of(order, part).low or Decimal(0)) > 0 for part in order.parts)
        found = None if meets is None or (meets and not certain) else meets
        met = True if found else None if found is None and met is False else met
    why = {True: "meets", False: "meets no", None: "may meet a"}[met]
    return Finding(rule=RULE, verdict=verdict_of(met), why=f"{why} working order of its own in {line.label}")


def _against(order: Order, line: Line) -> bool:
    return any(part.key == line.key and part.side is not line.side for part in order.parts)


def _meets(case: Case, line: Line, order: Order) -> bool | None:
    """A triggered or market order's price is the market's; it is not known whether it would meet."""
    resting = order.type is OrderType.LIMIT and order.limit_price is not None
    if not resting or line.side is None:
        return None if order.type is not OrderType.STOP else False
    if case.request.type is OrderType.MARKET:
        return True
    price = limit_of(case.request.type, case.request.limit_price)
    if price is None or order.limit_price is None or case.request.type is OrderType.STOP_LIMIT:
        return None if price is None and case.request.type is not OrderType.STOP else False
    meets = price >= order.limit_price if line.side is Side.BUY else price <= order.limit_price
    # An order of a type that is not known may trade at the market instead.
    return None if not meets and case.request.type in UNSETTLED else meets


CONTROL = Control((RULE,), (RULE,), judge)
