"""
The account as the wire shows it: order events in, positions, working orders, prices and money out.

A pure fold: no clock, no IO. Sent orders count at once. A cumulative fill is never added twice, an execution
counts once. What is pending or unknown is an interval; what was never read is unknown, not flat. One state
serves scoring, a shadow broker and a simulated one; `fold(a + b)` equals `fold(a)` and then `fold(b)`.

Orders are followed by (venue, account, client id), joined to the venue's id by the answer and through
`replaces`/`replaced_by`. Instruments are `instrument`, else `symbol`, else `symbol_code`; aliases are the
reader's business.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from corpus.terms import Action, Side
from proxy.broker.interval import NOTHING, ZERO, Interval, Total, exactly
from proxy.broker.money import Funds, Touch
from proxy.broker.position import less
from proxy.broker.requests import apply_request, closing
from proxy.broker.state import Adjustment, State, in_position_units, key_of
from proxy.broker.updates import apply_orders, apply_positions, apply_update, expire
from proxy.broker.working import Key, Order, Part
from proxy.wire.order_events import (
    AccountRead,
    KillSet,
    OrderEvent,
    OrderRequested,
    OrdersRead,
    OrderUpdate,
    PositionsRead,
    QuoteSeen,
)

__all__ = ["Adjustment", "Funds", "Key", "Ledger", "Order", "Touch"]


@dataclass(slots=True, kw_only=True)
class Ledger(State):
    """State of a fold and the questions one may ask it. `copy()` for a snapshot, `==` to compare."""

    def copy(self) -> Ledger:
        """An independent, equal state."""
        return copy.deepcopy(self)

    def fold(self, events: Iterable[OrderEvent]) -> Ledger:
        """Apply events in the order in which they became known, in place; returns itself."""
        for event in events:
            self.apply(event)
        return self

    @exactly
    def apply(self, event: OrderEvent, *, retry: bool = False) -> None:
        """
        Apply one event.

        Args:
            event: The next fact. Of a session, only those with the wanted `seen`.
            retry: The journal knows the request as one that was sent before.
        """
        self.at_ns = max(self.at_ns, event.at_ns)
        expire(self)
        match event:
            case OrderRequested():
                apply_request(self, event, retry=retry)
            case OrderUpdate():
                apply_update(self, event)
            case PositionsRead():
                apply_positions(self, event)
            case OrdersRead():
                apply_orders(self, event)
            case AccountRead():
                owner = (event.venue, event.account)
                self.funds[owner] = self.funds.get(owner, Funds()).then(event)
            case QuoteSeen():
                self.touches[event.symbol] = self.touches.get(event.symbol, Touch()).then(event)
            case KillSet():
                self.kill, self.kill_ns = event.mode, event.at_ns

    @exactly
    def base(self, key: Key) -> Interval:
        """The position by the fills and reads seen so far."""
        return self.peek(key).base()

    @exactly
    def held_now(self, key: Key) -> Interval:
        """The position with every fill that may have happened unseen."""
        return self.peek(key).held()

    @exactly
    def working(self, key: Key, side: Side, without: Order | None = None) -> Interval:
        """What may still be filled on a side, one order left out."""
        book = self.peek(key).side(side)
        own = NOTHING if without is None else _own(without, key, side)
        if own == NOTHING:
            return book.working()
        others = Total(book.leaves.low, book.leaves.high, book.leaves.open)
        others.add(own, -1)
        # Of the fills that a position read has proved, as many as possible may be the left-out order's.
        proved = Interval(_beyond(book.attributed.low, own.high), book.attributed.high)
        return less(others.interval(), proved)

    @exactly
    def projected(self, key: Key, side: Side, without: Order | None = None) -> Interval:
        """
        The position if everything that works on a side were filled, and nothing of the other side.

        Returns:
            Signed towards the side: long for buys, short for sells, both positive.
        """
        position = self.peek(key)
        base = position.base() if side is Side.BUY else -position.base()
        against = position.sells if side is Side.BUY else position.buys
        doubt = against.in_doubt()
        unseen = Interval(None if doubt is None else -doubt, ZERO)
        return base + self.working(key, side, without) + unseen

    @exactly
    def leaves_of(self, order: Order, part: Part) -> Interval:
        """What of one order may still be filled, where a position read may have proved fills of it."""
        book = self.peek(part.key).side(part.side)
        own = _own(order, part.key, part.side)
        others = self.working(part.key, part.side, order)
        return less(own, Interval(_beyond(book.attributed.low, others.high), book.attributed.high))

    def money(self, venue: str, account: str | None) -> Funds:
        """What an account holds; where the wire names no account, the venue's only one."""
        found = self.funds.get((venue, account))
        if found is None:
            of_venue = [funds for owner, funds in self.funds.items() if owner[0] == venue]
            found = of_venue[0] if len(of_venue) == 1 else None
        return found or Funds()

    def touch(self, *names: str | None) -> Touch:
        """Prices of an instrument by the first of its names that has any."""
        return next((self.touches[name] for name in names if name in self.touches), Touch())

    def working_orders(self) -> Iterator[Order]:
        """Every order that may still work."""
        for numbers in self.live.values():
            for number in numbers:
                yield self.orders[number]

    @exactly
    def quantity_of(self, event: OrderRequested) -> Interval:
        """A request's quantity in the position's units; closes by percentage or in whole are resolved."""
        key = key_of(event)
        if event.action is Action.CLOSE and key is not None:
            return closing(self, event, key)[1]
        return in_position_units(self, event, key)

    @exactly
    def closing_side(self, event: OrderRequested, key: Key) -> tuple[Side | None, Interval]:
        """The side and quantity that closing a position takes."""
        return closing(self, event, key)


def _own(order: Order, key: Key, side: Side) -> Interval:
    leaves = order.leaves()
    ratios = [part.ratio for part in order.parts if part.key == key and part.side is side]
    return leaves.times(Interval(ratios[0], ratios[0])) if ratios else NOTHING


def _beyond(value: Decimal | None, other: Decimal | None) -> Decimal:
    return ZERO if value is None or other is None else max(ZERO, value - other)
