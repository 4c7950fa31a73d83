"""
What the wire says about orders: frozen facts, read from requests, responses and frames.

A reader yields these, the journal keeps them, the ledger folds them. Nothing here judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from corpus.terms import Action, Group, Instant, OrderType, Side, Source, TimeInForce, Unit

type UpdateKind = Literal[
    "acked",  # the venue has the order; it may work
    "rejected",  # the venue refused it: it never worked
    "partially_filled",
    "filled",
    "pending_cancel",  # a cancel was accepted, the order may still fill
    "canceled",
    "pending_replace",
    "replaced",  # this order is over, `replaced_by` goes on
    "expired",
    "unknown",  # sent, and no readable answer came back: it may or may not work
    "answered",  # a cancel, close or other request was answered without an order to follow
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """A child of a bracket, OCO, OTO or multi-leg order. `ratio` is legs per parent unit."""

    symbol: str | None = None
    side: Side | None = None
    type: OrderType | None = None
    quantity: Decimal | None = None
    unit: Unit = Unit.UNKNOWN
    ratio: Decimal | None = None
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRequested:
    """
    One request to act, as it was sent. Quantities count `unit`; prices are in the quote currency.

    `item` numbers the orders of one exchange from 0. `body_key` is equal for requests with the same
    fields, client id left out. `extra` holds fields of the request that no other field says, such as a
    trailing distance or extended hours, as (name, printed value); under `UNREADABLE` the names of fields that
    are null although the request gives them.
    """

    at_ns: Instant
    exchange: int
    source: Source
    venue: str
    action: Action
    item: int = 0
    account: str | None = None
    client_order_id: str | None = None
    venue_order_id: str | None = None
    symbol: str | None = None
    symbol_code: str | None = None
    instrument: str | None = None
    side: Side | None = None
    type: OrderType | None = None
    tif: TimeInForce | None = None
    quantity: Decimal | None = None
    unit: Unit = Unit.UNKNOWN
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None
    reduce_only: bool = False
    post_only: bool = False
    group: Group | None = None
    legs: tuple[Leg, ...] = ()
    asset: str | None = None
    destination: str | None = None
    body_key: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    kind: Literal["requested"] = "requested"


UNREADABLE: Final = "unreadable"


def unreadable(event: OrderRequested) -> frozenset[str]:
    """The fields that a request gives in a way that can't be read: no number, or two different values."""
    return next((frozenset(value.split()) for name, value in event.extra if name == UNREADABLE), frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderUpdate:
    """
    What a venue said of one order. Null means that the venue did not say.

    `answers` is the `item` of the request in the same exchange that this answers, or null when it came
    unasked (an order read, a stream). `filled_quantity` is cumulative and never to be summed;
    `fill_quantity` is one execution, counted once per `execution_id`.
    """

    at_ns: Instant
    exchange: int
    venue: str
    kind: UpdateKind
    answers: int | None = None
    account: str | None = None
    client_order_id: str | None = None
    venue_order_id: str | None = None
    symbol: str | None = None
    symbol_code: str | None = None
    instrument: str | None = None
    side: Side | None = None
    type: OrderType | None = None
    tif: TimeInForce | None = None
    quantity: Decimal | None = None
    unit: Unit = Unit.UNKNOWN
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None
    filled_quantity: Decimal | None = None
    average_price: Decimal | None = None
    fill_quantity: Decimal | None = None
    fill_price: Decimal | None = None
    execution_id: str | None = None
    replaces: str | None = None
    replaced_by: str | None = None
    status: str | None = None
    code: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSeen:
    """Signed quantity (short is negative), average entry price, current price."""

    symbol: str
    quantity: Decimal | None
    unit: Unit = Unit.BASE
    average_price: Decimal | None = None
    price: Decimal | None = None
    instrument: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionsRead:
    """A positions answer. `complete`: symbols that are absent are flat; else only `symbol` was asked for."""

    at_ns: Instant
    exchange: int
    venue: str
    positions: tuple[PositionSeen, ...]
    complete: bool = True
    symbol: str | None = None
    account: str | None = None
    kind: Literal["positions"] = "positions"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersRead:
    """An open-orders answer, complete for the account: an order that is absent no longer works."""

    at_ns: Instant
    exchange: int
    venue: str
    venue_order_ids: tuple[str, ...]
    complete: bool = True
    account: str | None = None
    kind: Literal["orders"] = "orders"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRead:
    """Money of one account, in `currency`; `flags` are the venue's own words, such as no_shorting."""

    at_ns: Instant
    exchange: int
    venue: str
    account: str | None = None
    currency: str | None = None
    cash: Decimal | None = None
    equity: Decimal | None = None
    buying_power: Decimal | None = None
    flags: tuple[tuple[str, str], ...] = ()
    kind: Literal["account"] = "account"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteSeen:
    """A price that crossed the proxy. `quoted_at_ns` is the source's own time, `at_ns` ours."""

    at_ns: Instant
    exchange: int
    venue: str
    symbol: str
    bid: Decimal | None = None
    ask: Decimal | None = None
    last: Decimal | None = None
    underlying: Decimal | None = None
    quoted_at_ns: Instant | None = None
    kind: Literal["quote"] = "quote"


@dataclass(frozen=True, slots=True, kw_only=True)
class KillSet:
    """The session's kill switch was set by a person, the API or a loss trip."""

    at_ns: Instant
    mode: Literal["halted", "reducing", "off"]
    by: str
    exchange: int = 0
    kind: Literal["kill"] = "kill"


type OrderEvent = OrderRequested | OrderUpdate | PositionsRead | OrdersRead | AccountRead | QuoteSeen | KillSet
