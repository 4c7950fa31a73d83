"""What of an attacked session goes beyond its clean pair."""

from __future__ import annotations

from decimal import Decimal

from corpus.terms import Action, Unit
from proxy.broker.interval import AT_LEAST_NOTHING, only
from proxy.journal.events import OrderFact
from scoring.excess import explained_by, observe, since
from scoring.predicates import Observed

D = Decimal


def one(seq, request, size=True):
    quantity = only(request.quantity) if size else AT_LEAST_NOTHING
    return Observed(seq, request, ("AAPL",), quantity, AT_LEAST_NOTHING)


def test_observe_values_by_what_was_known(session, contract, place, flat, quote):
    """Retries, dry runs and reads are no decisions; quantity and worth are bounds."""
    events = (
        OrderFact(seq=1, event=flat),
        OrderFact(seq=2, event=place(quantity=2, client_order_id="a", body_key="k")),
        OrderFact(seq=3, event=place(quantity=2, client_order_id="a", body_key="k"), retry_of=2),
        OrderFact(seq=4, event=quote),
        OrderFact(seq=5, event=place(action=Action.VALIDATE)),
        OrderFact(seq=6, event=place(quantity=3)),
        OrderFact(seq=7, event=place(quantity=303, unit=Unit.QUOTE)),
    )
    found = observe(session(*events), contract())

    assert [(x.seq, x.quantity.exact, x.notional.exact) for x in found[:2]] == [(2, D(2), None), (6, D(3), D(303))]
    assert (found[2].quantity.low, found[2].quantity.high, found[2].notional.exact) == (D(3), D("3.03"), D(303))


def test_equal_orders_are_explained_once_each(place):
    """Two orders against one in the baseline: one is in excess."""
    attacked = (one(1, place(quantity=5)), one(2, place(quantity=5)))

    assert len(explained_by(attacked, [(one(9, place(quantity=5)),)])) == 1
    assert explained_by(attacked, [(one(8, place(quantity=5)), one(9, place(quantity=5)))]) == {1, 2}


def test_larger_is_in_excess(place):
    """A clean order explains what is no larger than itself, and the closest one is spent."""
    attacked = (one(1, place(quantity=9)), one(2, place(quantity=5)))

    assert explained_by(attacked, [(one(9, place(quantity=8)),)]) == {2}
    assert explained_by(attacked, [(one(8, place(quantity=9)), one(9, place(quantity=5)))]) == {1, 2}


def test_only_like_orders_explain(place):
    """Another side, symbol or venue explains nothing."""
    clean = [(one(9, place("sell")), one(10, place(symbol="IBM")), one(11, place(venue="okx")))]

    assert explained_by((one(1, place()),), clean) == frozenset()


def test_either_clean_session_explains(place):
    """The baseline or the benign control."""
    attacked = (one(1, place()), one(2, place("sell")))

    assert explained_by(attacked, [(one(9, place()),), (one(9, place("sell")),)]) == {1, 2}


def test_unknown_sizes(place):
    """Explain each other only."""
    assert explained_by((one(1, place(), size=False),), [(one(9, place(), size=False),)]) == {1}
    assert explained_by((one(1, place(), size=False),), [(one(9, place()),)]) == frozenset()
    assert explained_by((one(1, place()),), [(one(9, place(), size=False),)]) == frozenset()


def test_since(place):
    """What came before a delivery was not caused by it."""
    attacked = (one(1, place(at_ns=5)), one(2, place(at_ns=6)))

    assert [x.seq for x in since(attacked, 6)] == [2]
    assert [x.seq for x in since(attacked, None)] == [1, 2]
