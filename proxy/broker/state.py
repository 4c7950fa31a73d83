"""What a ledger knows, its indices, and the sums that depend on its orders. Mutable; changed by the fold only."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal

from corpus.terms import Action, Instant, OrderType, Side, TimeInForce, Unit
from proxy.broker.interval import AT_LEAST_NOTHING, NOTHING, UNKNOWN, ZERO, Interval, bounded, only, quotient
from proxy.broker.money import Funds, Touch
from proxy.broker.position import Position
from proxy.broker.working import UNSETTLED, Key, Order, Part, limit_of
from proxy.wire.order_events import OrderRequested, OrderUpdate

type Owner = tuple[str, str | None]
"""Venue and account."""

PLAIN_UNITS: Final = frozenset((Unit.BASE, Unit.SHARE, Unit.CONTRACT, Unit.USD_CONTRACT))
"""Units in which venues state positions as well."""
_IDS_PER_SYMBOL: Final = frozenset(("binance",))
"""Venues that number orders per symbol, so that an id alone may name two; elsewhere spellings may differ."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A position that changed without an order to explain it: an outside trade, a split, an assignment."""

    at_ns: Instant
    key: Key
    before: Interval
    after: Interval
    exchange: int
    kind: Literal["unexplained_adjustment"] = "unexplained_adjustment"


@dataclass(slots=True, kw_only=True)
class State:
    """
    Everything a ledger remembers.

    Args:
        start: `flat` holds nothing before the first event; otherwise positions are unknown until read.
        openings: Positions before the first event, known by rolling a later read back.
        confirm_snapshots: Equal unexplained reads it takes to believe the venue over the ledger.
        unacked_ttl_ns: A sent order without any answer for longer is `unknown`; null waits for ever.
    """

    start: Literal["snapshot", "flat", "unknown"] = "snapshot"
    openings: Mapping[Key, Interval] = field(default_factory=dict)
    confirm_snapshots: int = 2
    unacked_ttl_ns: int | None = None
    positions: dict[Key, Position] = field(default_factory=dict)
    whole: dict[Owner, int] = field(default_factory=dict)
    """Accounts whose positions were read whole, so that what is absent is flat; the exchange of the last read."""
    busy: dict[Owner, dict[Key, None]] = field(default_factory=dict)
    """Instruments that are not at rest (flat, without orders, undisputed), by account."""
    orders: dict[int, Order] = field(default_factory=dict)
    live: dict[Owner, dict[int, None]] = field(default_factory=dict)
    by_client: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    by_venue: dict[tuple[str, str, str | None], int] = field(default_factory=dict)
    by_body: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    asked: dict[tuple[int, int], tuple[Action, tuple[int, ...]]] = field(default_factory=dict)
    """(exchange, item) of a request to its action and the orders that it concerns."""
    sent: dict[tuple[int, int], OrderRequested] = field(default_factory=dict)
    """New orders without an answer yet, to compare it with."""
    waiting: deque[tuple[Instant, int]] = field(default_factory=deque)
    funds: dict[Owner, Funds] = field(default_factory=dict)
    touches: dict[str, Touch] = field(default_factory=dict)
    kill: Literal["halted", "reducing", "off"] = "off"
    kill_ns: Instant = 0
    adjustments: list[Adjustment] = field(default_factory=list)
    at_ns: Instant = 0

    def position(self, key: Key) -> Position:
        """The position of an instrument, begun by what is known of its account when it is new."""
        found = self.positions.get(key)
        if found is None:
            found = self.positions[key] = self._new(key)
            self.busy.setdefault((key[0], key[1]), {})[key] = None
        return found

    def _new(self, key: Key) -> Position:
        owner = (key[0], key[1])
        if key in self.openings:
            return Position(quantity=self.openings[key], source="backfilled")
        if owner in self.whole:
            return Position(quantity=NOTHING, source="snapshot", exchange=self.whole[owner])
        if self.start == "flat":
            return Position(quantity=NOTHING, source="flat")
        return Position(quantity=UNKNOWN)

    def peek(self, key: Key) -> Position:
        """Like `position`, without remembering a new one."""
        return self.positions.get(key) or self._new(key)

    def lift(self, order: Order) -> None:
        """Take an order out of the sums, before it changes."""
        self._sum(order, -1)

    def lay(self, order: Order) -> None:
        """Put an order back into the sums, after it changed."""
        self._sum(order, 1)
        live = self.live.setdefault((order.venue, order.account), {})
        if order.live:
            live[order.number] = None
        else:
            live.pop(order.number, None)
            for part in order.parts:
                self._give_up(part)

    def _sum(self, order: Order, sign: int) -> None:
        leaves, unseen = order.leaves(), order.unseen()
        gone = unseen if order.status == "gone" else NOTHING
        for part in order.parts:
            position = self.position(part.key)
            self.busy.setdefault((part.key[0], part.key[1]), {})[part.key] = None
            book = position.side(part.side)
            ratio = only(part.ratio)
            book.leaves.add(leaves.times(ratio), sign)
            book.unseen.add(unseen.times(ratio), sign)
            book.gone.add(gone.times(ratio), sign)
            if order.status == "gone" and sign > 0:
                position.gone.add(order.number)
            else:
                position.gone.discard(order.number)

    def _give_up(self, part: Part) -> None:
        position = self.position(part.key)
        before = position.base()
        if position.settle(part.side):
            self.adjustments.append(Adjustment(self.at_ns, part.key, before, before, 0))

    def enter(self, order: Order) -> None:
        """Remember a new order under its ids and in the sums."""
        self.orders[order.number] = order
        self.name(order, order.client_order_id, order.venue_order_id)
        if order.body_key:
            self.by_body[order.venue, order.account, order.body_key] = order.number
        if order.status == "sent" and self.unacked_ttl_ns is not None:
            self.waiting.append((order.sent_ns, order.number))
        self.lay(order)

    def name(self, order: Order, client_id: str | None, venue_id: str | None) -> None:
        """Let an order be found by these ids from now on."""
        if client_id is not None:
            order.client_order_id = client_id
            self.by_client[order.venue, order.account, client_id] = order.number
            self.by_client[order.venue, "*", client_id] = order.number
        if venue_id is not None:
            order.venue_order_id = venue_id
            for symbol in {None, *(part.key[2] for part in order.parts)}:
                self.by_venue[order.venue, venue_id, symbol] = order.number

    def find(self, event: OrderRequested | OrderUpdate) -> Order | None:
        """The order that an event's ids name, or null."""
        symbol = event.instrument or event.symbol or event.symbol_code
        number = None
        if event.venue_order_id is not None:
            number = self.by_venue.get((event.venue, event.venue_order_id, symbol))
            if number is None:
                number = self.by_venue.get((event.venue, event.venue_order_id, None))
        if number is None and event.client_order_id is not None:
            number = self.find_client(event.venue, event.account, event.client_order_id)
        if number is None:
            return None
        order = self.orders[number]
        if event.venue in _IDS_PER_SYMBOL and symbol is not None and order.parts:
            return order if any(part.key[2] == symbol for part in order.parts) else None
        return order

    def find_client(self, venue: str, account: str | None, client_id: str) -> int | None:
        """The order of a client id; an account that either side leaves out agrees with any."""
        for owner in (account, None) if account is not None else (None, "*"):
            number = self.by_client.get((venue, owner, client_id))
            if number is not None:
                return number
        return None

    def rest(self, key: Key) -> None:
        """Forget to visit an instrument that is at rest, so that reads cost what they list."""
        if self.positions[key].at_rest():
            self.busy.get((key[0], key[1]), {}).pop(key, None)

    def owned(self, owner: Owner) -> tuple[Key, ...]:
        """Instruments of an account that are not at rest."""
        return tuple(self.busy.get(owner, ()))


def key_of(event: OrderRequested | OrderUpdate) -> Key | None:
    """Where an event's instrument is kept, or null when it names none."""
    symbol = event.instrument or event.symbol or event.symbol_code
    return None if symbol is None else (event.venue, event.account, symbol)


def opposite(side: Side) -> Side:
    return Side.SELL if side is Side.BUY else Side.BUY


def in_position_units(state: State, event: OrderRequested | OrderUpdate, key: Key | None) -> Interval:
    """
    A stated quantity in the units in which the position is kept.

    Money amounts (`quote`) are divided by the price they would trade at; without a price, and where the unit
    is unknown, the quantity is anything from 0 up.
    """
    if event.quantity is None:
        return AT_LEAST_NOTHING
    amount = abs(event.quantity)
    if event.unit in PLAIN_UNITS:
        return bounded(amount)
    if event.unit is Unit.PERCENT and key is not None:
        return share_of(state.peek(key).held(), amount)
    if event.unit is Unit.QUOTE and key is not None:
        touch = state.touches.get(key[2], Touch())
        limit = limit_of(event.type, event.limit_price)
        if event.type in UNSETTLED and touch.bid is None and touch.ask is None:
            limit = None
        known = [x for x in (touch.bid, touch.ask, limit) if x is not None and x > 0]
        known = known or [x for x in (touch.last,) if x is not None and x > 0]
        if known:
            return quotient(amount, max(known), min(known))
    return AT_LEAST_NOTHING


def share_of(held: Interval, percent: Decimal) -> Interval:
    """A percentage of a position's size."""
    share = bounded(percent)
    return held.size().times(Interval((share.low or ZERO) / 100, None if share.high is None else share.high / 100))


def may_fill_unseen(state: State, event: OrderRequested, key: Key | None) -> bool:
    """
    Whether a request would trade at once: a market order or one that may be such, one that may not rest, or a
    limit through the touch.
    """
    if event.post_only and event.type not in (OrderType.MARKET, *UNSETTLED):
        return False
    if event.type in (OrderType.MARKET, *UNSETTLED) or event.tif in (TimeInForce.IOC, TimeInForce.FOK):
        return True
    if event.type is not OrderType.LIMIT or event.limit_price is None or key is None:
        return False
    touch = state.touches.get(key[2], Touch())
    if event.side is Side.BUY:
        return touch.ask is not None and event.limit_price >= touch.ask
    return touch.bid is not None and event.limit_price <= touch.bid
