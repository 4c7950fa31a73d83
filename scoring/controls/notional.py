"""What one line of an order is worth: shared by the controls that limit money."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.terms import Side
from proxy.broker.interval import AT_LEAST_NOTHING, Interval, only
from scoring.controls.base import Case, Line
from scoring.valuation import Priced, fresh, market, text


@dataclass(frozen=True, slots=True)
class Worth:
    """A value in the contract's currency, with its formula and the exchange that the price came from."""

    value: Interval
    words: str
    exchanges: tuple[int, ...]


def order_worth(case: Case, line: Line) -> Worth:
    """
    The whole order's notional: quantity × price × multiplier × currency rate.

    An order by money amount is worth that amount; an option by `option_basis: underlying` is worth what it
    controls.
    """
    request = case.request
    if request.unit.value == "quote" and request.quantity is not None and len(case.lines) == 1:
        rate = case.tables.rate(line.instrument.currency, case.contract.currency)
        value = AT_LEAST_NOTHING if rate is None else only(abs(request.quantity) * rate)
        return Worth(value, f"amount {text(abs(request.quantity))} = {text(value)}", ())
    price = case.price(line)
    if line.instrument.kind == "option" and case.contract.order.option_basis == "underlying":
        price = _underlying(case, line)
    return product(case, line, line.total, price)


def _underlying(case: Case, line: Line) -> Priced:
    """The underlying's price as the option's quote states it, else as its own quote does."""
    stated = case.touch(line).underlying
    if stated is not None:
        return Priced(only(stated), "underlying")
    own = market(fresh(case.ledger.touch(line.instrument.underlying), case.request.at_ns, case.max_age_s), Side.BUY)
    return Priced(own.value, f"underlying, {own.how}", own.exchange)


def product(case: Case, line: Line, quantity: Interval, price: Priced) -> Worth:
    """quantity × price × multiplier × rate, with the words of each factor."""
    factor, words = case.factor(line)
    value = quantity.floor().times(price.value.floor()).times(factor)
    missing = f" ({words})" if factor.high is None else words
    said = f"notional {text(value)} = {text(quantity)} × {text(price.value)} ({price.how}){missing}"
    return Worth(value, said, (price.exchange,))
