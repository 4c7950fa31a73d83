"""The fold's half that the agent drives: requests to place, replace, cancel and close."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from corpus.terms import Action, Group, OrderType, Side, Unit
from proxy.broker.interval import AT_LEAST_NOTHING, ZERO, Interval, bounded
from proxy.broker.state import PLAIN_UNITS, State, in_position_units, key_of, may_fill_unseen, share_of
from proxy.broker.working import Key, Order, Part, Terms
from proxy.wire.order_events import OrderRequested, unreadable


def apply_request(state: State, event: OrderRequested, *, retry: bool = False) -> None:
    """
    Fold one request.

    Args:
        state: Changed in place.
        event: What was sent. Dry runs, confirmations, exercises and transfers leave the ledger alone; what
            an exercise does to two positions shows in the next read.
        retry: The journal knows this request as one that was sent before.
    """
    known = _sent_before(state, event, retry)
    if known is not None:
        state.asked[event.exchange, event.item] = (event.action, (known.number,))
        return
    match event.action:
        case Action.PLACE:
            numbers: tuple[int, ...] = (_place(state, event),)
            state.sent[event.exchange, event.item] = event
        case Action.CLOSE:
            numbers = tuple(_close(state, event, key) for key in [key_of(event)] if key is not None)
        case Action.CLOSE_ALL:
            keys = [key for key in state.owned((event.venue, event.account)) if not _flat(state, key)]
            numbers = tuple(_close(state, event, key) for key in keys)
        case Action.REPLACE:
            numbers = _replace(state, event)
        case Action.CANCEL:
            numbers = _cancel(state, event)
        case Action.CANCEL_ALL:
            numbers = _cancel_all(state, event)
        case _:
            return
    state.asked[event.exchange, event.item] = (event.action, numbers)


def _sent_before(state: State, event: OrderRequested, retry: bool) -> Order | None:
    """The order that a retry repeats: the same client id with the same body, or what the journal says."""
    if event.action is not Action.PLACE or not event.body_key:
        return None
    number = None
    if event.client_order_id is not None:
        number = state.find_client(event.venue, event.account, event.client_order_id)
    if number is None and retry:
        number = state.by_body.get((event.venue, event.account, event.body_key))
    order = None if number is None else state.orders[number]
    return order if order is not None and order.body_key == event.body_key else None


def _place(state: State, event: OrderRequested) -> int:
    key = key_of(event)
    displaced = None
    if event.client_order_id is not None:
        displaced = state.find_client(event.venue, event.account, event.client_order_id)
    order = Order(
        number=len(state.orders),
        venue=event.venue,
        account=event.account,
        action=event.action,
        client_order_id=event.client_order_id,
        parts=parts_of(event, key),
        type=event.type,
        tif=event.tif,
        limit_price=event.limit_price,
        stop_price=event.stop_price,
        reduce_only=event.reduce_only,
        quantity=in_position_units(state, event, key),
        unit=event.unit,
        marketable=may_fill_unseen(state, event, key),
        body_key=event.body_key,
        exchange=event.exchange,
        sent_ns=event.at_ns,
        displaced=displaced,
    )
    state.enter(order)
    return order.number


def parts_of(event: OrderRequested, key: Key | None) -> tuple[Part, ...]:
    """
    What an order moves. The children of brackets, OCO and OTO orders do not work before the venue lists them,
    and are followed from then on; the legs of a multi-leg order trade together, by their ratios.
    """
    if event.group is Group.MLEG and event.legs:
        return tuple(
            Part((event.venue, event.account, leg.symbol), leg.side, _ratio(leg.ratio, leg.quantity, event.quantity))
            for leg in event.legs
            if leg.symbol is not None and leg.side is not None
        )
    return () if key is None or event.side is None else (Part(key, event.side),)


def _ratio(ratio: Decimal | None, leg: Decimal | None, whole: Decimal | None) -> Decimal:
    if ratio is None and leg is not None and whole:
        ratio = leg / whole
    return Decimal(1) if ratio is None else bounded(abs(ratio)).low or ZERO


def _flat(state: State, key: Key) -> bool:
    return state.position(key).held().exact == 0


def closing(state: State, event: OrderRequested, key: Key) -> tuple[Side | None, Interval]:
    """
    What closing a position means.

    Returns:
        The side that reduces it (null when the position's sign is unknown, or it is flat), and the quantity:
        the whole position, a percentage of it, or what the request states (anything when that can't be read).
    """
    held = state.peek(key).held()
    side = event.side
    if held.low is not None and held.low >= 0 and held.exact != 0:
        side = Side.SELL
    elif held.high is not None and held.high <= 0 and held.exact != 0:
        side = Side.BUY
    if event.quantity is None:
        return side, AT_LEAST_NOTHING if "quantity" in unreadable(event) else held.size()
    if event.unit is Unit.PERCENT:
        return side, share_of(held, abs(event.quantity))
    return side, in_position_units(state, event, key)


def _close(state: State, event: OrderRequested, key: Key) -> int:
    side, quantity = closing(state, event, key)
    order = Order(
        number=len(state.orders),
        venue=event.venue,
        account=event.account,
        action=event.action,
        client_order_id=event.client_order_id if event.action is Action.CLOSE else None,
        parts=() if side is None else (Part(key, side),),
        type=event.type or OrderType.MARKET,
        tif=event.tif,
        limit_price=event.limit_price,
        reduce_only=True,
        quantity=quantity,
        unit=event.unit,
        marketable=True,
        body_key="",
        exchange=event.exchange,
        sent_ns=event.at_ns,
    )
    state.enter(order)
    return order.number


def _replace(state: State, event: OrderRequested) -> tuple[int, ...]:
    order = state.find(event)
    if order is None or not order.live:
        return ()
    fresh = event.client_order_id if event.client_order_id != order.client_order_id else None
    key = order.parts[0].key if order.parts else key_of(event)
    stated = with_unit_of(event, order)
    kept = event.quantity is None and "quantity" not in unreadable(event)
    quantity = None if kept else in_position_units(state, stated, key)
    terms = Terms(quantity, event.limit_price, event.stop_price, event.tif, fresh)
    if order.status == "pending_replace" and order.pending == terms:
        return (order.number,)
    state.lift(order)
    order.pending, order.status = terms, "pending_replace"
    state.lay(order)
    if fresh is not None:
        state.by_client[order.venue, order.account, fresh] = order.number
        state.by_client[order.venue, "*", fresh] = order.number
    return (order.number,)


def with_unit_of(event: OrderRequested, order: Order) -> OrderRequested:
    """A replace whose wire does not say what its quantity counts: it counts what the order's own did."""
    if event.unit is Unit.UNKNOWN and order.unit in PLAIN_UNITS:
        return replace(event, unit=order.unit)
    return event


def _cancel(state: State, event: OrderRequested) -> tuple[int, ...]:
    order = state.find(event)
    if order is None:
        return ()
    _pend(state, order)
    return (order.number,)


def _cancel_all(state: State, event: OrderRequested) -> tuple[int, ...]:
    symbol = event.instrument or event.symbol or event.symbol_code
    numbers = tuple(state.live.get((event.venue, event.account), ()))
    orders = [state.orders[number] for number in numbers]
    hit = [x for x in orders if symbol is None or any(part.key[2] == symbol for part in x.parts)]
    for order in hit:
        _pend(state, order)
    return tuple(order.number for order in hit)


def _pend(state: State, order: Order) -> None:
    if order.live and order.status != "pending_cancel":
        state.lift(order)
        order.status, order.pending = "pending_cancel", None
        state.lay(order)
