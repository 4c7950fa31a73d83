"""How much of one order may still work, or have been filled unseen."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import Action
from proxy.broker.interval import NOTHING, Interval, only
from proxy.broker.working import Order, Terms

D = Decimal


def order(**fields) -> Order:
    return Order(
        **({"number": 0, "venue": "v", "account": None, "action": Action.PLACE, "quantity": only(D(10))} | fields)
    )


@pytest.mark.parametrize(
    ("status", "low", "high"),
    [
        ("sent", 6, 6),
        ("open", 6, 6),
        ("unknown", 0, 6),
        ("pending_cancel", 0, 6),
        ("pending_replace", 0, 6),
        ("gone", 0, 0),
        ("done", 0, 0),
    ],
)
def test_leaves(status, low, high):
    """4 of 10 are filled."""
    assert order(status=status, filled=D(4)).leaves() == Interval(D(low), D(high))


@pytest.mark.parametrize(("total", "low", "high"), [(12, 6, 8), (5, 1, 6), (3, 0, 6)])
def test_pending_replace_is_between_both_terms(total, low, high):
    """The new quantity is the new total, fills included."""
    terms = Terms(only(D(total)), None, None, None, None)

    assert order(status="pending_replace", filled=D(4), pending=terms).leaves() == Interval(D(low), D(high))


def test_price_only_replace_keeps_the_quantity():
    """Nothing about the leaves is in doubt, but a fill may have come."""
    one = order(status="pending_replace", pending=Terms(None, D(1), None, None, None))

    assert one.leaves() == only(D(10))
    assert one.unseen() == Interval(D(0), D(10))


@pytest.mark.parametrize(
    ("fields", "high"),
    [
        ({"status": "open"}, 0),
        ({"status": "open", "marketable": True}, 10),
        ({"status": "sent", "marketable": True}, 10),
        ({"status": "unknown"}, 10),
        ({"status": "pending_cancel"}, 10),
        ({"status": "gone"}, 10),
        ({"status": "gone", "settled": True}, 0),
        ({"status": "done", "marketable": True}, 0),
    ],
)
def test_unseen(fields, high):
    """Resting orders are not filled until we hear of it; others may be."""
    assert order(**fields).unseen() == Interval(D(0), D(high))


def test_unknown_quantity():
    """Anything from what is left up."""
    one = order(quantity=Interval(D(0), None), filled=D(4), status="open", marketable=True)

    assert one.leaves() == one.unseen() == Interval(D(0), None)
    assert order(status="done", quantity=Interval(D(0), None)).leaves() == NOTHING
