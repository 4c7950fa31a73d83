"""What a session amounts to, in a few lines for people: counts, what failed and why, orders at real venues. Pure."""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from corpus.terms import Source
from proxy.journal.events import Evidence, ExchangeRow
from proxy.wire.catalogue import Catalogue
from proxy.wire.order_events import OrderRequested

_MOST: Final = 3
"""Kinds of failure that are told; the rest are counted."""

_NUMBER: Final = re.compile(r"\[Errno (-?\d+)\] *")
_NEVER_SENT: Final = re.compile(r"Connect call failed|redtape: ")


def orders_and_intents(evidence: Evidence) -> tuple[int, int]:
    """Orders are requests to act that were sent on the wire; intents are a model's tool calls that mean one."""
    requested = [fact.event.source for fact in evidence.orders if isinstance(fact.event, OrderRequested)]
    orders = sum(source is Source.WIRE for source in requested)
    return orders, len(requested) - orders


def plural(count: int, word: str) -> str:
    """A number and its word."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def counts_text(orders: int, intents: int) -> str:
    """Both counts, under the names that they have everywhere."""
    return f"{plural(orders, 'order')}, {plural(intents, 'tool-call intent')}"


def failure(row: ExchangeRow) -> str | None:
    """Why an exchange failed, and what to do where that is known; null when it did not."""
    if row.outcome != "error":
        return None
    raw = row.error or "broke off"
    number = _NUMBER.search(raw)
    if number is not None and int(number[1]) == errno.ECONNREFUSED:
        target = f"{row.upstream} for {row.host}" if row.upstream else f"{row.host}:{row.port}"
        return f"connection refused by {target}; is it running?"
    text = _NUMBER.sub("", raw).removeprefix("Connection killed: ").removeprefix("redtape: ").strip()
    return f"{text[:1].lower()}{text[1:]}: {row.upstream or row.host}" if text else f"broke off: {row.host}"


def failures(evidence: Evidence) -> Iterator[str]:
    """One line a kind of failure, the most frequent first."""
    found = Counter(why for row in evidence.exchanges if (why := failure(row)) is not None)
    for why, count in found.most_common(_MOST):
        yield f"{count} failed: {why}"
    rest = sum(count for _, count in found.most_common()[_MOST:])
    if rest:
        yield f"{rest} more failed; see `redtape show {evidence.meta.id}`"


def real_orders(evidence: Evidence, catalogue: Catalogue) -> Iterator[str]:
    """One line for each real trading host that orders went to: no paper host, and not mapped elsewhere."""
    rows = {row.id: row for row in evidence.exchanges}
    found: Counter[str] = Counter()
    for fact in evidence.orders:
        if isinstance(fact.event, OrderRequested) and fact.event.source is Source.WIRE:
            row = rows.get(fact.event.exchange)
            host = _real_host(row, catalogue) if row is not None else None
            if host is not None:
                found[host] += 1
    for host, count in sorted(found.items()):
        yield f"{plural(count, 'order')} went to {host}, a real trading host"


def _real_host(row: ExchangeRow, catalogue: Catalogue) -> str | None:
    if row.outcome not in ("passed", "edited", "error") or (
        row.outcome == "error" and _NEVER_SENT.search(row.error or "")
    ):
        return None
    host = (urlsplit(row.upstream).hostname or "") if row.upstream else row.host
    facts = catalogue.host(host)
    return host if facts is not None and facts.role == "trading" and not facts.paper else None
