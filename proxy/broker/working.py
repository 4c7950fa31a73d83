"""One order of the ledger: what is known of it, and how much of it may still work or have been filled unseen."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal

from corpus.terms import Action, Instant, OrderType, Side, TimeInForce, Unit
from proxy.broker.interval import NOTHING, ZERO, Interval, only

type Key = tuple[str, str | None, str]
"""Venue, account (null where the wire does not say), and `instrument`, else `symbol`, else `symbol_code`."""

type Status = Literal["sent", "open", "unknown", "pending_cancel", "pending_replace", "gone", "done"]
"""
sent: no answer yet; open: works; unknown: may or may not work; pending_*: asked, not confirmed;
gone: no longer listed as open, its last fill unseen; done: over, its fills known.
"""


UNSETTLED: Final = (OrderType.OTHER, None)
"""Types that leave open whether a limit or a trigger that stands beside them holds."""


def limit_of(type_: OrderType | None, limit: Decimal | None) -> Decimal | None:
    """The limit price of an order, where its type has or may have one; venues pass any other over."""
    return limit if type_ in (OrderType.LIMIT, OrderType.STOP_LIMIT, *UNSETTLED) else None


def stop_of(type_: OrderType | None, stop: Decimal | None) -> Decimal | None:
    """The fixed trigger price of an order, where its type has or may have one."""
    return stop if type_ in (OrderType.STOP, OrderType.STOP_LIMIT, *UNSETTLED) else None


@dataclass(frozen=True, slots=True)
class Part:
    """One instrument that an order moves: `ratio` units a unit of the order (1 but for multi-leg orders)."""

    key: Key
    side: Side
    ratio: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a replace asks for; a null field keeps the old one. `quantity` is the new total, fills included."""

    quantity: Interval | None
    limit_price: Decimal | None
    stop_price: Decimal | None
    tif: TimeInForce | None
    client_order_id: str | None


@dataclass(slots=True, kw_only=True)
class Order:
    """
    One order through all its ids. Mutable; `Ledger` keeps the sums that depend on it.

    `filled` is cumulative over all ids: the largest cumulative figure seen, or the sum of executions when
    that is larger. `marketable` orders may be filled before we hear of it; resting ones are not filled until
    we do. `settled`: it ended before a position was read, so its fills are in that position.
    """

    number: int
    venue: str
    account: str | None
    action: Action
    client_order_id: str | None = None
    venue_order_id: str | None = None
    parts: tuple[Part, ...] = ()
    type: OrderType | None = None
    tif: TimeInForce | None = None
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None
    reduce_only: bool = False
    quantity: Interval = NOTHING
    unit: Unit = Unit.UNKNOWN
    status: Status = "sent"
    pending: Terms | None = None
    filled: Decimal = ZERO
    cumulative: Decimal = ZERO
    executed: Decimal = ZERO
    executions: set[str] = field(default_factory=set)
    marketable: bool = False
    settled: bool = False
    body_key: str = ""
    exchange: int = 0
    sent_ns: Instant = 0
    contradicted: frozenset[str] = frozenset()
    """Of quantity, symbol and side, what the answer states otherwise than the request; both are kept."""
    displaced: int | None = None
    """The older order whose client id this one took over; it gets the id back when this one is refused."""

    @property
    def live(self) -> bool:
        return self.status not in ("done", "gone")

    @property
    def mixed(self) -> bool:
        """Whether it is open which of its parts the order moves: its fills show in position reads only."""
        return not self.contradicted.isdisjoint(("symbol", "side"))

    def rest(self) -> Interval:
        """What is not filled, were it still working."""
        return (self.quantity - only(self.filled)).floor()

    def leaves(self) -> Interval:
        """What may still be filled by working, in units of the order."""
        if not self.live:
            return NOTHING
        rest = self.rest()
        if self.status in ("unknown", "pending_cancel") or self.mixed:
            return Interval(ZERO, rest.high)
        if self.status == "pending_replace":
            if self.pending is None:
                return Interval(ZERO, rest.high)
            if self.pending.quantity is not None:
                return rest.hull((self.pending.quantity - only(self.filled)).floor())
        return rest

    def unseen(self) -> Interval:
        """What may have been filled without our having seen it yet, from 0 up."""
        if self.status == "gone":
            return NOTHING if self.settled else Interval(ZERO, self.rest().high)
        if self.live and (self.marketable or self.status not in ("sent", "open")):
            return Interval(ZERO, self.leaves().high)
        return NOTHING
