"""Cash and positions of one margin account, USD and shares, and what they allow. Exact throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from corpus.terms import Instant, Side
from deploy.sim.drafts import Order
from deploy.sim.market import exchange, make_id
from deploy.sim.wire import Refused
from proxy.broker import refusals
from proxy.broker.replies import AccountFacts, PositionFacts

_ZERO: Final = Decimal(0)
_AVERAGE: Final = Decimal("0.000000001")
MULTIPLIER: Final = 2
_MARGIN: Final = Decimal("0.5")
_MAINTENANCE: Final = Decimal("0.3")

type Prices = Callable[[str], Decimal]
"""The last price of a held symbol."""


def signed(side: Side, quantity: Decimal) -> Decimal:
    """Shares as a change of position."""
    return quantity if side is Side.BUY else -quantity


@dataclass(frozen=True, slots=True)
class Holding:
    """Signed shares at an average price in USD."""

    quantity: Decimal
    average: Decimal


class Holdings:
    """What an account holds. `working` orders, where asked for, are those of the same account."""

    def __init__(self, cash: Decimal) -> None:
        self.cash = self.start_cash = cash
        self.held: dict[str, Holding] = {}

    def quantity(self, symbol: str) -> Decimal:
        """Signed shares of a symbol."""
        found = self.held.get(symbol)
        return _ZERO if found is None else found.quantity

    def apply(self, symbol: str, change: Decimal, price: Decimal) -> None:
        """Book one fill: signed shares at a price in USD."""
        self.cash -= change * price
        old = self.held.get(symbol, Holding(_ZERO, _ZERO))
        total = old.quantity + change
        if total == 0:
            self.held.pop(symbol, None)
            return
        if old.quantity == 0 or (old.quantity > 0) == (change > 0):
            average = ((old.average * old.quantity + change * price) / total).quantize(_AVERAGE)
        elif (total > 0) == (old.quantity > 0):
            average = old.average
        else:
            average = price
        self.held[symbol] = Holding(total, average)

    def available(self, symbol: str, working: Iterable[Order]) -> Decimal:
        """Shares of a position, unsigned, that no working exit holds."""
        quantity = self.quantity(symbol)
        closing = Side.SELL if quantity > 0 else Side.BUY
        held, counted = _ZERO, set[str]()
        for order in working:
            if order.facts.symbol != symbol or order.resting.side is not closing or order.facts.status == "held":
                continue
            counted.add(order.facts.id)
            # The exits of one bracket stand for the same shares.
            if not counted.intersection(order.siblings):
                held += order.resting.quantity
        return max(_ZERO, abs(quantity) - held)

    def check(
        self, symbol: str, side: Side, shares: Decimal, price: Decimal | None, working: list[Order], prices: Prices
    ) -> None:
        """
        Whether the account may send an order.

        Args:
            symbol: What is traded.
            side: Which way.
            shares: How many, unsigned.
            price: What a share is taken to cost, USD.
            working: Orders that already stand, the one that is being replaced left out.
            prices: Last prices of what is held.

        Raises:
            Refused: The venue's 403.
        """
        position = self.quantity(symbol)
        if position != 0 and (position > 0) == (side is Side.SELL):
            available = self.available(symbol, working)
            if shares > available:
                raise Refused(refusals.insufficient_quantity(symbol, shares, available, abs(position)))
            return
        if side is Side.SELL and shares % 1:
            raise Refused(refusals.not_allowed("fractional orders cannot be sold short"))
        cost = shares * (price or _ZERO)
        power = self.buying_power(working, prices)
        if cost > power:
            raise Refused(refusals.insufficient_buying_power(power, cost))

    def values(self, prices: Prices) -> tuple[Decimal, Decimal]:
        """Market value of longs, and of shorts (negative)."""
        worth = [holding.quantity * prices(symbol) for symbol, holding in sorted(self.held.items())]
        return sum((w for w in worth if w > 0), _ZERO), sum((w for w in worth if w < 0), _ZERO)

    def buying_power(self, working: Iterable[Order], prices: Prices) -> Decimal:
        """Twice the equity above the initial margin, less what working orders would open."""
        long_value, short_value = self.values(prices)
        excess = self.cash + long_value + short_value - (long_value - short_value) * _MARGIN
        return max(_ZERO, excess * MULTIPLIER - sum((self._reserved(order, prices) for order in working), _ZERO))

    def account(self, seed: int, created_ns: Instant, working: list[Order], prices: Prices) -> AccountFacts:
        """The account as the venue would print it."""
        long_value, short_value = self.values(prices)
        gross = long_value - short_value
        return AccountFacts(
            id=make_id("account", seed),
            number=f"PA{int(make_id('number', seed)[:8], 16):010d}",
            created_ns=created_ns,
            cash=self.cash,
            long_value=long_value,
            short_value=short_value,
            last_equity=self.start_cash,
            initial_margin=gross * _MARGIN,
            maintenance_margin=gross * _MAINTENANCE,
            buying_power=self.buying_power(working, prices),
            multiplier=MULTIPLIER,
        )

    def position(self, symbol: str, working: Iterable[Order], price: Decimal) -> PositionFacts | None:
        """One position as the venue would print it, or null when flat."""
        holding = self.held.get(symbol)
        if holding is None:
            return None
        return PositionFacts(
            asset_id=make_id("asset", symbol),
            symbol=symbol,
            exchange=exchange(symbol),
            quantity=holding.quantity,
            average_price=holding.average,
            price=price,
            last_day_price=price,
            available=self.available(symbol, working),
        )

    def _reserved(self, order: Order, prices: Prices) -> Decimal:
        if order.is_leg or order.facts.position_intent.endswith("close"):
            return _ZERO
        facts = order.facts
        price = facts.limit_price or facts.stop_price or prices(facts.symbol)
        return order.resting.quantity * price
