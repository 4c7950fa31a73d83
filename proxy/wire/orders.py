"""Requests and responses of a venue to order events, by the catalogue's rules. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from corpus.terms import Action, Group, Instant, OrderType, Side, Source, TimeInForce, Unit, decimal_text
from proxy.wire.catalogue import Endpoint, LegRule, ObjectRule, OrderRule, ReplyRule
from proxy.wire.order_events import UNREADABLE, Leg, OrderRequested, OrdersRead, OrderUpdate, UpdateKind
from proxy.wire.rules import Doc, Take, UnitRow, find, find_all, holds, steps_of


def read_request(endpoint: Endpoint, doc: Doc, exchange: int, at_ns: Instant) -> tuple[OrderRequested, ...]:
    """
    The order requests in one HTTP request.

    Args:
        endpoint: What the catalogue says of its URL.
        doc: The request as `proxy.wire.message.request_doc` lays it out.
        exchange: Its id.
        at_ns: When it came.

    Returns:
        One for each order; none when the endpoint does not act. A request that acts but whose body can't
        be made out still yields one, with what is known.
    """
    rule = endpoint.rule.order
    if rule is None:
        return ()
    items = _items(rule.items, doc) or [None]
    out: list[OrderRequested] = []
    for item in items:
        view = {**doc, "item": item} if item is not None else doc
        action = _action(rule, endpoint.rule.action, view)
        if action is not None:
            out.append(_order(endpoint, rule, view, action, exchange, at_ns, len(out)))
    return tuple(out)


def _items(path: str | None, doc: Doc) -> list[Any]:
    return [item for item in find_all(doc, steps_of(path)) if item is not None] if path else []


def _action(rule: OrderRule, default: Action | None, doc: Doc) -> Action | None:
    for row in rule.actions:
        if holds(row.when, doc):
            return row.is_
    return default


def _order(
    endpoint: Endpoint, rule: OrderRule, doc: Doc, action: Action, exchange: int, at_ns: Instant, item: int
) -> OrderRequested:
    text = {name: take.text(doc) for name, take in rule.fields.items()}
    numbers = ("quantity", "limit_price", "stop_price")
    number = {name: rule.fields[name].number(doc) for name in numbers if name in rule.fields}
    side = _enum(Side, text.get("side"))
    unit = unit_of(rule.unit, doc)
    order = OrderRequested(
        at_ns=at_ns,
        exchange=exchange,
        source=Source.WIRE,
        venue=endpoint.venue,
        action=action,
        item=item,
        account=text.get("account"),
        client_order_id=text.get("client_order_id"),
        venue_order_id=text.get("venue_order_id"),
        symbol=text.get("symbol"),
        symbol_code=text.get("symbol_code"),
        side=side,
        type=_enum(OrderType, text.get("type")),
        tif=_enum(TimeInForce, text.get("tif")),
        quantity=number.get("quantity"),
        unit=unit,
        limit_price=number.get("limit_price"),
        stop_price=number.get("stop_price"),
        reduce_only=_flag(text.get("reduce_only")),
        post_only=_flag(text.get("post_only")),
        group=_enum(Group, text.get("group")),
        legs=tuple(leg for leg_rule in rule.legs for leg in _legs(leg_rule, doc, side, unit)),
        asset=text.get("asset"),
        destination=text.get("destination"),
        extra=(
            *((name, value) for name, take in rule.extra.items() if (value := take.text(doc)) is not None),
            *_unreadable(rule, doc, {**text, **number}),
        ),
    )
    return with_body_key(order)


def _unreadable(rule: OrderRule, doc: Doc, read: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    names = [name for name, take in rule.fields.items() if read[name] is None and take.given(doc)]
    if names:
        yield UNREADABLE, " ".join(sorted(names))


def _enum[E](kind: type[E], text: str | None) -> E | None:
    if text is None:
        return None
    try:
        return kind(text)  # type: ignore[call-arg]
    except ValueError:
        return None


def _flag(text: str | None) -> bool:
    return text is not None and text.lower() in ("true", "1", "yes")


def unit_of(rows: tuple[UnitRow, ...], doc: Doc) -> Unit:
    """The unit of the first row that holds; no row is `unknown`, never a guess."""
    for row in rows:
        if holds(row.when, doc):
            return Unit(row.is_)
    return Unit.UNKNOWN


def _legs(rule: LegRule, doc: Doc, side: Side | None, unit: Unit) -> Iterator[Leg]:
    if not holds(rule.when, doc):
        return
    for item in _items(rule.items, doc) if rule.items else [None]:
        view = {**doc, "item": item} if item is not None else doc
        other = {Side.BUY: Side.SELL, Side.SELL: Side.BUY}
        yield Leg(
            symbol=_text(rule.symbol, view),
            side=(other.get(side) if side else None) if rule.opposite else _enum(Side, _text(rule.side, view)),
            type=_enum(OrderType, _text(rule.type, view)),
            quantity=_number(rule.quantity, view),
            unit=unit,
            ratio=_number(rule.ratio, view),
            limit_price=_number(rule.limit_price, view),
            stop_price=_number(rule.stop_price, view),
        )


def _text(take: Take | None, doc: Doc) -> str | None:
    return take.text(doc) if take else None


def _number(take: Take | None, doc: Doc) -> Decimal | None:
    return take.number(doc) if take else None


_NOT_IN_KEY: Final = ("at_ns", "exchange", "item", "client_order_id", "body_key")


def with_body_key(order: OrderRequested) -> OrderRequested:
    """The order with the key that equal requests share: every field but time, place and client id."""
    parts: dict[str, str] = {}
    for name in OrderRequested.__slots__:
        value = getattr(order, name)
        if name not in _NOT_IN_KEY and value not in (None, (), ""):
            parts[name] = _bare_number(value) if isinstance(value, Decimal) else str(value)
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return replace(order, body_key=digest[:32])


def _bare_number(value: Decimal) -> str:
    """A number without trailing zeros; normalize() would round it to the context's 28 digits."""
    text = decimal_text(value)
    return text.rstrip("0").rstrip(".") if "." in text and "E" not in text else text


def read_reply(
    endpoint: Endpoint, doc: Doc, requests: tuple[OrderRequested, ...], exchange: int, at_ns: Instant
) -> tuple[OrderUpdate | OrdersRead, ...]:
    """
    What one HTTP response says of orders.

    Args:
        endpoint: What the catalogue says of its URL.
        doc: The response as `proxy.wire.message.response_doc` lays it out.
        requests: What the request of the same exchange asked for.
        exchange: Its id.
        at_ns: When the response came.

    Returns:
        Updates. When the request acted and no rule fits the answer, one `unknown` for each order: it may
        or may not have been taken.
    """
    for rule in endpoint.rule.reply:
        if holds(rule.when, doc):
            return tuple(_updates(endpoint, rule, doc, requests, exchange, at_ns))
    return tuple(
        OrderUpdate(
            at_ns=at_ns,
            exchange=exchange,
            venue=endpoint.venue,
            kind="unknown",
            answers=request.item,
            client_order_id=request.client_order_id,
            status=str(doc.get("status")),
        )
        for request in requests
    )


def _updates(
    endpoint: Endpoint, rule: ReplyRule, doc: Doc, requests: tuple[OrderRequested, ...], exchange: int, at_ns: Instant
) -> Iterator[OrderUpdate | OrdersRead]:
    items = _items(rule.items or rule.at, doc) if rule.items or rule.at else [None]
    shape = endpoint.objects.get(rule.object) if rule.object else None
    ids: list[str] = []
    for n, item in enumerate(items):
        view = {**doc, "item": item} if item is not None else doc
        answers = _answers(requests, n)
        if rule.refused is not None and holds(rule.refused.when, view):
            update = _update(endpoint, "rejected", rule.refused.fields, None, view, exchange, at_ns, answers)
        else:
            view = {**view, "item": find(view, rule.at)} if rule.items and rule.at else view
            update = _update(endpoint, rule.event, rule.fields, shape, view, exchange, at_ns, answers)
        if answers is None and update.venue_order_id is None and update.client_order_id is None:
            # A read that names no order says nothing: an error in place of the list, or an item of another kind.
            continue
        if update.venue_order_id is not None:
            ids.append(update.venue_order_id)
        yield update
    if rule.items and not items:
        # An empty list answers too: nothing to cancel, nothing to close.
        for request in requests:
            yield OrderUpdate(
                at_ns=at_ns, exchange=exchange, venue=endpoint.venue, kind="answered", answers=request.item
            )
    if rule.complete:
        yield OrdersRead(at_ns=at_ns, exchange=exchange, venue=endpoint.venue, venue_order_ids=tuple(ids))


def _answers(requests: tuple[OrderRequested, ...], n: int) -> int | None:
    if not requests:
        return None
    return requests[n].item if n < len(requests) else requests[-1].item


def _update(
    endpoint: Endpoint,
    event: UpdateKind | None,
    fields: Mapping[str, Take],
    shape: ObjectRule | None,
    doc: Doc,
    exchange: int,
    at_ns: Instant,
    answers: int | None,
) -> OrderUpdate:
    takes: Mapping[str, Take] = {**(shape.fields if shape else {}), **fields}
    text = {name: take.text(doc) for name, take in takes.items()}
    status = text.get("status")
    kind: UpdateKind = event or (shape.status.get((status or "").lower(), "unknown") if shape else "unknown")
    return OrderUpdate(
        at_ns=at_ns,
        exchange=exchange,
        venue=endpoint.venue,
        kind=kind,
        answers=answers,
        account=text.get("account"),
        client_order_id=text.get("client_order_id"),
        venue_order_id=text.get("venue_order_id"),
        symbol=text.get("symbol"),
        symbol_code=text.get("symbol_code"),
        side=_enum(Side, text.get("side")),
        type=_enum(OrderType, text.get("type")),
        tif=_enum(TimeInForce, text.get("tif")),
        quantity=_number(takes.get("quantity"), doc),
        unit=unit_of(shape.unit, doc) if shape else Unit.UNKNOWN,
        limit_price=_number(takes.get("limit_price"), doc),
        stop_price=_number(takes.get("stop_price"), doc),
        filled_quantity=_number(takes.get("filled_quantity"), doc),
        average_price=_number(takes.get("average_price"), doc),
        fill_quantity=_number(takes.get("fill_quantity"), doc),
        fill_price=_number(takes.get("fill_price"), doc),
        execution_id=text.get("execution_id"),
        replaces=text.get("replaces"),
        replaced_by=text.get("replaced_by"),
        status=status,
        code=text.get("code"),
        reason=text.get("reason"),
    )
