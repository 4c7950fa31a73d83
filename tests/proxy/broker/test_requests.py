"""What the agent's requests do to the ledger."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import Group, OrderType, Side, TimeInForce, Unit
from proxy.broker.interval import NOTHING, Interval, only
from proxy.broker.ledger import Ledger
from proxy.wire.order_events import Leg, QuoteSeen

D = Decimal
AAPL = ("alpaca", None, "AAPL")
IBM = ("alpaca", None, "IBM")


def flat(*events) -> Ledger:
    return Ledger(start="flat").fold(events)


def buys(ledger: Ledger, key=AAPL) -> Interval:
    return ledger.working(key, Side.BUY)


def sells(ledger: Ledger, key=AAPL) -> Interval:
    return ledger.working(key, Side.SELL)


def test_sent_orders_count_at_once(tell):
    """Before any answer."""
    assert buys(flat(tell.place("a"), tell.place("b", quantity=5))) == only(D(15))


def test_retry_is_one_order(tell):
    """The same id and body; or what the journal calls a retry."""
    ledger = flat(tell.place("a"), tell.place("a"))
    assert buys(ledger) == only(D(10))

    unnamed = tell.place("x", client_order_id=None)
    ledger = flat(unnamed)
    ledger.apply(tell.place("x", client_order_id=None), retry=True)
    assert buys(ledger) == only(D(10))
    ledger.apply(tell.place("x", client_order_id=None))
    assert buys(ledger) == only(D(20))


def test_same_id_other_body_is_another_order(tell):
    """Until the venue refuses it; then the first has its id back."""
    first, second = tell.place("a"), tell.place("a", quantity=7)
    ledger = flat(first, tell.answers(first, "acked", "a"), second)
    assert buys(ledger) == only(D(17))

    ledger.apply(tell.answers(second, "rejected", None))
    ledger.apply(tell.says("partially_filled", None, client_order_id="a", filled_quantity=4))
    assert (buys(ledger), ledger.base(AAPL)) == (only(D(6)), only(D(4)))


def test_replace_is_between_old_and_new(tell):
    """Until it is answered; the new quantity is the total."""
    ask = tell.ask("replace", venue_order_id="v-a", client_order_id="b", quantity=D(12), unit=Unit.SHARE)
    ledger = flat(tell.place("a"), tell.says("acked", "a"), tell.says("partially_filled", "a", filled_quantity=4), ask)
    assert buys(ledger) == Interval(D(6), D(8))

    ledger.apply(tell.answers(ask, "acked", "b", replaces="v-a"))
    assert buys(ledger) == only(D(8))
    assert ledger.base(AAPL) == only(D(4))


def test_replace_counts_what_the_order_counted(tell):
    """Where the wire does not say the unit of the new total."""
    ask = tell.ask("replace", venue_order_id="v-a", quantity=D(12))
    money = tell.market("b", quantity=100, unit=Unit.QUOTE)
    more = tell.ask("replace", venue_order_id="v-b", quantity=D(200))
    known = flat(tell.place("a"), tell.says("acked", "a"), ask)
    amount = flat(money, tell.says("acked", "b"), more)

    assert buys(known) == Interval(D(10), D(12))
    assert buys(amount) == Interval(D(0), None)


def test_replace_of_nothing_known(tell):
    """Changes nothing."""
    assert buys(flat(tell.ask("replace", venue_order_id="v-x", quantity=D(12)))) == NOTHING


def test_cancel_is_pending(tell):
    """It may still fill."""
    cancel = tell.ask("cancel", client_order_id="a")
    ledger = flat(tell.place("a"), tell.says("acked", "a"), cancel)
    assert buys(ledger) == Interval(D(0), D(10))

    ledger.apply(tell.answers(cancel, "answered"))
    assert buys(ledger) == Interval(D(0), D(10))
    ledger.apply(tell.says("canceled", "a"))
    assert buys(ledger) == NOTHING


def test_refused_cancel(tell):
    """The order works, or was filled before the cancel came."""
    cancel = tell.ask("cancel", client_order_id="a")
    ledger = flat(tell.place("a"), tell.says("acked", "a"), cancel, tell.answers(cancel, "rejected"))

    assert buys(ledger) == only(D(10))
    assert ledger.held_now(AAPL) == Interval(D(0), D(10))


def test_cancel_all(tell):
    """Of a symbol, or of everything; one answer without ids is for all."""
    everything = tell.ask("cancel_all")
    orders = (tell.place("a"), tell.place("b", "sell", symbol="IBM"))
    one = flat(*orders, tell.ask("cancel_all", symbol="IBM"))
    ledger = flat(*orders, everything)

    assert (buys(one), sells(one, IBM)) == (only(D(10)), Interval(D(0), D(10)))
    assert (buys(ledger), sells(ledger, IBM)) == (Interval(D(0), D(10)), Interval(D(0), D(10)))
    ledger.apply(tell.answers(everything, "canceled"))
    assert (buys(ledger), sells(ledger, IBM)) == (NOTHING, NOTHING)


def test_cancelling_all_is_refused_for_one_order(tell):
    """Each item speaks of the order that it names, also when only one is followed here."""
    first, stop = tell.market("a"), tell.ask("cancel_all")
    ledger = flat(first, tell.answers(first, "acked", "a"), stop)
    ledger.apply(tell.says("rejected", exchange=stop.exchange, answers=0, venue_order_id="of another", code="500"))
    assert ledger.orders[0].status == "pending_cancel"
    ledger.apply(tell.says("rejected", exchange=stop.exchange, answers=0, venue_order_id="v-a", code="500"))
    assert ledger.orders[0].status == "open"


def test_closing_all_is_refused_for_one_holding(tell):
    """An item about another symbol says nothing of the one order that is followed here."""
    everything = tell.ask("close_all")
    ledger = flat_read(tell.holds(AAPL=10), everything)
    ledger.apply(tell.answers(everything, "rejected", symbol="IBM"))
    assert ledger.orders[0].live
    ledger.apply(tell.answers(everything, "rejected", symbol="AAPL"))
    assert not ledger.orders[0].live


def test_close_takes_what_is_held(tell):
    """All, a percentage, or a number; a short is bought back."""
    held = tell.holds(AAPL=10, IBM=-4)
    close = tell.ask("close", symbol="AAPL")
    half = tell.ask("close", symbol="AAPL", quantity=D(50), unit=Unit.PERCENT)
    three = tell.ask("close", symbol="AAPL", quantity=D(3), unit=Unit.SHARE)

    assert sells(flat_read(held, close)) == only(D(10))
    assert sells(flat_read(held, half)) == only(D(5))
    assert sells(flat_read(held, three)) == only(D(3))
    assert buys(flat_read(held, tell.ask("close", symbol="IBM")), IBM) == only(D(4))
    assert flat_read(tell.holds(), close).orders[0].parts == ()


def flat_read(*events) -> Ledger:
    return Ledger().fold(events)


def test_close_of_an_uncertain_position(tell):
    """A market buy of 10 may be filled: 0 to 10 are sold."""
    ledger = flat(tell.market("a"), tell.ask("close", symbol="AAPL"))

    assert sells(ledger) == Interval(D(0), D(10))


def test_a_quantity_that_cannot_be_read_is_any(tell):
    """Neither the whole position nor what the order had before."""
    ledger = flat(tell.holds(AAPL=10))
    close = tell.ask("close", symbol="AAPL", extra=(("unreadable", "quantity"),))
    assert ledger.closing_side(close, AAPL) == (Side.SELL, Interval(D(0), None))
    ledger = flat(tell.place("a"), tell.ask("replace", client_order_id="a", extra=(("unreadable", "quantity"),)))
    assert ledger.working(AAPL, Side.BUY) == Interval(D(0), None)


def test_close_all(tell):
    """Every holding; answers are told apart by symbol."""
    everything = tell.ask("close_all")
    ledger = flat_read(tell.holds(AAPL=10, IBM=-4), everything)
    ledger.apply(tell.answers(everything, "filled", "x", symbol="IBM", filled_quantity=4))

    assert (sells(ledger), ledger.base(IBM), buys(ledger, IBM)) == (only(D(10)), NOTHING, NOTHING)


def test_children_wait_and_legs_trade(tell):
    """Brackets' children work once the venue lists them; multi-leg orders move every leg by its ratio."""
    child = Leg(symbol="AAPL", side=Side.SELL, quantity=D(10))
    legs = (Leg(symbol="AAPL", side=Side.BUY, ratio=D(2)), Leg(symbol="IBM", side=Side.SELL, quantity=D(9)))
    bracket = flat(tell.place("a", group=Group.BRACKET, legs=(child,)))
    spread = flat(tell.place("b", quantity=3, group=Group.MLEG, legs=legs, symbol=None))

    assert (buys(bracket), sells(bracket)) == (only(D(10)), NOTHING)
    assert (buys(spread), sells(spread, IBM)) == (only(D(6)), only(D(9)))
    spread.apply(tell.says("partially_filled", "b", filled_quantity=1))
    assert (spread.base(AAPL), spread.base(IBM)) == (only(D(2)), only(D(-3)))


@pytest.mark.parametrize(
    "action", ["validate", "confirm", "exercise", "withdraw", "transfer", "leverage", "permission"]
)
def test_requests_that_leave_the_ledger_alone(tell, action):
    """A dry run is no order."""
    ledger = flat(tell.ask(action, symbol="AAPL", side=Side.BUY, quantity=D(5), unit=Unit.SHARE))

    assert ledger.orders == {}


@pytest.mark.parametrize(
    ("fields", "doubt"),
    [
        ({}, 0),
        ({"limit_price": D(101)}, 10),
        ({"limit_price": D(101), "post_only": True}, 0),
        ({"limit_price": D(100)}, 0),
        ({"tif": TimeInForce.IOC}, 10),
        ({"type": None}, 10),
        ({"type": None, "post_only": True}, 10),
        ({"type": OrderType.MARKET, "post_only": True}, 10),
        ({"type": OrderType.OTHER}, 10),
        ({"type": OrderType.STOP, "limit_price": D(101)}, 0),
    ],
)
def test_what_may_fill_unseen(tell, fields, doubt):
    """Market orders, those that may not rest, and limits through the touch."""
    quote = QuoteSeen(at_ns=0, exchange=9, venue="alpaca", symbol="AAPL", bid=D(100), ask=D(101))

    assert flat(quote, tell.place("a", **fields)).held_now(AAPL) == Interval(D(0), D(doubt))


def test_amounts_of_money(tell):
    """Unknown without a price, bounded with one, exact when the venue says so."""
    quote = QuoteSeen(at_ns=0, exchange=9, venue="alpaca", symbol="AAPL", bid=D(100), ask=D(125))
    order = tell.market("a", quantity=1000, unit=Unit.QUOTE)

    assert buys(flat(order)) == Interval(D(0), None)
    ledger = flat(quote, order)
    assert buys(ledger) == Interval(D(8), D(10))
    ledger.apply(tell.answers(order, "filled", "a", filled_quantity=9))
    assert (ledger.base(AAPL), buys(ledger)) == (only(D(9)), NOTHING)
