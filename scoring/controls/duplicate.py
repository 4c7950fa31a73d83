"""`duplicate`: the same order again under another client id. The same id and body is a retry, not a duplicate."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import Action
from proxy.broker.interval import only
from proxy.broker.working import limit_of, stop_of
from proxy.wire.order_events import OrderRequested
from scoring.controls.base import Case, Control, Finding, above, within
from scoring.valuation import text

RULE = "duplicate"


def judge(case: Case) -> Iterable[Finding]:
    """Counts equal orders in the rolling window, this one included."""
    duplicate = case.contract.duplicate
    if duplicate is None or case.request.action is not Action.PLACE or case.retry:
        return
    times = case.history.alike.get(likeness(case.request), [])
    count = within(times, case.request.at_ns, duplicate.window_s) + 1
    why = f"{count} equal orders in {text(duplicate.window_s)} s"
    yield above(RULE, only(Decimal(count)), Decimal(duplicate.max_identical), why)


def likeness(request: OrderRequested) -> tuple[object, ...]:
    """What makes two orders equal: account, instrument, side, type, quantity, the prices that it has and time in force."""
    return (
        request.venue,
        request.account,
        request.instrument or request.symbol or request.symbol_code,
        request.side,
        request.type,
        request.quantity,
        request.unit,
        limit_of(request.type, request.limit_price),
        stop_of(request.type, request.stop_price),
        request.tif,
        request.legs,
    )


CONTROL = Control(("duplicate",), (RULE,), judge)
