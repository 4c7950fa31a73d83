"""`account.max_open_buy_notional`: everything that is bought and not filled, this order included."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Action, Side
from proxy.broker.interval import AT_LEAST_NOTHING, NOTHING, Interval, only
from proxy.broker.ledger import Order
from scoring.controls.base import TRADING, Case, Control, Finding, above
from scoring.controls.notional import product
from scoring.valuation import fresh, text, value_at

RULE = "account.max_open_buy_notional"


def judge(case: Case) -> Iterable[Finding]:
    """Sent orders count at once; a replaced order's old leaves are released. Orders without a buy don't count."""
    limit = case.contract.account.max_open_buy_notional
    buys = [line for line in case.lines if line.side is not Side.SELL]
    if limit is None or case.request.action not in TRADING or case.request.action is Action.EXERCISE or not buys:
        return
    fresh_ones = [product(case, line, line.adds, case.price(line)) for line in buys]
    this = sum((worth.value for worth in fresh_ones), NOTHING)
    others = NOTHING
    for order in case.ledger.working_orders():
        if order is not case.target:
            others = others + _open(case, order)
    why = f"this order {text(this)} + open buys {text(others)}"
    exchanges = tuple(exchange for worth in fresh_ones for exchange in worth.exchanges)
    yield above(RULE, this + others, limit, why, exchanges=exchanges)


def _open(case: Case, order: Order) -> Interval:
    total = NOTHING
    for part in order.parts:
        if part.side is not Side.BUY or (part.key[0], part.key[1]) != (case.request.venue, case.request.account):
            continue
        name = part.key[2]
        touch = fresh(case.ledger.touch(name), case.request.at_ns, case.max_age_s)
        price = value_at(part.side, order.limit_price, order.stop_price, order.type, touch)
        instrument = case.tables.instrument((name,), order.venue, order.unit)
        rate = case.tables.rate(instrument.currency, case.contract.currency)
        known = instrument.multiplier is not None and rate is not None
        factor = only(instrument.multiplier * rate) if instrument.multiplier and known and rate else AT_LEAST_NOTHING
        total = total + case.ledger.leaves_of(order, part).times(price.value.floor()).times(factor)
    return total


CONTROL = Control((RULE,), (RULE,), judge)
