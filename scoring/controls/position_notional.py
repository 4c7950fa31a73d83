"""`position.max_notional`: what the position with all that works on the order's side is worth."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Action, Verdict
from proxy.broker.interval import Interval
from scoring.controls.base import TRADING, Case, Control, Finding, Line, above, worst_line
from scoring.controls.notional import Worth
from scoring.controls.position_limits import limit_of
from scoring.valuation import text

RULE = "position.max_notional"


def judge(case: Case) -> Iterable[Finding]:
    """A reducing order passes even while the position is over the limit."""
    if case.request.action not in TRADING or case.request.action is Action.EXERCISE:
        return ()

    def one(line: Line) -> Finding | None:
        limit, where = limit_of(case, line, "max_notional")
        if limit is None:
            return None
        if case.reducing(line):
            return Finding(rule=RULE, verdict=Verdict.PASS, why=f"reduces {line.label}", limit=text(limit))
        worth = position_worth(case, line)
        return above(RULE, worth.value, limit, worth.words + where, exchanges=worth.exchanges)

    return worst_line(case, one)


def position_worth(case: Case, line: Line) -> Worth:
    """
    Value of the projected position: the order at its own valuation price, the rest at the market.

    Without anything else in the position, no market price is needed.
    """
    projected = case.projected(line).floor()
    price, mark = case.price(line), case.market(line)
    factor, words = case.factor(line)
    added = _least(line.adds.floor(), projected)
    rest = (projected - line.adds).floor()
    value = (added.times(price.value.floor()) + rest.times(mark.value.floor())).times(factor)
    missing = f" ({words})" if factor.high is None else words
    said = f"position {text(projected)} {line.label} worth {text(value)}: {text(added)} × {text(price.value)} ({price.how})"
    if rest.exact != 0:
        said += f" + {text(rest)} × {text(mark.value)} ({mark.how})"
    said += missing
    return Worth(value, said, (price.exchange, mark.exchange))


def _least(one: Interval, two: Interval) -> Interval:
    """The smaller of two quantities that are not negative."""
    assert one.low is not None
    assert two.low is not None
    highs = [high for high in (one.high, two.high) if high is not None]
    return Interval(min(one.low, two.low), min(highs) if highs else None)


CONTROL = Control((RULE, "position.per_symbol"), (RULE,), judge)
