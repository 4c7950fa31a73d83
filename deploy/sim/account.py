"""One brokerage account of the sim: orders, fills, positions, cash. Deterministic; its clock moves with orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal
from typing import Any, Final

from corpus.terms import Instant, Side, TimeInForce
from deploy.sim import drafts
from deploy.sim.drafts import Birth, Order
from deploy.sim.holdings import Holdings, signed
from deploy.sim.market import Market
from deploy.sim.order_request import OrderRequest, Replacement
from deploy.sim.wire import Refused
from proxy.broker import refusals
from proxy.broker.matching import match, match_at_once
from proxy.broker.replies import OrderFacts

_STEP_NS: Final = 1_000_000
_SHARE_STEP: Final = Decimal("0.000000001")


class Account:
    """Orders in, facts out. Every refusal is raised as `Refused` and leaves nothing behind but the clock's step."""

    def __init__(self, market: Market, seed: int, now: Instant, cash: Decimal) -> None:
        self.market, self.seed, self.now = market, seed, now
        self.orders: dict[str, Order] = {}
        self.holdings = Holdings(cash)
        self._count = 0

    def place(self, request: OrderRequest) -> Order:
        """Take one order and fill what crosses now. Raises Refused."""
        self.now += _STEP_NS
        symbol = request.symbol
        if not self.market.lists(symbol) or self.market.last(symbol, self.now) is None:
            raise Refused(refusals.unprocessable(f'asset "{symbol[:32]}" not found'))
        if request.client_order_id is not None and self.by_client_id(request.client_order_id) is not None:
            raise Refused(refusals.duplicate_client_order_id())
        quantity = self._shares(request)
        price = request.limit_price or request.stop_price or self._touch_of(symbol, request.side)
        self.holdings.check(symbol, request.side, quantity, price, list(self.working()), self.last)
        held = self.holdings.quantity(symbol)
        opens = held == 0 or (held > 0) == (request.side is Side.BUY)
        order = self._add(drafts.new(self._birth(), request, quantity, opens, self._expiry(request.tif)))
        self._add_legs(order, request)
        self._first_touch(order)
        return order

    def replace(self, order: Order, change: Replacement) -> Order:
        """Put a changed order in place of a working one. Raises Refused."""
        self.now += _STEP_NS
        facts = order.facts
        if facts.status not in ("new", "accepted", "partially_filled"):
            raise Refused(refusals.unprocessable(f"cannot replace order in {facts.status} state"))
        if facts.notional is not None:
            raise Refused(refusals.unprocessable("cannot replace notional orders"))
        if change.client_order_id is not None and self.by_client_id(change.client_order_id) is not None:
            raise Refused(refusals.duplicate_client_order_id())
        if (change.quantity or facts.quantity or Decimal(0)) <= facts.filled_quantity:
            raise Refused(refusals.unprocessable("qty must be greater than filled_qty"))
        for name in ("limit_price", "stop_price"):
            if getattr(change, name) is not None and getattr(facts, name) is None:
                raise Refused(refusals.invalid(f"{facts.type} orders must not have {name}"))
        expires = self._expiry(change.tif) if change.tif else facts.expires_ns
        new = drafts.replacement(self._birth(), order, change, expires)
        side = Side(facts.side)
        price = new.facts.limit_price or new.facts.stop_price or self._touch_of(facts.symbol, side)
        others = [other for other in self.working() if other is not order]
        self.holdings.check(facts.symbol, side, new.resting.quantity, price, others, self.last)
        self._set(order, status="replaced", replaced_by=new.facts.id, replaced_ns=self.now)
        for sibling in order.siblings:
            theirs = self.orders[sibling].siblings
            self.orders[sibling].siblings = [new.facts.id if x == facts.id else x for x in theirs]
        self._add(new)
        self._first_touch(new)
        return new

    def cancel(self, order: Order) -> None:
        """End a working order and the orders that hang on it. Raises Refused."""
        if not order.working:
            raise Refused(refusals.unprocessable(f'order is already in "{order.facts.status}" state'))
        self._end(order, "canceled")

    def cancel_all(self) -> list[str]:
        """End every working order; their ids, oldest first."""
        self.now += _STEP_NS
        found = [order for order in self.orders.values() if order.working]
        for order in found:
            if order.working:
                self._end(order, "canceled")
        return [order.facts.id for order in found]

    def move(self, now: Instant) -> None:
        """Let time pass: day orders expire at the close, the rest meet the prices of `now`."""
        self.now = max(self.now, now)
        for order in list(self.orders.values()):
            if not order.working:
                continue
            if order.facts.expires_ns is not None and self.now >= order.facts.expires_ns:
                self._end(order, "expired")
            elif order.facts.status != "held" and self.market.is_open(self.now):
                self._touch(order)

    def by_client_id(self, client_order_id: str) -> Order | None:
        """The order that was placed under the agent's own id."""
        found = (order for order in self.orders.values() if order.facts.client_order_id == client_order_id)
        return next(found, None)

    def working(self, symbol: str | None = None) -> Iterable[Order]:
        """Working orders, oldest first."""
        return (o for o in self.orders.values() if o.working and symbol in (None, o.facts.symbol))

    def view(self, order: Order, nested: bool = True) -> OrderFacts:
        """An order's facts with its legs in place."""
        if not nested or not order.children:
            return order.facts
        return replace(order.facts, legs=tuple(self.orders[child].facts for child in order.children))

    def last(self, symbol: str) -> Decimal:
        """The last price of a listed symbol, USD."""
        return self.market.last(symbol, self.now) or Decimal(0)

    def _birth(self) -> Birth:
        self._count += 1
        return Birth(self.seed, self._count, self.now)

    def _add(self, order: Order) -> Order:
        self.orders[order.facts.id] = order
        return order

    def _expiry(self, tif: TimeInForce) -> Instant | None:
        return self.market.closes_next(self.now) if tif is TimeInForce.DAY else None

    def _touch_of(self, symbol: str, side: Side) -> Decimal | None:
        return self.market.touch(symbol, self.now).price(side)

    def _shares(self, request: OrderRequest) -> Decimal:
        if request.quantity is not None:
            return request.quantity
        price = self._touch_of(request.symbol, request.side)
        assert request.notional is not None
        assert price is not None
        return max((request.notional / price).quantize(_SHARE_STEP, ROUND_DOWN), _SHARE_STEP)

    def _add_legs(self, order: Order, request: OrderRequest) -> None:
        # The take-profit of an OCO is the order itself.
        exits = [request.stop_loss] if request.order_class == "oco" else [request.take_profit, request.stop_loss]
        legs = [self._add(drafts.leg(self._birth(), order, leg)) for leg in exits if leg is not None]
        order.children = [leg.facts.id for leg in legs]
        group = [order, *legs] if request.order_class == "oco" else legs
        for one in group:
            one.siblings = [other.facts.id for other in group if other is not one]

    def _first_touch(self, order: Order) -> None:
        """A new order meets the touch if a session is on; else it waits as `accepted`."""
        if not self.market.is_open(self.now):
            self._set(order, status="accepted")
            return
        tif = TimeInForce(order.facts.tif)
        self._set(order, status="accepted" if tif in (TimeInForce.OPG, TimeInForce.CLS) else "new")
        found = match_at_once(order.resting, self.market.touch(order.facts.symbol, self.now), tif)
        order.resting = found.resting
        if found.fill is not None:
            self._fill(order, found.fill.quantity, found.fill.price)
        if tif in (TimeInForce.IOC, TimeInForce.FOK) and order.working:
            self._end(order, "canceled")
        if order.facts.order_class == "oco":
            for child in order.children:
                if self.orders[child].facts.status == "held" and order.working:
                    self._begin(self.orders[child])

    def _begin(self, order: Order) -> None:
        self._set(order, status="new")
        self._touch(order)

    def _touch(self, order: Order) -> None:
        found = match(order.resting, self.market.touch(order.facts.symbol, self.now))
        order.resting = found.resting
        if order.resting.high_water is not None:
            order.facts = replace(order.facts, high_water=order.resting.high_water)
        if found.fill is not None:
            self._fill(order, found.fill.quantity, found.fill.price)

    def _fill(self, order: Order, quantity: Decimal, price: Decimal) -> None:
        facts = order.facts
        filled = facts.filled_quantity + quantity
        before = (facts.average_price or Decimal(0)) * facts.filled_quantity
        average = ((before + quantity * price) / filled).quantize(_SHARE_STEP)
        done = order.resting.quantity == 0
        self._set(
            order,
            status="filled" if done else "partially_filled",
            filled_quantity=filled,
            average_price=average,
            filled_ns=self.now if done else None,
        )
        self.holdings.apply(facts.symbol, signed(Side(facts.side), quantity), price)
        if not done:
            return
        for sibling in order.siblings:
            if self.orders[sibling].working:
                self._end(self.orders[sibling], "canceled")
        if facts.order_class in ("bracket", "oto") and not order.is_leg:
            for child in order.children:
                if self.orders[child].facts.status == "held":
                    self._begin(self.orders[child])

    def _end(self, order: Order, status: str) -> None:
        if status == "expired":
            self._set(order, status=status, expired_ns=self.now)
        else:
            self._set(order, status=status, canceled_ns=self.now)
        for other in (*order.children, *order.siblings):
            if self.orders[other].working:
                self._end(self.orders[other], status)

    def _set(self, order: Order, **changes: Any) -> None:
        order.facts = replace(order.facts, updated_ns=self.now, **changes)
