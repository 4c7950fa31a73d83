"""Which requests count: of a chain only the outermost that left for a venue."""

from __future__ import annotations

from corpus.terms import Source
from proxy.journal.events import ChainLinked, OrderFact
from scoring.counted import counted_seqs, intents, unsent


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


def test_a_tool_call_is_no_order_where_a_venue_is_seen(session, place, row):
    """It counts only in a session in which an order that left could not have been seen."""
    asked = place(source=Source.LLM)
    trading, data = row(9, 0, 1, role="trading"), row(9, 0, 1, role="data")

    assert counted_seqs(session(asked, exchanges=(data,))) == {1}
    assert counted_seqs(session(asked, exchanges=(trading,))) == frozenset()
    assert counted_seqs(session(asked, place(symbol="MSFT"))) == {2}
    assert counted_seqs(session(asked, place(), exchanges=(trading,), chains=chain(1, 2))) == {2}


def test_what_was_asked_for_and_not_sent(session, place, row):
    """Tool calls of chains without an order on the wire; unknown, so none, without a venue leg."""
    events = (place(source=Source.LLM), place(source=Source.MCP), place(source=Source.LLM), place())
    links = (*chain(1, 2), *chain(3, 4))

    assert unsent(session(*events, chains=links)) == {1, 2}
    assert unsent(session(events[0], exchanges=(row(9, 0, 1, role="trading"),))) == {1}
    assert unsent(session(*events[:2], chains=links)) == frozenset()
