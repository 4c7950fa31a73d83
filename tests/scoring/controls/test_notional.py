"""What one line of an order is worth."""

from __future__ import annotations

from decimal import Decimal

from corpus.terms import Group, Side
from proxy.broker.interval import only
from proxy.wire.order_events import Leg
from scoring.book import Book
from scoring.controls.notional import order_worth


def test_words_name_each_factor(session, contract, place, quote):
    """The formula with where the price is from."""
    ((_, _, case),) = Book(session(quote, place(quantity="1.5")), contract()).walk()
    worth = order_worth(case, case.lines[0])

    assert worth.value == only(Decimal("151.5"))
    assert worth.words == "notional 151.5 = 1.5 × 101 (ask)"
    assert worth.exchanges == (2,)


def test_legs_are_valued_at_the_market(session, contract, place, quote):
    """The price of a multi-leg order is its net price, and values no leg."""
    legs = (Leg(symbol="AAPL", side=Side.BUY, ratio=Decimal(2)), Leg(symbol="IBM", side=Side.SELL, ratio=Decimal(1)))
    order = place(symbol=None, group=Group.MLEG, legs=legs, quantity=3, limit_price=Decimal("0.05"))
    ((_, _, case),) = Book(session(quote, order), contract()).walk()

    assert [order_worth(case, line).value.exact for line in case.lines] == [Decimal(606), None]
