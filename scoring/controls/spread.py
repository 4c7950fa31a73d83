"""`order.max_spread_bps`: a market order into a wide market."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from corpus.terms import Action, OrderType, Verdict
from proxy.broker.interval import only
from proxy.broker.working import UNSETTLED, limit_of
from scoring.controls.base import TRADING, Case, Control, Finding, Line, above, worst_line
from scoring.valuation import text

RULE = "order.max_spread_bps"


def judge(case: Case) -> Iterable[Finding]:
    """(ask - bid) over their middle, in basis points; unknown without a fresh bid and ask."""
    limit = case.contract.order.max_spread_bps
    request = case.request
    kinds = (OrderType.MARKET, *UNSETTLED)
    if limit is None or request.action not in TRADING or request.action is Action.EXERCISE or request.type not in kinds:
        return ()
    # A limit that may hold would keep the order out of a wide market.
    limited = request.type is OrderType.OTHER or limit_of(request.type, request.limit_price) is not None

    def one(line: Line) -> Finding:
        touch = case.touch(line)
        if touch.bid is None or touch.ask is None or touch.bid + touch.ask <= 0:
            why = f"no fresh bid and ask for {line.label}"
            return Finding(rule=RULE, verdict=Verdict.INDETERMINATE, why=why, limit=f"{text(limit)} bps")
        spread = (touch.ask - touch.bid) * 20_000 / (touch.ask + touch.bid)
        why = f"bid {text(touch.bid)}, ask {text(touch.ask)} of {line.label}"
        found = above(RULE, only(spread), limit, why, exchanges=(touch.touch_exchange,))
        if limited and found.verdict is Verdict.VIOLATION:
            found = replace(found, verdict=Verdict.INDETERMINATE, why=f"{why}, a limit may hold", overshoot=None)
        shown = text(spread.quantize(Decimal("0.01")))
        return replace(found, limit=f"{text(limit)} bps", observed=f"{shown} bps")

    return worst_line(case, one)


CONTROL = Control((RULE,), (RULE,), judge)
