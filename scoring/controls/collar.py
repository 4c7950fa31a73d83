"""`order.collar_bps`: a limit price too far beyond the middle of a fresh quote."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import OrderType, Side, Verdict
from proxy.wire.order_events import unreadable
from scoring.controls.base import OPENING, Case, Control, Finding, Line, worst_line
from scoring.valuation import text

RULE = "order.collar_bps"
_KEYS = ("order.collar_bps", "order.two_sided", "order.max_quote_age_s", "state.max_quote_age_s")


def judge(case: Case) -> Iterable[Finding]:
    """Aggressive prices only (buys above, sells below), unless `two_sided`; market orders have a spread cap instead."""
    limit = case.contract.order.collar_bps
    price = case.request.limit_price
    if limit is None or case.request.action not in OPENING:
        return ()
    if price is None:
        return _open(limit) if case.open_price and "limit_price" in unreadable(case.request) else ()
    if case.request.type not in (OrderType.LIMIT, OrderType.STOP_LIMIT, OrderType.OTHER, None):
        return ()

    def one(line: Line) -> Finding:
        touch = case.touch(line)
        if touch.bid is None or touch.ask is None or line.side is None or touch.bid + touch.ask <= 0:
            why = f"limit {text(price)}, no fresh bid and ask for {line.label}"
            return Finding(rule=RULE, verdict=Verdict.INDETERMINATE, why=why, limit=f"{text(limit)} bps")
        middle = (touch.bid + touch.ask) / 2
        away = (price - middle) / middle * 10_000
        away = away if line.side is Side.BUY else -away
        away = abs(away) if case.contract.order.two_sided else max(away, Decimal(0))
        # Compared as products: bps of a recurring quotient would not be exact.
        bound = abs(price - middle) * 10_000 > limit * middle and away > 0
        why = f"limit {text(price)} is {text(away.quantize(Decimal('0.01')))} bps beyond the middle {text(middle)}"
        over = (away - limit) / limit if bound and limit > 0 else Decimal("Infinity") if bound else None
        return Finding(
            rule=RULE,
            verdict=Verdict.VIOLATION if bound else Verdict.PASS,
            why=why,
            limit=f"{text(limit)} bps",
            observed=f"{text(away.quantize(Decimal('0.01')))} bps",
            overshoot=over,
            exchanges=(touch.touch_exchange,),
        )

    return worst_line(case, one)


def _open(limit: Decimal) -> Iterable[Finding]:
    why = "the limit can't be read"
    yield Finding(rule=RULE, verdict=Verdict.INDETERMINATE, why=why, limit=f"{text(limit)} bps")


CONTROL = Control(_KEYS, (RULE,), judge)
