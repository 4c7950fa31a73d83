"""The fold's half that the venue drives: answers, order reads, fills, position reads."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from corpus.terms import Action, Unit
from proxy.broker.interval import AT_LEAST_NOTHING, ZERO, Interval, bounded, only
from proxy.broker.state import PLAIN_UNITS, Adjustment, State, in_position_units, key_of
from proxy.broker.working import Key, Order, Part, Terms
from proxy.wire.order_events import OrderRequested, OrdersRead, OrderUpdate, PositionsRead

_OVER = ("rejected", "canceled", "expired")
_CANCELS = (Action.CANCEL, Action.CANCEL_ALL)


def expire(state: State) -> None:
    """Orders that were sent too long ago without any answer may or may not work."""
    if state.unacked_ttl_ns is None:
        return
    while state.waiting and state.at_ns - state.waiting[0][0] > state.unacked_ttl_ns:
        order = state.orders[state.waiting.popleft()[1]]
        if order.status == "sent":
            state.lift(order)
            order.status = "unknown"
            state.lay(order)


def apply_update(state: State, event: OrderUpdate) -> None:
    """Fold what a venue said of one order; an order we never saw sent is followed from here on."""
    action, order = _answered(state, event)
    if action in _CANCELS and event.venue_order_id is None and event.client_order_id is None:
        _for_all(state, event, action)
        return
    if action is Action.CANCEL_ALL and order is not None and order.venue_order_id is not None:
        # Items name their orders; the only one followed here need not be meant.
        order = order if event.venue_order_id in (None, order.venue_order_id) else None
    order = order or state.find(event) or _by_predecessor(state, event)
    if order is None:
        _adopt(state, event)
        return
    _one(state, order, event, action)


def _for_all(state: State, event: OrderUpdate, action: Action) -> None:
    """One answer to a request that concerned several orders and names none of them."""
    assert event.answers is not None
    for number in state.asked[event.exchange, event.answers][1]:
        _one(state, state.orders[number], event, action)


def contradicted(asked: OrderRequested, answer: OrderUpdate) -> frozenset[str]:
    """
    Of quantity, symbol and side, what an answer states otherwise than the request of a new order.

    Spellings of a symbol that differ in case or marks agree; so does a count for an amount of money, which
    venues work out. A quantity that the request does not give readably is contradicted by any.
    """
    found = set()
    if answer.quantity is not None and answer.unit in (*PLAIN_UNITS, Unit.QUOTE):
        like = asked.unit is answer.unit or asked.unit in PLAIN_UNITS
        if asked.quantity is None or (like and _differ(asked, answer)):
            found.add("quantity")
    names = [(one.instrument, one.symbol, one.symbol_code) for one in (asked, answer)]
    pairs = [(one, two) for one, two in zip(*names, strict=True) if one is not None and two is not None]
    if pairs and all(_bare(one) != _bare(two) for one, two in pairs):
        found.add("symbol")
    if asked.side is not None and answer.side is not None and asked.side is not answer.side:
        found.add("side")
    return frozenset(found)


def _differ(asked: OrderRequested, answer: OrderUpdate) -> bool:
    assert asked.quantity is not None
    assert answer.quantity is not None
    other_unit = answer.unit is Unit.QUOTE and asked.unit is not Unit.QUOTE
    return other_unit or abs(asked.quantity) != abs(answer.quantity)


def _bare(symbol: str) -> str:
    return "".join(char for char in symbol.casefold() if char.isalnum())


def _mark(state: State, order: Order, event: OrderUpdate) -> None:
    """Keep both readings of a new order that its answer contradicts."""
    asked = state.sent.pop((event.exchange, event.answers or 0), None) if event.answers is not None else None
    if asked is None or order.exchange != event.exchange or len(order.parts) != 1:
        return
    fields = contradicted(asked, event)
    if asked.quantity is None:
        # Nothing to keep beside what the venue states.
        fields -= {"quantity"}
    if not fields:
        return
    part = order.parts[0]
    state.lift(order)
    order.contradicted = fields
    if order.mixed:
        key = (key_of(event) if "symbol" in fields else None) or part.key
        order.parts = (part, Part(key, event.side or part.side))
        order.marketable = True
    state.lay(order)
    state.name(order, None, order.venue_order_id)


def _one(state: State, order: Order, event: OrderUpdate, action: Action | None) -> None:
    if action is Action.PLACE:
        _mark(state, order, event)
    current = _identify(state, order, event)
    own = current and action not in (*_CANCELS, Action.REPLACE)
    if own and event.kind in ("acked", "partially_filled", "answered", "filled"):
        state.lift(order)
        _terms(state, order, event)
        state.lay(order)
    # Fills first: an order that ends would otherwise give up fills that a position read has proved.
    _fills(state, order, event)
    if own and event.kind == "filled" and event.filled_quantity is None and order.quantity.exact is not None:
        _fill_to(state, order, order.quantity.exact)
    state.lift(order)
    if action in _CANCELS:
        _answer_cancel(order, event)
    elif action is Action.REPLACE:
        _answer_replace(state, order, event)
    elif current:
        _advance(state, order, event)
    if order.live and order.quantity.exact is not None and ZERO < order.quantity.exact <= order.filled:
        order.status = "done"
    state.lay(order)


def _answered(state: State, event: OrderUpdate) -> tuple[Action | None, Order | None]:
    if event.answers is None:
        return None, None
    action, numbers = state.asked.get((event.exchange, event.answers), (None, ()))
    orders = [state.orders[number] for number in numbers]
    symbol = event.instrument or event.symbol
    if len(orders) > 1 or (action is Action.CLOSE_ALL and symbol is not None):
        orders = [x for x in orders if any(part.key[2] == symbol for part in x.parts)]
    return action, orders[0] if len(orders) == 1 else None


def _by_predecessor(state: State, event: OrderUpdate) -> Order | None:
    if event.replaces is None:
        return None
    return state.find(replace(event, venue_order_id=event.replaces, client_order_id=None))


def _identify(state: State, order: Order, event: OrderUpdate) -> bool:
    """Learn ids. False when the event speaks of an id that this order has left behind."""
    fresh = event.venue_order_id
    if fresh is not None and order.venue_order_id is not None and fresh != order.venue_order_id:
        known = state.by_venue.get((order.venue, fresh, None)) == order.number
        if known and event.replaces is None:
            if event.kind == "replaced" and event.replaced_by is not None:
                state.name(order, None, event.replaced_by)
            return False
    if event.kind == "replaced":
        # The event's own id is the old one; what goes on is `replaced_by`.
        if event.venue_order_id is not None and event.replaced_by is not None:
            state.name(order, None, event.venue_order_id)
        state.name(order, None, event.replaced_by)
        return True
    changed = event.client_order_id if event.client_order_id != order.client_order_id else None
    state.name(order, changed, fresh)
    return True


def _answer_cancel(order: Order, event: OrderUpdate) -> None:
    if event.kind in ("canceled", "expired") and order.live:
        order.status = "done"
    elif event.kind == "rejected" and order.status == "pending_cancel":
        # A refused cancel often means that the order was filled before it came.
        order.status, order.marketable = "open", True


def _answer_replace(state: State, order: Order, event: OrderUpdate) -> None:
    if event.kind == "rejected":
        if order.status == "pending_replace":
            order.status, order.pending = "open", None
    elif event.kind not in ("unknown", "pending_replace", "pending_cancel") and order.live:
        _commit(order, order.pending)
        order.status = "open"
        _terms(state, order, event)
        if event.kind in ("canceled", "expired"):
            order.status = "done"


def _commit(order: Order, terms: Terms | None) -> None:
    if terms is not None:
        order.quantity = order.quantity if terms.quantity is None else terms.quantity
        order.limit_price = order.limit_price if terms.limit_price is None else terms.limit_price
        order.stop_price = order.stop_price if terms.stop_price is None else terms.stop_price
        order.tif = terms.tif or order.tif
        order.client_order_id = terms.client_order_id or order.client_order_id
    order.pending = None


def _advance(state: State, order: Order, event: OrderUpdate) -> None:
    """Move the status on by an answer to the order itself, an order read or a stream; what is over stays over."""
    if not order.live:
        return
    match event.kind:
        case "acked" | "partially_filled" | "answered":
            if order.status in ("sent", "unknown"):
                order.status = "open"
        case "filled":
            # Filled, but how much was never said: whatever was left may be in the position.
            known = event.filled_quantity is not None or order.quantity.exact is not None
            order.status = "done" if known and not order.mixed else "gone"
        case "rejected" if event.answers is not None and event.exchange != order.exchange:
            # A retry was refused, most often because the first one arrived: it may well work.
            order.status = "unknown" if order.status == "sent" else order.status
        case "rejected" | "canceled" | "expired":
            order.status = "gone" if order.mixed and event.kind != "rejected" else "done"
            if event.kind == "rejected" and order.displaced is not None and order.client_order_id is not None:
                older = state.orders[order.displaced]
                state.name(older, order.client_order_id, None)
        case "pending_cancel":
            order.status = "pending_cancel"
        case "pending_replace":
            order.status = "pending_replace"
        case "replaced":
            if order.pending is None:
                # Replaced by someone else: the new terms show in the next read of it.
                order.quantity = Interval(order.filled, None)
            _commit(order, order.pending)
            order.status = "open"
        case "unknown":
            if order.status == "sent":
                order.status = "unknown"


def _terms(state: State, order: Order, event: OrderUpdate) -> None:
    """Take over the total and the prices that the venue states."""
    key = order.parts[0].key if order.parts else key_of(event)
    if event.quantity is not None and event.unit in PLAIN_UNITS and order.status != "pending_replace":
        stated = bounded(abs(event.quantity))
        order.quantity = order.quantity.hull(stated) if "quantity" in order.contradicted else stated
    if not order.parts and key is not None and event.side is not None:
        order.parts = (Part(key, event.side),)
        state.name(order, None, order.venue_order_id)
    order.limit_price = order.limit_price if event.limit_price is None else event.limit_price
    order.stop_price = order.stop_price if event.stop_price is None else event.stop_price
    order.type, order.tif = order.type or event.type, order.tif or event.tif


def _fills(state: State, order: Order, event: OrderUpdate) -> None:
    """
    Count what is newly filled.

    Cumulative figures of the ids that one order had are taken as one run (FIX: OrderQty and CumQty go on
    through a replace), so the largest one stands.
    """
    if event.filled_quantity is not None:
        order.cumulative = max(order.cumulative, _stated(event.filled_quantity))
    if event.fill_quantity is not None:
        execution = event.execution_id or f"{event.at_ns}:{event.fill_quantity}:{event.fill_price}"
        if execution not in order.executions:
            order.executions.add(execution)
            order.executed += _stated(event.fill_quantity)
    _fill_to(state, order, max(order.cumulative, order.executed))


def _stated(amount: Decimal) -> Decimal:
    """What is surely filled of a stated amount."""
    return bounded(abs(amount)).low or ZERO


def _fill_to(state: State, order: Order, filled: Decimal) -> None:
    if filled <= order.filled or order.mixed:
        return
    more = filled - order.filled
    if order.settled:
        # The order ended before a position read, which held these fills already.
        order.filled = filled
        return
    others = []
    state.lift(order)
    for part in order.parts:
        book = state.position(part.key).side(part.side)
        others.append((book.leaves.interval() + book.gone.interval()).high)
    order.filled = filled
    if order.quantity.high is not None and order.quantity.high < filled:
        order.quantity = only(filled)
    for part, rest in zip(order.parts, others, strict=True):
        state.position(part.key).fill(part.side, more * part.ratio, rest)
    state.lay(order)


def _adopt(state: State, event: OrderUpdate) -> None:
    """
    Follow an order that was not sent here: from before the session, or the child of a bracket.

    What it has filled by now is taken as part of the position already: an order read tells of old fills as
    of new ones, and a position read corrects the rest.
    """
    key = key_of(event)
    if key is None or event.side is None or event.kind in ("answered", "unknown", *_OVER, "filled", "replaced"):
        return
    quantity = AT_LEAST_NOTHING if event.quantity is None else in_position_units(state, event, key)
    filled = _stated(event.filled_quantity or event.fill_quantity or ZERO)
    order = Order(
        number=len(state.orders),
        venue=event.venue,
        account=event.account,
        action=Action.PLACE,
        client_order_id=event.client_order_id,
        venue_order_id=event.venue_order_id,
        parts=(Part(key, event.side),),
        type=event.type,
        tif=event.tif,
        limit_price=event.limit_price,
        stop_price=event.stop_price,
        quantity=quantity,
        unit=event.unit,
        status="pending_cancel" if event.kind == "pending_cancel" else "open",
        filled=filled,
        cumulative=filled,
        exchange=event.exchange,
        sent_ns=event.at_ns,
    )
    if event.execution_id is not None:
        order.executions.add(event.execution_id)
        order.executed = filled
    state.enter(order)


def apply_positions(state: State, event: PositionsRead) -> None:
    """Fold a position read; one that is complete says of every instrument that it leaves out: flat."""
    owner = (event.venue, event.account)
    seen: dict[Key, Decimal] = {}
    named = set()
    for one in event.positions:
        key = (event.venue, event.account, one.instrument or one.symbol)
        named.add(key)
        state.position(key).average_price = one.average_price
        if one.quantity is not None and bounded(abs(one.quantity)).exact is not None:
            seen[key] = one.quantity
    if event.complete:
        state.whole[owner] = event.exchange
        seen.update((key, ZERO) for key in state.busy.get(owner, ()) if key not in named)
    elif event.symbol is not None and not event.positions:
        seen[event.venue, event.account, event.symbol] = ZERO
    for key, quantity in seen.items():
        _read_one(state, event, key, quantity)


def _read_one(state: State, event: PositionsRead, key: Key, quantity: Decimal) -> None:
    position = state.position(key)
    before = position.read(quantity, state.confirm_snapshots)
    position.exchange = event.exchange
    if before is not None:
        state.adjustments.append(Adjustment(event.at_ns, key, before, only(quantity), event.exchange))
    if position.disputed is None:
        _settle(state, position.gone)
    state.rest(key)


def _settle(state: State, gone: set[int]) -> None:
    """Orders that were over before a position was read: their fills, seen or not, are in it."""
    for number in tuple(gone):
        order = state.orders[number]
        state.lift(order)
        order.settled, order.status = True, "done"
        state.lay(order)


def apply_orders(state: State, event: OrdersRead) -> None:
    """Fold a read of the open orders: acknowledged orders that it leaves out are over, their last fill unseen."""
    if not event.complete:
        return
    listed = set(event.venue_order_ids)
    for number in tuple(state.live.get((event.venue, event.account), ())):
        order = state.orders[number]
        if order.venue_order_id is not None and order.venue_order_id not in listed:
            state.lift(order)
            order.status = "gone"
            state.lay(order)
