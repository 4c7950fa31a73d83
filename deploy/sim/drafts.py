"""Orders of the sim as they are born: from a request, or as the exit of another order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

from corpus.terms import Instant, OrderType, Side
from deploy.sim.market import make_id
from deploy.sim.order_request import LegRequest, OrderRequest, Replacement
from proxy.broker.matching import Resting
from proxy.broker.replies import OrderFacts

WORKING: Final = ("new", "accepted", "partially_filled", "held", "pending_new")
_ACK_NS: Final = 400_000
"""An order exists this long before its fill is stamped, as on a real venue."""


@dataclass(slots=True)
class Order:
    """An order and what the matcher knows of it. `siblings` end when this one fills; `children` begin."""

    facts: OrderFacts
    resting: Resting
    children: list[str] = field(default_factory=list)
    siblings: list[str] = field(default_factory=list)
    is_leg: bool = False

    @property
    def working(self) -> bool:
        """Whether it may still fill."""
        return self.facts.status in WORKING


@dataclass(frozen=True, slots=True)
class Birth:
    """When an order is made, and its place in the account's count, which its ids come from."""

    seed: int
    number: int
    now: Instant

    @property
    def order_id(self) -> str:
        return make_id("order", self.seed, self.number)

    @property
    def client_order_id(self) -> str:
        return make_id("client", self.seed, self.number)

    @property
    def created_ns(self) -> Instant:
        return self.now - _ACK_NS


def new(birth: Birth, request: OrderRequest, shares: Decimal, opens: bool, expires_ns: Instant | None) -> Order:
    """An order from a request; `shares` is what a notional comes to, `opens` that it adds to a position."""
    facts = OrderFacts(
        id=birth.order_id,
        client_order_id=request.client_order_id or birth.client_order_id,
        asset_id=make_id("asset", request.symbol),
        symbol=request.symbol,
        side=request.side.value,
        type=request.type.value,
        tif=request.tif.value,
        status="pending_new",
        created_ns=birth.created_ns,
        updated_ns=birth.created_ns,
        quantity=request.quantity,
        notional=request.notional,
        limit_price=request.limit_price,
        stop_price=request.stop_price,
        trail_price=request.trail_price,
        trail_percent=request.trail_percent,
        order_class=request.order_class,
        position_intent=f"{request.side.value}_to_{'open' if opens else 'close'}",
        extended_hours=request.extended_hours,
        expires_ns=expires_ns,
    )
    resting = Resting(
        side=request.side,
        type=request.type,
        quantity=shares,
        limit_price=request.limit_price,
        stop_price=request.stop_price,
        trail_price=request.trail_price,
        trail_percent=request.trail_percent,
    )
    return Order(facts, resting)


def leg(birth: Birth, above: Order, asked: LegRequest) -> Order:
    """An exit of `above`: of the other side, unless `above` is an exit itself (OCO). It is held until it begins."""
    side = Side(above.facts.side)
    if above.facts.order_class != "oco":
        side = Side.SELL if side is Side.BUY else Side.BUY
    kind = OrderType.LIMIT
    if asked.stop_price is not None:
        kind = OrderType.STOP if asked.limit_price is None else OrderType.STOP_LIMIT
    prices: dict[str, Any] = {"limit_price": asked.limit_price, "stop_price": asked.stop_price}
    prices |= {"trail_price": None, "trail_percent": None}
    facts = replace(
        above.facts,
        id=birth.order_id,
        client_order_id=birth.client_order_id,
        side=side.value,
        type=kind.value,
        status="held",
        position_intent=f"{side.value}_to_close",
        **prices,
    )
    return Order(facts, replace(above.resting, side=side, type=kind, **prices), is_leg=True)


def replacement(birth: Birth, old: Order, change: Replacement, expires_ns: Instant | None) -> Order:
    """What goes on in place of `old`, with its filled quantity, legs and siblings."""
    facts = old.facts
    quantity = change.quantity or facts.quantity
    assert quantity is not None  # the account refuses to replace an order by notional
    trail_price = change.trail if change.trail and facts.trail_price else facts.trail_price
    trail_percent = change.trail if change.trail and facts.trail_percent else facts.trail_percent
    prices: dict[str, Any] = {
        "limit_price": change.limit_price or facts.limit_price,
        "stop_price": change.stop_price or facts.stop_price,
        "trail_price": trail_price,
        "trail_percent": trail_percent,
    }
    new_facts = replace(
        facts,
        id=birth.order_id,
        client_order_id=change.client_order_id or birth.client_order_id,
        created_ns=birth.created_ns,
        updated_ns=birth.created_ns,
        quantity=quantity,
        tif=change.tif.value if change.tif else facts.tif,
        expires_ns=expires_ns,
        replaces=facts.id,
        **prices,
    )
    resting = replace(old.resting, quantity=quantity - facts.filled_quantity, **prices)
    return Order(new_facts, resting, old.children, old.siblings, old.is_leg)
