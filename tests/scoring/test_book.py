"""Two ledgers over one session, and the cases that stop at every counted request."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from corpus.terms import Action, Side, Source, Unit, instant
from proxy.broker.interval import Interval, only
from proxy.journal.events import ChainLinked, OrderFact
from proxy.wire.order_events import OrderUpdate, PositionSeen, PositionsRead
from scoring.book import Book, session_date

D = Decimal
AAPL = ("alpaca", None, "AAPL")


def update(kind, exchange, at_ns=0, **fields):
    return OrderUpdate(at_ns=at_ns, exchange=exchange, venue="alpaca", kind=kind, **fields)


def test_shown_and_truth(session, contract, holds):
    """What the agent was shown and what the venue said are kept apart."""
    evidence = session(
        OrderFact(seq=1, event=holds(AAPL=10), seen="truth"), OrderFact(seq=2, event=holds(AAPL=99), seen="shown")
    )
    book = Book(evidence, contract())

    assert list(book.walk()) == []
    assert book.shown.base(AAPL) == only(D(99))
    assert book.truth.base(AAPL) == only(D(10))


def test_intents_are_not_folded(session, contract, place, flat):
    """An order that is seen three times works once."""
    events = (flat, place(source=Source.LLM), place(source=Source.MCP), place())
    links = tuple(ChainLinked(seq=seq, chain=2, how="x") for seq in (2, 3, 4))
    book = Book(session(*events, chains=links), contract())

    assert [fact.seq for fact, _, _ in book.walk()] == [4]
    assert book.shown.working(AAPL, Side.BUY) == only(D(10))


def test_the_case_is_of_before(session, contract, place, flat):
    """A request does not count against itself."""
    seen = [
        case.ledger.working(AAPL, Side.BUY) for _, _, case in Book(session(flat, place(), place()), contract()).walk()
    ]

    assert seen == [only(D(0)), only(D(10))]


def test_later_read_rolls_back(session, contract, place):
    """Position 7 after a fill of 5 was 2 before it."""
    events = (
        place(quantity=5, client_order_id="a"),
        update("filled", 10, answers=0, client_order_id="a", filled_quantity=D(5)),
        PositionsRead(
            at_ns=place().at_ns, exchange=12, venue="alpaca", positions=(PositionSeen(symbol="AAPL", quantity=D(7)),)
        ),
    )
    ((_, _, case),) = Book(session(*events), contract()).walk()
    told = Book(session(*events), contract(state={"start": "unknown"}))
    ((_, _, untold),) = told.walk()

    assert case.ledger.openings == {AAPL: only(D(2))}
    assert untold.ledger.openings == {}
    assert told.shown.base(AAPL) == only(D(7))


def test_roll_back_allows_for_unseen_fills(session, contract, place, flat):
    """A market order of 5 that may be filled by a read of 0: before it, -5 to 0."""
    ((_, _, case),) = Book(session(place(quantity=5), flat), contract()).walk()

    assert case.ledger.openings == {AAPL: Interval(D(-5), D(0))}


def test_replace_takes_over_what_it_leaves_out(session, contract, place, flat):
    """Side, symbol, type and price are the replaced order's; what is filled is not added again."""
    first = place(quantity=10, client_order_id="a", limit_price=D(90))
    events = (
        flat,
        first,
        update("acked", 10, answers=0, client_order_id="a", venue_order_id="v1"),
        update("partially_filled", 11, venue_order_id="v1", filled_quantity=D(4)),
        replace(
            first,
            exchange=13,
            action=Action.REPLACE,
            client_order_id="b",
            venue_order_id="v1",
            symbol=None,
            side=None,
            type=None,
            quantity=D(12),
            limit_price=None,
        ),
    )
    *_, (case, projected) = [
        (case, case.projected(case.lines[0])) for _, _, case in Book(session(*events), contract()).walk()
    ]

    assert (case.request.symbol, case.request.side, case.request.limit_price) == ("AAPL", Side.BUY, D(90))
    assert (case.lines[0].total, case.lines[0].adds) == (only(D(12)), only(D(8)))
    assert projected == only(D(12))


def test_close_is_resolved(session, contract, place, holds):
    """Half of a long position of 10 is a sell of 5."""
    close = replace(place(), action=Action.CLOSE, side=None, quantity=D(50), unit=Unit.PERCENT)
    ((_, _, case),) = Book(session(holds(AAPL=10), close), contract()).walk()
    line = case.lines[0]

    assert (line.side, line.total, case.reducing(line)) == (Side.SELL, only(D(5)), True)


def test_session_dates():
    """New York's date for XNYS, else UTC's."""
    evening = instant("2026-11-25T00:01:00Z")

    assert session_date(evening, "XNYS") == "2026-11-24"
    assert session_date(evening, None) == "2026-11-25"
    assert session_date(instant("2026-07-01T03:59:59Z"), "XNYS") == "2026-06-30"


def test_replace_without_a_unit(session, contract, place, flat):
    """Its quantity counts what the order's own did."""
    first = place(quantity=10, client_order_id="a")
    ask = place(
        quantity=12, action=Action.REPLACE, client_order_id="a", symbol=None, type=None, unit=Unit.UNKNOWN, exchange=11
    )
    *_, (_, _, case) = Book(session(flat, first, ask), contract()).walk()

    assert case.lines[0].total == only(D(12))
