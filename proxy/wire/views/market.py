"""Quotes, trades and last bars that a body holds, as prices seen; positions and account reads. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from corpus.terms import Instant, Unit, decimal, instant
from proxy.wire.catalogue import Endpoint, ViewRule
from proxy.wire.codecs.json_span import Step
from proxy.wire.order_events import AccountRead, PositionSeen, PositionsRead, QuoteSeen
from proxy.wire.rules import find, holds, steps_of

type Seen = QuoteSeen | PositionsRead | AccountRead


def walk(
    value: Any, steps: tuple[Step, ...], keys: tuple[str | int, ...] = ()
) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    """Every value at a path in a loaded document, with the keys that lead to it."""
    if not steps:
        yield value, keys
        return
    step, rest = steps[0], steps[1:]
    if step is None:
        if isinstance(value, Mapping):
            for key, child in value.items():
                yield from walk(child, rest, (*keys, key))
        elif isinstance(value, list):
            for n, child in enumerate(value):
                yield from walk(child, rest, (*keys, n))
    elif isinstance(step, int):
        if isinstance(value, list) and step < len(value):
            yield from walk(value[step], rest, (*keys, step))
    elif isinstance(value, Mapping) and step in value:
        yield from walk(value[step], rest, (*keys, step))


def read(endpoint: Endpoint, doc: Mapping[str, Any], exchange: int, at_ns: Instant) -> tuple[Seen, ...]:
    """
    What a response says of prices, positions and money.

    Args:
        endpoint: What the catalogue says of its URL.
        doc: From `proxy.wire.message.response_doc`.
        exchange: Its id.
        at_ns: When the response came.

    Returns:
        The newest price of each symbol, one positions read, one account read: as many as there are.
    """
    if doc.get("body") is None:
        return ()
    out: list[Seen] = [
        _nothing_held(endpoint, doc, exchange, at_ns)
        for rule in endpoint.rule.views
        if rule.kind == "positions" and rule.flat is not None and holds(rule.flat, doc) and _asked(doc) is not None
    ]
    if out or not holds({"status": "2xx"}, doc):
        return tuple(out)
    for rule in endpoint.rule.views:
        if rule.leg != "response" or not holds(rule.when, doc):
            continue
        if rule.kind in ("bars", "quotes", "trades"):
            out += _prices(endpoint, rule, doc, exchange, at_ns)
        elif rule.kind == "positions":
            found_positions = _positions(endpoint, rule, doc, exchange, at_ns)
            # An error in place of the list says nothing, least of all that everything is flat.
            out += [found_positions] if found_positions.positions or _lists(rule, doc) else []
        elif rule.kind == "account":
            found = _account(endpoint, rule, doc, exchange, at_ns)
            out += [found] if found else []
    return tuple(out)


def _prices(
    endpoint: Endpoint, rule: ViewRule, doc: Mapping[str, Any], exchange: int, at_ns: Instant
) -> list[QuoteSeen]:
    newest: dict[str, QuoteSeen] = {}
    for item, keys in walk(doc["body"], steps_of(rule.items)):
        symbol = _symbol(rule, keys, doc, item)
        if symbol is None or not isinstance(item, Mapping):
            continue
        text = find(item, rule.parts.get("time", "t"))
        quoted = instant(text) if isinstance(text, str) else None
        seen = QuoteSeen(
            at_ns=at_ns,
            exchange=exchange,
            venue=endpoint.venue,
            symbol=symbol,
            bid=_positive(item, rule.parts.get("bid")),
            ask=_positive(item, rule.parts.get("ask")),
            last=_positive(item, rule.parts.get("close") or rule.parts.get("price")),
            quoted_at_ns=quoted,
        )
        before = newest.get(symbol)
        if (seen.bid or seen.ask or seen.last) and (
            before is None or (before.quoted_at_ns or 0) <= (seen.quoted_at_ns or 0)
        ):
            newest[symbol] = seen
    return list(newest.values())


def _positive(item: Mapping[str, Any], path: str | None) -> Any:
    """A price, or None: venues print 0 where there is no bid or ask."""
    value = decimal(find(item, path)) if path else None
    return value if value is not None and value > 0 else None


def _symbol(rule: ViewRule, keys: tuple[str | int, ...], doc: Mapping[str, Any], item: Any) -> str | None:
    if rule.symbol_step is not None and rule.symbol_step < len(keys):
        return str(keys[rule.symbol_step])
    if "symbol" in rule.parts:
        found = find(item, rule.parts["symbol"])
        return str(found) if isinstance(found, str) else None
    found = find(doc, "request.path.symbol") or find(doc, "request.args.symbol")
    return str(found) if isinstance(found, str) else None


def _positions(
    endpoint: Endpoint, rule: ViewRule, doc: Mapping[str, Any], exchange: int, at_ns: Instant
) -> PositionsRead:
    positions: list[PositionSeen] = []
    complete = rule.complete
    for item, keys in walk(doc["body"], steps_of(rule.items)):
        symbol = find(item, rule.parts["symbol"]) if isinstance(item, Mapping) else None
        if not isinstance(symbol, str):
            # What can't be read may be any position: the list no longer says what is flat.
            complete = False
            continue
        complete = complete and not (keys and isinstance(keys[-1], str))
        option = find(item, rule.parts.get("asset_class", "asset_class")) == "us_option"
        positions.append(
            PositionSeen(
                symbol=symbol,
                quantity=decimal(find(item, rule.parts["quantity"])),
                unit=Unit.CONTRACT if option else Unit.BASE,
                average_price=decimal(find(item, rule.parts.get("average_price", "-"))),
                price=_positive(item, rule.parts.get("price")),
            )
        )
    return PositionsRead(
        at_ns=at_ns,
        exchange=exchange,
        venue=endpoint.venue,
        positions=tuple(positions),
        complete=complete,
        symbol=None if rule.complete else _asked(doc),
    )


def _nothing_held(endpoint: Endpoint, doc: Mapping[str, Any], exchange: int, at_ns: Instant) -> PositionsRead:
    return PositionsRead(
        at_ns=at_ns, exchange=exchange, venue=endpoint.venue, positions=(), complete=False, symbol=_asked(doc)
    )


def _asked(doc: Mapping[str, Any]) -> str | None:
    """The symbol that the request's path asks for."""
    asked = find(doc, "request.path.symbol")
    return unquote(asked) if isinstance(asked, str) and asked else None


def _lists(rule: ViewRule, doc: Mapping[str, Any]) -> bool:
    """Whether the place where items stand is a list, so that its emptiness means something."""
    steps = steps_of(rule.items)
    holder = next(walk(doc["body"], steps[:-1]), None) if steps and steps[-1] is None else None
    return holder is not None and isinstance(holder[0], list) and not holder[0]


def _account(
    endpoint: Endpoint, rule: ViewRule, doc: Mapping[str, Any], exchange: int, at_ns: Instant
) -> AccountRead | None:
    found = next(walk(doc["body"], steps_of(rule.items)), None)
    if found is None or not isinstance(found[0], Mapping):
        return None
    item = found[0]
    parts = {name: find(item, path) for name, path in rule.parts.items()}
    flags = tuple(
        (name.removeprefix("flag."), str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in parts.items()
        if name.startswith("flag.") and isinstance(value, bool | str)
    )
    account, currency = parts.get("account"), parts.get("currency")
    return AccountRead(
        at_ns=at_ns,
        exchange=exchange,
        venue=endpoint.venue,
        account=account if isinstance(account, str) else None,
        currency=currency if isinstance(currency, str) else None,
        cash=decimal(parts.get("cash")),
        equity=decimal(parts.get("equity")),
        buying_power=decimal(parts.get("buying_power")),
        flags=flags,
    )
