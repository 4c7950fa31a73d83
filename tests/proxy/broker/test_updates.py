"""What the venue's answers and reads do to the ledger."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import Side, Unit
from proxy.broker.interval import NOTHING, Interval, only
from proxy.broker.ledger import Ledger
from proxy.wire.order_events import OrdersRead

D = Decimal
AAPL = ("alpaca", None, "AAPL")
IBM = ("alpaca", None, "IBM")


def flat(*events, **options) -> Ledger:
    return Ledger(start="flat", **options).fold(events)


def state(ledger: Ledger) -> tuple[Interval, Interval]:
    return ledger.base(AAPL), ledger.working(AAPL, Side.BUY)


def test_cumulative_fills_are_never_summed(tell):
    """3, 3 and 7 filled are 7; an older answer that comes late changes nothing."""
    seen = [tell.says("partially_filled", "a", filled_quantity=n) for n in (3, 3, 7, 5)]

    assert state(flat(tell.place("a"), *seen)) == (only(D(7)), only(D(3)))


def test_executions_count_once(tell):
    """By their id, however often they are told, and whatever else tells of them."""
    seen = [
        tell.says("partially_filled", "a", fill_quantity=n, execution_id=id_)
        for n, id_ in ((3, "x"), (2, "y"), (3, "x"))
    ]

    assert state(flat(tell.place("a"), *seen)) == (only(D(5)), only(D(5)))
    both = tell.says("partially_filled", "a", filled_quantity=5, fill_quantity=2, execution_id="y")
    assert state(flat(tell.place("a"), seen[0], both, seen[1])) == (only(D(5)), only(D(5)))


def test_filled_without_a_number(tell):
    """Is all of it; of an unknown quantity it is anything."""
    assert state(flat(tell.place("a"), tell.says("filled", "a"))) == (only(D(10)), NOTHING)
    amount = tell.market("a", quantity=1000, unit=Unit.QUOTE)
    ledger = flat(amount, tell.says("filled", "a"))
    assert (ledger.working(AAPL, Side.BUY), ledger.held_now(AAPL)) == (NOTHING, Interval(D(0), None))


@pytest.mark.parametrize("kind", ["rejected", "canceled", "expired"])
def test_the_end_of_an_order(tell, kind):
    """Frees what was left; what is over stays over, but a late fill still counts."""
    ledger = flat(tell.place("a"), tell.says("partially_filled", "a", filled_quantity=4), tell.says(kind, "a"))
    assert state(ledger) == (only(D(4)), NOTHING)

    ledger.apply(tell.says("acked", "a"))
    ledger.apply(tell.says("partially_filled", "a", filled_quantity=6))
    assert state(ledger) == (only(D(6)), NOTHING)


def test_unknown_answer(tell):
    """It may or may not work until it is seen."""
    order = tell.place("a")
    ledger = flat(order, tell.answers(order, "unknown"))
    assert state(ledger) == (NOTHING, Interval(D(0), D(10)))
    assert ledger.held_now(AAPL) == Interval(D(0), D(10))

    ledger.apply(tell.says("acked", "a"))
    assert state(ledger) == (NOTHING, only(D(10)))


def test_silence_becomes_unknown(tell):
    """Only where the contract gives orders a time to be answered."""
    late = tell.says("acked", "b", at_ns=31, symbol="AAPL")
    assert state(flat(tell.place("a"), late)) == (NOTHING, only(D(10)))
    assert state(flat(tell.place("a"), late, unacked_ttl_ns=30)) == (NOTHING, Interval(D(0), D(10)))
    assert state(flat(tell.place("a"), tell.says("acked", "a"), late, unacked_ttl_ns=30)) == (NOTHING, only(D(10)))


def test_a_refused_retry_is_not_the_order_refused(tell):
    """Duplicate ids are refused because the first one arrived."""
    first, again = tell.place("a"), tell.place("a")
    acked = flat(first, tell.answers(first, "acked", "a"), again, tell.answers(again, "rejected"))
    lost = flat(first, again, tell.answers(again, "rejected"))

    assert state(acked) == (NOTHING, only(D(10)))
    assert state(lost) == (NOTHING, Interval(D(0), D(10)))


def test_ids_through_replaces(tell):
    """Old and new id are one order; its fills go on, and the old id's end is not the order's."""
    ask = tell.ask("replace", venue_order_id="v-a", quantity=D(20), unit=Unit.SHARE)
    ledger = flat(
        tell.place("a"),
        tell.says("acked", "a"),
        tell.says("partially_filled", "a", filled_quantity=4),
        ask,
        tell.answers(ask, "acked", "b", replaces="v-a", quantity=20, unit=Unit.SHARE),
        tell.says("replaced", None, venue_order_id="v-a", replaced_by="v-b", filled_quantity=4),
        tell.says("partially_filled", None, venue_order_id="v-b", filled_quantity=9),
    )

    assert len(ledger.orders) == 1
    assert state(ledger) == (only(D(9)), only(D(11)))


def test_refused_replace(tell):
    """Leaves the old terms."""
    ask = tell.ask("replace", venue_order_id="v-a", quantity=D(20), unit=Unit.SHARE)
    ledger = flat(tell.place("a"), tell.says("acked", "a"), ask, tell.answers(ask, "rejected"))

    assert state(ledger) == (NOTHING, only(D(10)))


def test_replaced_elsewhere(tell):
    """The new terms are not known before they are read."""
    ledger = flat(
        tell.place("a"), tell.says("acked", "a"), tell.says("replaced", None, venue_order_id="v-a", replaced_by="v-z")
    )
    assert state(ledger) == (NOTHING, Interval(D(0), None))

    ledger.apply(tell.says("acked", None, venue_order_id="v-z", quantity=3, unit=Unit.SHARE))
    assert state(ledger) == (NOTHING, only(D(3)))


def test_successor_is_found_by_its_predecessor(tell):
    """An order read that names what it replaces."""
    ledger = flat(
        tell.place("a"),
        tell.says("acked", "a"),
        tell.says("acked", "n", replaces="v-a", quantity=6, unit=Unit.SHARE),
    )

    assert (len(ledger.orders), state(ledger)) == (1, (NOTHING, only(D(6))))


def test_orders_of_others_are_followed(tell):
    """From what they have filled on; those that are over when first seen are history."""
    seen = {"symbol": "AAPL", "side": Side.BUY, "quantity": 10, "unit": Unit.SHARE}
    ledger = flat(
        tell.says("partially_filled", "z", filled_quantity=4, **seen),
        tell.says("filled", "old", filled_quantity=10, **seen),
        tell.says("partially_filled", "z", filled_quantity=6, **seen),
        tell.says("acked", "nameless"),
    )

    assert state(ledger) == (only(D(2)), only(D(4)))


def test_absent_from_the_open_orders(tell):
    """Over, its last fill unseen; unanswered orders can't be told by a list of venue ids."""
    listed = OrdersRead(at_ns=0, exchange=90, venue="alpaca", venue_order_ids=())
    ledger = flat(tell.place("a"), tell.says("acked", "a"), tell.place("b", quantity=1), listed)
    assert state(ledger) == (NOTHING, only(D(1)))
    assert ledger.held_now(AAPL) == Interval(D(0), D(10))

    # A position read settles it, and the order's own late report is not added to it.
    ledger.apply(tell.holds(AAPL=7))
    ledger.apply(tell.says("canceled", "a", filled_quantity=7))
    assert ledger.held_now(AAPL) == only(D(7))


def test_partial_list_says_nothing(tell):
    """A page of open orders is not all of them."""
    page = OrdersRead(at_ns=0, exchange=90, venue="alpaca", venue_order_ids=(), complete=False)

    assert state(flat(tell.place("a"), tell.says("acked", "a"), page)) == (NOTHING, only(D(10)))


def test_reads_prove_fills_once(tell):
    """A market order, a read of its fill, then its own report."""
    ledger = flat(tell.market("a"), tell.holds(AAPL=10), tell.says("filled", "a", filled_quantity=10))
    assert state(ledger) == (only(D(10)), NOTHING)
    assert ledger.adjustments == []

    cancelled = flat(tell.market("a"), tell.holds(AAPL=4), tell.says("canceled", "a", filled_quantity=4))
    assert state(cancelled) == (only(D(4)), NOTHING)
    assert cancelled.adjustments == []


def test_complete_reads_flatten_what_they_leave_out(tell):
    """Unknown becomes flat; an unreadable quantity stays unknown; a single read speaks of its symbol only."""
    whole = Ledger().fold([tell.place("a"), tell.holds(IBM=5)])
    unreadable = Ledger().fold([tell.holds(AAPL=None)])
    single = Ledger().fold([tell.holds(complete=False, symbol="AAPL")])

    assert whole.base(AAPL) == NOTHING
    assert unreadable.base(AAPL).exact is None
    assert (single.base(AAPL), single.base(("alpaca", None, "IBM")).exact) == (NOTHING, None)


def test_unexplained_reads_are_adopted_and_logged(tell):
    """Widened by the first, adopted by the second."""
    ledger = flat(tell.holds(AAPL=5))
    assert ledger.base(AAPL) == Interval(D(0), D(5))

    ledger.apply(tell.holds(AAPL=5))
    assert ledger.base(AAPL) == only(D(5))
    (one,) = ledger.adjustments
    assert (one.kind, one.key, one.before, one.after) == ("unexplained_adjustment", AAPL, NOTHING, only(D(5)))


def test_cancel_answers_carry_fills(tell):
    """The answer to a cancel tells what was filled before it."""
    cancel = tell.ask("cancel", client_order_id="a")
    answer = tell.answers(cancel, "canceled", "a", filled_quantity=3)

    assert state(flat(tell.place("a"), cancel, answer)) == (only(D(3)), NOTHING)


def test_an_answer_that_contradicts_the_quantity(tell):
    """Both are kept: at least the smaller, at most the larger; later reports don't settle it."""
    order = tell.place("a", quantity=1)
    ledger = Ledger(start="flat").fold([order, tell.answers(order, "acked", "a", quantity=1000, unit=Unit.BASE)])

    assert ledger.orders[0].contradicted == {"quantity"}
    assert ledger.working(AAPL, Side.BUY) == Interval(D(1), D(1000))
    ledger.apply(tell.says("acked", "a", quantity=1000, unit=Unit.BASE))
    assert ledger.working(AAPL, Side.BUY) == Interval(D(1), D(1000))


@pytest.mark.parametrize(
    ("states", "other"), [({"symbol": "IBM"}, (IBM, Side.BUY)), ({"side": Side.SELL}, (AAPL, Side.SELL))]
)
def test_an_answer_that_contradicts_symbol_or_side(tell, states, other):
    """Either may work, and what is filled may be of either, until a position is read."""
    order = tell.place("a")
    ledger = Ledger(start="flat").fold([order, tell.answers(order, "acked", "a", **states)])

    assert ledger.orders[0].contradicted == set(states)
    assert ledger.working(AAPL, Side.BUY) == ledger.working(*other) == Interval(D(0), D(10))
    ledger.apply(tell.says("filled", "a", filled_quantity=10, quantity=10, unit=Unit.BASE))
    assert not ledger.orders[0].live
    assert ledger.held_now(AAPL).high == D(10)
    assert ledger.held_now(AAPL).exact is None
    ledger.apply(tell.holds(AAPL=10))
    assert ledger.held_now(AAPL) == only(D(10))


def test_an_answer_that_spells_otherwise_contradicts_nothing(tell):
    """A pair with and without its stroke, a number with a point."""
    order = tell.place("a", symbol="BTCUSD")
    answer = tell.answers(order, "acked", "a", symbol="BTC/USD", quantity="10.0", unit=Unit.BASE, side=Side.BUY)

    assert Ledger(start="flat").fold([order, answer]).orders[0].contradicted == frozenset()
