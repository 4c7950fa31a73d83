"""`position.max_pct_equity`: the projected position's share of the latest equity, as a fraction."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import Action, Verdict
from proxy.broker.interval import AT_LEAST_NOTHING, Interval
from scoring.controls.base import TRADING, Case, Control, Finding, Line, above, worst_line
from scoring.controls.position_limits import limit_of
from scoring.controls.position_notional import position_worth
from scoring.valuation import text

RULE = "position.max_pct_equity"


def judge(case: Case) -> Iterable[Finding]:
    """An equity that was never read, or is stated in another currency without a rate, can't be judged by."""
    if case.request.action not in TRADING or case.request.action is Action.EXERCISE:
        return ()

    def one(line: Line) -> Finding | None:
        limit, where = limit_of(case, line, "max_pct_equity")
        if limit is None:
            return None
        if case.reducing(line):
            return Finding(rule=RULE, verdict=Verdict.PASS, why=f"reduces {line.label}", limit=text(limit))
        worth = position_worth(case, line)
        equity, exchange = _equity(case)
        why = f"{worth.words}; equity {text(equity)}{where}"
        return above(RULE, _share(worth.value, equity), limit, why, exchanges=(*worth.exchanges, exchange))

    return worst_line(case, one)


def _equity(case: Case) -> tuple[Decimal | None, int]:
    funds = case.ledger.money(case.request.venue, case.request.account)
    rate = case.tables.rate(funds.currency or case.contract.currency, case.contract.currency)
    if funds.equity is None or rate is None:
        return None, 0
    return funds.equity * rate, funds.exchange


def _share(worth: Interval, equity: Decimal | None) -> Interval:
    if worth.exact == 0:
        return worth
    if equity is None:
        return AT_LEAST_NOTHING
    if equity <= 0:
        # Nothing to hold a position against: any position is over any share.
        return Interval(Decimal("Infinity"), Decimal("Infinity")) if worth.low else AT_LEAST_NOTHING
    return Interval((worth.low or Decimal(0)) / equity, None if worth.high is None else worth.high / equity)


CONTROL = Control((RULE, "position.per_symbol"), (RULE,), judge)
