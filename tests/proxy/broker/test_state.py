"""Ids, keys and indices of the ledger."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import OrderType, Unit
from proxy.broker.interval import NOTHING, UNKNOWN, Interval, only
from proxy.broker.ledger import Ledger, Touch
from proxy.broker.state import State, in_position_units, key_of

D = Decimal
AAPL = ("alpaca", None, "AAPL")


def test_how_positions_begin():
    """Flat by contract, known by a later read, flat by a whole read, else unknown."""
    assert State(start="flat").peek(AAPL).quantity == NOTHING
    assert State(start="unknown").peek(AAPL).quantity == UNKNOWN
    assert State(openings={AAPL: only(D(3))}).peek(AAPL).source == "backfilled"
    assert State(whole={("alpaca", None): 7}).peek(AAPL).exchange == 7


def test_peeking_remembers_nothing():
    """Questions don't change the state."""
    state = State()
    state.peek(AAPL)

    assert state.positions == {}


def test_keys(tell):
    """The canonical id before the wire's spelling before a code."""
    assert key_of(tell.place("a", instrument="X", symbol_code="1")) == ("alpaca", None, "X")
    assert key_of(tell.place("a", account="PA1")) == ("alpaca", "PA1", "AAPL")
    assert key_of(tell.place("a", symbol=None, symbol_code="1")) == ("alpaca", None, "1")
    assert key_of(tell.place("a", symbol=None)) is None


def test_accounts_that_one_side_leaves_out(tell):
    """An id is found whether or not both name the account; two accounts are two orders."""
    ledger = Ledger(start="flat").fold([tell.place("a", account="1"), tell.place("a", account="2")])

    assert ledger.find_client("alpaca", "1", "a") == 0
    assert ledger.find_client("alpaca", "2", "a") == 1
    assert ledger.find_client("alpaca", None, "a") == 1
    assert ledger.find_client("okx", None, "a") is None
    named = Ledger(start="flat").fold([tell.place("b")])
    assert named.find_client("alpaca", "1", "b") == 0


def test_ids_per_symbol(tell):
    """Binance numbers orders per symbol; elsewhere an id is enough."""
    both = [
        tell.place("a", venue="binance", symbol="BTCUSDT"),
        tell.says("acked", None, client_order_id="a", venue_order_id="1", venue="binance", symbol="BTCUSDT"),
        tell.place("b", venue="binance", symbol="ETHUSDT"),
        tell.says("acked", None, client_order_id="b", venue_order_id="1", venue="binance", symbol="ETHUSDT"),
    ]
    ledger = Ledger(start="flat").fold(both)
    found = ledger.find(tell.says("acked", None, venue_order_id="1", venue="binance", symbol="BTCUSDT"))
    other = ledger.find(tell.says("acked", None, venue_order_id="1", venue="binance", symbol="SOLUSDT"))

    assert found is not None
    assert (found.client_order_id, other) == ("a", None)


def test_units(tell):
    """Plain counts, percentages of what is held, money by price; else anything."""
    state = State(openings={AAPL: only(D(8))})

    def units(unit, **fields):
        return in_position_units(state, tell.place("a", unit=unit, **fields), AAPL)

    assert units(Unit.BASE) == units(Unit.CONTRACT) == only(D(10))
    assert units(Unit.SHARE, quantity=-3) == only(D(3))
    assert units(Unit.PERCENT, quantity=25) == only(D(2))
    assert units(Unit.QUOTE, quantity=100, limit_price=D(20)) == only(D(5))
    assert units(Unit.QUOTE, limit_price=None) == units(Unit.UNKNOWN) == Interval(D(0), None)


@pytest.mark.parametrize("type_", [OrderType.MARKET, OrderType.STOP, OrderType.TRAILING_STOP])
def test_a_stray_limit_says_nothing_of_a_money_amount(tell, type_):
    """It divides by the price that the order trades at; with an unknown type the limit may hold and may not."""
    quoted = State(touches={"AAPL": Touch(bid=D(100), ask=D(100))})

    def units(state, type_):
        order = tell.place("a", unit=Unit.QUOTE, quantity=1000, type=type_, limit_price=D(1))
        return in_position_units(state, order, AAPL)

    assert units(quoted, type_) == only(D(10))
    assert units(State(), type_) == units(State(), None) == Interval(D(0), None)
    assert units(quoted, OrderType.OTHER) == Interval(D(10), D(1000))
