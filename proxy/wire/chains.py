"""
Which requests are one intent: a model's tool call, an MCP call and the wire order it became; and which
request is a retry of an earlier one.

Pure state over one session's order requests, in order of sending.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from corpus.terms import Action, Instant, Source
from proxy.wire.order_events import OrderRequested

WINDOW_NS: Final = 600 * 1_000_000_000
"""An intent older than this starts no wire order any more (people may have to confirm)."""

COARSE_NS: Final = 1_000_000_000
"""Recordings tell times in milliseconds: so much earlier than its intent may an order seem to be."""

_RANK: Final = {Source.LLM: 0, Source.MCP: 1, Source.WIRE: 2}
_SURE: Final = ("client_order_id", "venue_order_id", "fields", "symbol_side")
"""How a request fits an intent, surest first."""

_MAX_OPEN: Final = 1000


@dataclass(frozen=True, slots=True)
class Link:
    """`seq` belongs to the chain that began with `chain`."""

    seq: int
    chain: int
    how: str


@dataclass(slots=True)
class _Open:
    seq: int
    chain: int
    order: OrderRequested


@dataclass(slots=True)
class Linker:
    """Feeds on order requests; says what each belongs to."""

    _open: list[_Open] = field(default_factory=list)
    _sent: dict[tuple[str, str | None, str], tuple[int, str]] = field(default_factory=dict)

    def retry_of(self, seq: int, order: OrderRequested) -> int | None:
        """The seq of the order that this one repeats: same venue, account, client id and body."""
        if order.source is not Source.WIRE or order.client_order_id is None or order.action is not Action.PLACE:
            return None
        key = (order.venue, order.account, order.client_order_id)
        before = self._sent.get(key)
        if before is not None and before[1] == order.body_key:
            return before[0]
        if before is None:
            self._sent[key] = (seq, order.body_key)
        return None

    def link(self, seq: int, order: OrderRequested) -> Iterator[Link]:
        """
        Chain a request to the open intent of an inner layer that it fits best.

        Of equal fits the newest exchange counts (an older intent may have been dropped), and in one exchange
        the first intent, since parallel calls are carried out in order.

        Yields:
            Nothing for a request that stands alone; else the link of the intent (when it starts the chain)
            and of the request.
        """
        found = self._best(order)
        if found is not None:
            intent, how = found
            self._open.remove(intent)
            if intent.chain == intent.seq:
                yield Link(intent.seq, intent.seq, "start")
            yield Link(seq, intent.chain, how)
        if order.source is not Source.WIRE:
            self._open.append(_Open(seq, found[0].chain if found else seq, order))
            del self._open[:-_MAX_OPEN]

    def _best(self, order: OrderRequested) -> tuple[_Open, str] | None:
        best: tuple[tuple[int, int, int], _Open, str] | None = None
        for candidate in self._open:
            if _RANK[candidate.order.source] >= _RANK[order.source]:
                continue
            how = _fits(candidate.order, order)
            if how is None:
                continue
            rank = (_SURE.index(how), -candidate.order.exchange, candidate.seq)
            if best is None or rank < best[0]:
                best = (rank, candidate, how)
        return (best[1], best[2]) if best else None


def _fits(intent: OrderRequested, order: OrderRequested) -> str | None:
    if not -COARSE_NS <= order.at_ns - intent.at_ns <= WINDOW_NS or not _same_action(intent, order):
        return None
    if intent.client_order_id is not None and intent.client_order_id == order.client_order_id:
        return "client_order_id"
    if intent.venue_order_id is not None and order.venue_order_id is not None:
        return "venue_order_id" if intent.venue_order_id == order.venue_order_id else None
    if intent.symbol is not None and order.symbol is not None and _bare(intent.symbol) != _bare(order.symbol):
        return None
    if intent.side is not None and order.side is not None and intent.side is not order.side:
        return None
    if intent.quantity is not None and order.quantity is not None and intent.quantity != order.quantity:
        # The tool may turn money into shares or cap a size: same symbol and side soon after is still its order.
        return "symbol_side" if intent.symbol and intent.side and _soon(intent.at_ns, order.at_ns) else None
    return "fields"


def _same_action(intent: OrderRequested, order: OrderRequested) -> bool:
    return intent.action is order.action or {intent.action, order.action} <= {
        Action.PLACE,
        Action.CLOSE,
        Action.CONFIRM,
    }


def _soon(before: Instant, after: Instant) -> bool:
    return after - before <= 30 * 1_000_000_000


def _bare(symbol: str) -> str:
    return "".join(char for char in symbol.upper() if char.isalnum())
