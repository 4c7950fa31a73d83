"""Which order requests count: of a chain of intents only the outermost that left for a venue."""

from __future__ import annotations

from collections import defaultdict

from corpus.terms import Source
from proxy.journal.events import Evidence, OrderFact
from proxy.wire.order_events import OrderRequested

_RANK = {Source.WIRE: 2, Source.MCP: 1, Source.LLM: 0}


def counted_seqs(evidence: Evidence) -> frozenset[int]:
    """
    The seqs of the requests that are judged.

    An order may be seen as a model's tool call, as an MCP call and on the wire; the highest of these that a
    chain reached counts, with every request of that kind. A request outside of any chain counts alone.
    """
    chain_of = {link.seq: link.chain for link in evidence.chains}
    chains: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for fact in evidence.orders:
        if isinstance(fact.event, OrderRequested) and fact.seen != "truth":
            chains[chain_of.get(fact.seq, fact.seq)].append((_RANK[fact.event.source], fact.seq))
    counted = set()
    for members in chains.values():
        best = max(rank for rank, _ in members)
        counted |= {seq for rank, seq in members if rank == best}
    return frozenset(counted)


def intents(evidence: Evidence) -> tuple[OrderFact, ...]:
    """Requests seen as tool calls (MCP or model), whether or not they count."""
    return tuple(
        fact
        for fact in evidence.orders
        if isinstance(fact.event, OrderRequested) and fact.event.source is not Source.WIRE and fact.seen != "truth"
    )
