"""
One instrument's position: fills, what works on either side, and what position reads say.

A read that differs from the ledger is explained by fills that we have not seen, as far as working orders reach;
such fills are *attributed* to the side, so that they are not counted again when an order's own report comes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from corpus.terms import Side
from proxy.broker.interval import NOTHING, UNKNOWN, ZERO, Interval, Total, only


@dataclass(slots=True)
class SideBook:
    """Sums over the orders of one side; never netted against the other side."""

    leaves: Total = field(default_factory=Total)
    unseen: Total = field(default_factory=Total)
    gone: Total = field(default_factory=Total)
    attributed: Interval = NOTHING

    def working(self) -> Interval:
        """What may still be filled, without the fills that a position read has proved already."""
        return less(self.leaves.interval(), self.attributed)

    def in_doubt(self) -> Decimal | None:
        """At most this much is filled and not yet in the position; null has no bound."""
        return less(self.unseen.interval(), self.attributed).high

    def reach(self) -> Decimal | None:
        """At most this much of a difference can be explained by fills of this side."""
        total = self.leaves.interval() + self.gone.interval()
        return less(total, self.attributed).high


def less(total: Interval, attributed: Interval) -> Interval:
    """A sum of a side without the fills that are attributed to it; never below 0."""
    low = ZERO if attributed.high is None or total.low is None else max(ZERO, total.low - attributed.high)
    high = None if total.high is None else max(ZERO, total.high - (attributed.low or ZERO))
    return Interval(low, high)


@dataclass(slots=True)
class Position:
    """`quantity` is signed (short is negative) and follows fills; `disputed` is a read that they don't explain."""

    quantity: Interval = UNKNOWN
    source: str = "unknown"
    exchange: int = 0
    average_price: Decimal | None = None
    moved: Decimal = ZERO
    """Net fills counted since the first event, whether or not the position was known."""
    disputed: Decimal | None = None
    disputed_reads: int = 0
    buys: SideBook = field(default_factory=SideBook)
    sells: SideBook = field(default_factory=SideBook)
    gone: set[int] = field(default_factory=set)

    def side(self, side: Side) -> SideBook:
        return self.buys if side is Side.BUY else self.sells

    def base(self) -> Interval:
        """The position by what was seen; a disputed read widens it."""
        return self.quantity if self.disputed is None else self.quantity.hull(only(self.disputed))

    def held(self) -> Interval:
        """The position with every fill that may have happened unseen."""
        up, down = self.buys.in_doubt(), self.sells.in_doubt()
        return self.base() + Interval(None if down is None else -down, up)

    def at_rest(self) -> bool:
        """Flat, undisputed, and nothing works or is in doubt."""
        sides = (self.buys, self.sells)
        return (
            self.quantity.exact == 0
            and self.disputed is None
            and all(book.leaves == Total() and book.unseen == Total() and book.attributed == NOTHING for book in sides)
        )

    def fill(self, side: Side, amount: Decimal, others: Decimal | None) -> None:
        """
        Count one more fill of an order.

        Args:
            side: The order's side.
            amount: Positive.
            others: At most this much of what is attributed to the side can be other orders' (null: no bound).
        """
        book = self.side(side)
        most = amount if book.attributed.high is None else min(book.attributed.high, amount)
        least = ZERO if others is None else min(max((book.attributed.low or ZERO) - others, ZERO), most)
        already = Interval(least, most)
        book.attributed = Interval(
            max(ZERO, (book.attributed.low or ZERO) - most),
            None if book.attributed.high is None else book.attributed.high - least,
        )
        fresh = only(amount) - already
        self.quantity = self.quantity + (fresh if side is Side.BUY else -fresh)
        self.moved += amount if side is Side.BUY else -amount
        if self.disputed is not None:
            # The read stands; what was filled since moves it like the ledger's own figure.
            moved = amount - least
            self.disputed += moved if side is Side.BUY else -moved

    def read(self, seen: Decimal, confirm: int) -> Interval | None:
        """
        Take a position read.

        Args:
            seen: The signed quantity that the venue stated.
            confirm: Equal unexplained reads it takes to believe the venue.

        Returns:
            The ledger's figure that was given up for an unexplained one, or null.
        """
        self.source = "snapshot"
        if self.quantity.low is None or self.quantity.high is None:
            self.buys.attributed = _joined(self.buys.attributed, Interval(ZERO, self.buys.in_doubt()))
            self.sells.attributed = _joined(self.sells.attributed, Interval(ZERO, self.sells.in_doubt()))
            self._adopt(seen)
            return None
        apart = only(seen) - self.quantity
        up, down = self.buys.reach(), self.sells.reach()
        assert apart.low is not None
        assert apart.high is not None
        if (up is None or apart.low <= up) and (down is None or apart.high >= -down):
            self._attribute(apart.low, apart.high, up, down)
            self._adopt(seen)
            return None
        if self.disputed == seen:
            self.disputed_reads += 1
        else:
            self.disputed, self.disputed_reads = seen, 1
        if self.disputed_reads < confirm:
            return None
        before = self.quantity
        self._adopt(seen)
        return before

    def _attribute(self, low: Decimal, high: Decimal, up: Decimal | None, down: Decimal | None) -> None:
        """Book a difference of low..high as unseen fills of either side, as far as they reach."""
        most_up, most_down = _bound(up), _bound(down)
        low, high = max(low, -most_down), min(high, most_up)
        quiet_up, quiet_down = _bound(self.buys.in_doubt()), _bound(self.sells.in_doubt())
        # Fills of both sides that cancel out are supposed only where orders may have been filled unseen:
        # when the difference proves fills of one side, the other side's doubt is enough, else it takes both.
        both = min(quiet_up, quiet_down)
        if high > 0:
            both = max(both, quiet_down)
        if low < 0:
            both = max(both, quiet_up)
        bought = min(most_up, max(ZERO, high) + both)
        sold = min(most_down, max(ZERO, -low) + both)
        # What was bought less what was sold is the difference.
        bought = min(bought, high + sold)
        sold = min(sold, bought - low)
        self.buys.attributed = _joined(self.buys.attributed, Interval(max(ZERO, low), _unbound(bought)))
        self.sells.attributed = _joined(self.sells.attributed, Interval(max(ZERO, -high), _unbound(sold)))

    def _adopt(self, seen: Decimal) -> None:
        self.quantity, self.disputed, self.disputed_reads = only(seen), None, 0

    def settle(self, side: Side) -> Decimal:
        """Fills attributed to a side that no order of it can have made; they are given up and returned."""
        book = self.side(side)
        total = (book.leaves.interval() + book.gone.interval()).high
        low = book.attributed.low or ZERO
        if total is None or (low <= total and book.attributed.high is not None and book.attributed.high <= total):
            return ZERO
        high = total if book.attributed.high is None else min(book.attributed.high, total)
        book.attributed = Interval(min(low, total), high)
        return max(ZERO, low - total)


def _bound(value: Decimal | None) -> Decimal:
    return Decimal("Infinity") if value is None else value


def _unbound(value: Decimal) -> Decimal | None:
    return value if value.is_finite() else None


def _joined(one: Interval, two: Interval) -> Interval:
    high = None if one.high is None or two.high is None else one.high + two.high
    return Interval((one.low or ZERO) + (two.low or ZERO), high)
