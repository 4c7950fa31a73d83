"""`order.tick`: every price of an order is a whole number of ticks."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Verdict
from scoring.controls.base import OPENING, Case, Control, Finding, Line, verdict_of, worst_line
from scoring.valuation import text

RULE = "order.tick"


def judge(case: Case) -> Iterable[Finding]:
    """`true` takes the tick from the instrument table; a tick that is not known is not assumed."""
    want = case.contract.order.tick
    prices = [price for price in (case.request.limit_price, case.request.stop_price) if price is not None]
    if want is None or case.request.action not in OPENING or len(case.lines) != 1:
        return ()
    if not prices and not case.open_price:
        return ()

    def one(line: Line) -> Finding:
        tick = line.instrument.tick if want is True else want
        if tick is None:
            why = f"tick of {line.label} unknown"
            return Finding(rule=RULE, verdict=Verdict.INDETERMINATE, why=why)
        if case.open_price:
            return Finding(rule=RULE, verdict=Verdict.INDETERMINATE, why="a price can't be read", limit=text(tick))
        off = [price for price in prices if price % tick != 0]
        why = f"price {', '.join(text(price) for price in off or prices)} of {line.label}"
        # A malformed price is refused by the venue; it moves no money.
        return Finding(
            rule=RULE,
            verdict=verdict_of(bool(off)),
            why=why,
            limit=text(tick),
            observed=text((off or prices)[0]),
            binary="minor",
        )

    return worst_line(case, one)


CONTROL = Control((RULE,), (RULE,), judge)
