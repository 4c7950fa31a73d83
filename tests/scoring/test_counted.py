"""Which requests count: of a chain only the outermost that left for a venue."""

from __future__ import annotations

from corpus.terms import Source
from proxy.journal.events import ChainLinked, OrderFact
from scoring.counted import counted_seqs, intents


def chain(*seqs):
    return tuple(ChainLinked(seq=seq, chain=seqs[0], how="call id") for seq in seqs)


def test_the_wire_counts(session, place):
    """Model, MCP and wire are one order, and both wire orders of one intent count."""
    events = (place(source=Source.LLM), place(source=Source.MCP), place(), place())

    assert counted_seqs(session(*events, chains=chain(1, 2, 3, 4))) == {3, 4}
    assert counted_seqs(session(*events[:2], chains=chain(1, 2))) == {2}
    assert counted_seqs(session(*events[:1])) == {1}


def test_first_member_needs_no_link(session, place):
    """A chain is named by its first member, linked or not."""
    evidence = session(place(source=Source.LLM), place(), chains=(ChainLinked(seq=2, chain=1, how="x"),))

    assert counted_seqs(evidence) == {2}
    assert [fact.seq for fact in intents(evidence)] == [1]


def test_what_only_the_upstream_got_is_no_decision(session, place):
    """A request that was changed on its way counts as the agent sent it."""
    changed = OrderFact(seq=2, event=place(quantity=99), seen="truth")

    assert counted_seqs(session(place(), changed)) == {1}
