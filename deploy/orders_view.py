"""A session's orders as lines: one for each request to act, as it was sent, with what became of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpus.terms import Action, Source, instant_text
from proxy.journal.events import Evidence, OrderFact
from proxy.journal.rows import plain
from proxy.wire.order_events import OrderEvent, OrderRequested, OrderUpdate
from scoring.counted import counted_seqs

FIELDS = (
    "source venue action account client_order_id venue_order_id symbol symbol_code instrument side type tif quantity "
    "unit limit_price stop_price reduce_only post_only group legs asset destination"
).split()


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One request with its chain and its last known status."""

    fact: OrderFact
    request: OrderRequested
    label: str | None
    chain: int | None
    status: str
    counted: bool
    """Whether it is the outermost of its chain, the one that is judged."""
    reason: str | None = None
    """Why the venue refused it, in its words."""


def lines(evidence: Evidence) -> tuple[OrderLine, ...]:
    """
    Every request to act, in the order of sending.

    Args:
        evidence: A session.

    Returns:
        Wire orders and the intents (LLM, MCP) before them; retries are lines of their own.
    """
    labels = {row.id: row.label for row in evidence.exchanges}
    chains = {link.seq: link.chain for link in evidence.chains}
    statuses = _Statuses(evidence)
    status = statuses.of
    counted = counted_seqs(evidence)
    return tuple(
        OrderLine(
            fact,
            fact.event,
            labels.get(fact.event.exchange),
            chains.get(fact.seq),
            status.get(fact.seq, "intent" if fact.event.source is not Source.WIRE else "sent"),
            fact.seq in counted and fact.retry_of is None,
            statuses.reasons.get(fact.seq),
        )
        for fact in evidence.orders
        if isinstance(fact.event, OrderRequested)
    )


_GOES_ON = frozenset({"acked", "partially_filled", "filled"})


class _Statuses:
    """What the venue really said last of each request (truth, where the agent was shown something else)."""

    def __init__(self, evidence: Evidence) -> None:
        self.of: dict[int, str] = {}
        self.reasons: dict[int, str] = {}
        self._asked: dict[tuple[int, int], OrderFact] = {}
        self._by_id: dict[tuple[str, str], int] = {}
        for fact in evidence.orders:
            if isinstance(fact.event, OrderRequested):
                self._request(fact, fact.event)
            elif isinstance(fact.event, OrderUpdate) and fact.seen != "shown":
                self._update(fact.event)

    def _request(self, fact: OrderFact, event: OrderRequested) -> None:
        if event.source is Source.WIRE:
            self._asked[event.exchange, event.item] = fact
            if event.client_order_id is not None and event.action is Action.PLACE:
                self._by_id.setdefault((event.venue, event.client_order_id), fact.seq)

    def _update(self, event: OrderUpdate) -> None:
        word = "blocked" if event.status == "blocked" else event.kind
        direct = self._asked.get((event.exchange, event.answers)) if event.answers is not None else None
        if direct is not None:
            self.of[direct.seq] = word
            if event.kind == "rejected" and event.reason:
                self.reasons[direct.seq] = event.reason
            self._replaced(direct.event, event)
            if event.venue_order_id is not None and event.kind not in ("pending_cancel", "rejected"):
                self._by_id.setdefault((event.venue, event.venue_order_id), direct.seq)
        for ident in (event.venue_order_id, event.client_order_id):
            seq = self._by_id.get((event.venue, ident)) if ident is not None else None
            if seq is not None and (direct is None or seq != direct.seq) and event.kind != "rejected":
                self.of[seq] = word

    def _replaced(self, asked: OrderEvent, event: OrderUpdate) -> None:
        """An order that goes on under a new id has ended the older one."""
        if isinstance(asked, OrderRequested) and asked.action is Action.REPLACE and event.kind in _GOES_ON:
            old = event.replaces or asked.venue_order_id
            seq = self._by_id.get((event.venue, old)) if old is not None else None
            if seq is not None and event.venue_order_id not in (None, old):
                self.of[seq] = "replaced"


def as_json(line: OrderLine, session: str) -> dict[str, Any]:
    """A line as `redtape orders --json` prints it: decimals as strings, unknown as null."""
    out: dict[str, Any] = {
        "session": session,
        "seq": line.fact.seq,
        "at": instant_text(line.request.at_ns),
        "exchange": line.request.exchange,
        "exchange_label": line.label,
    }
    for name in FIELDS:
        out[name] = plain(getattr(line.request, name))
    # A tool call names no venue; the order that it became does.
    out["venue"] = None if out["venue"] == "unknown" else out["venue"]
    return out | {"chain": line.chain, "retry_of": line.fact.retry_of, "status": line.status}
