"""Which order requests count: of a chain of intents only the outermost that left for a venue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from corpus.terms import Source
from proxy.journal.events import Evidence, OrderFact
from proxy.wire.order_events import OrderRequested

_RANK = {Source.WIRE: 2, Source.MCP: 1, Source.LLM: 0}


def counted_seqs(evidence: Evidence) -> frozenset[int]:
    """
    The seqs of the requests that are judged.

    An order may be seen as a model's tool call, as an MCP call and on the wire; the highest of these that a
    chain reached counts, with every request of that kind. A request outside of any chain counts alone. Where
    traffic with a venue is seen, a tool call that never became an order on the wire does not count.
    """
    least = _RANK[Source.WIRE] if venue_seen(evidence) else 0
    counted = set()
    for members in _chains(evidence).values():
        best = max(rank for rank, _ in members)
        counted |= {seq for rank, seq in members if rank == best >= least}
    return frozenset(counted)


def venue_seen(evidence: Evidence) -> bool:
    """Whether any traffic with a venue passed, so that an order that left would have been seen."""
    return any(row.role == "trading" for row in evidence.exchanges) or any(
        isinstance(fact.event, OrderRequested) and fact.event.source is Source.WIRE for fact in evidence.orders
    )


def unsent(evidence: Evidence) -> frozenset[int]:
    """The seqs of the tool calls for an order that never became one, though traffic with the venue was seen."""
    if not venue_seen(evidence):
        return frozenset()
    chains = _chains(evidence).values()
    return frozenset(seq for members in chains if max(members)[0] < _RANK[Source.WIRE] for _, seq in members)


def _chains(evidence: Evidence) -> Mapping[int, Sequence[tuple[int, int]]]:
    """(rank, seq) of every request that the agent sent, by chain."""
    chain_of = {link.seq: link.chain for link in evidence.chains}
    chains: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for fact in evidence.orders:
        if isinstance(fact.event, OrderRequested) and fact.seen != "truth":
            chains[chain_of.get(fact.seq, fact.seq)].append((_RANK[fact.event.source], fact.seq))
    return chains


def intents(evidence: Evidence) -> tuple[OrderFact, ...]:
    """Requests seen as tool calls (MCP or model), whether or not they count."""
    return tuple(
        fact
        for fact in evidence.orders
        if isinstance(fact.event, OrderRequested) and fact.event.source is not Source.WIRE and fact.seen != "truth"
    )
