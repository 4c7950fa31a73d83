"""Position reads against fills: explained, disputed, adopted."""

from __future__ import annotations

from decimal import Decimal

from corpus.terms import Side
from proxy.broker.interval import NOTHING, UNKNOWN, Interval, only
from proxy.broker.position import Position

D = Decimal


def flat(**sides: tuple[int, int]) -> Position:
    """A flat position with (working, of it perhaps filled) on either side."""
    position = Position(quantity=NOTHING)
    for name, (working, doubt) in sides.items():
        book = position.side(Side(name))
        book.leaves.add(only(D(working)))
        book.unseen.add(Interval(D(0), D(doubt)))
    return position


def test_a_read_proves_fills_of_the_only_side():
    """A market buy of 10 and a read of 4: 4 are filled, 6 still work, and the fill is not counted again."""
    position = flat(buy=(10, 10))

    assert position.held() == Interval(D(0), D(10))
    assert position.read(D(4), 2) is None
    assert (position.quantity, position.buys.attributed, position.buys.working()) == (
        only(D(4)),
        only(D(4)),
        only(D(6)),
    )
    position.fill(Side.BUY, D(4), D(0))
    assert (position.quantity, position.buys.attributed) == (only(D(4)), NOTHING)
    position.fill(Side.BUY, D(1), D(0))
    assert position.quantity == only(D(5))


def test_whose_fill_it_was_may_be_unknown():
    """With another order of 10 beside it, a later fill of 4 is the proved one or a new one."""
    position = flat(buy=(20, 20))
    position.read(D(4), 2)
    position.fill(Side.BUY, D(4), D(10))

    assert position.quantity == Interval(D(4), D(8))


def test_both_sides():
    """Up 3 with buys and sells in doubt: 3 to 5 bought, 0 to 2 sold."""
    position = flat(buy=(5, 5), sell=(4, 4))
    position.read(D(3), 2)

    assert position.buys.attributed == Interval(D(3), D(5))
    assert position.sells.attributed == Interval(D(0), D(2))


def test_resting_orders_of_both_sides_are_not_supposed_filled():
    """An unchanged position means that nothing happened."""
    position = flat(buy=(5, 0), sell=(5, 0))
    position.read(D(0), 2)

    assert (position.buys.attributed, position.sells.attributed) == (NOTHING, NOTHING)


def test_unexplained_reads():
    """The first widens, the second equal one is adopted and returned."""
    position = flat()

    assert position.read(D(7), 2) is None
    assert position.base() == Interval(D(0), D(7))
    assert position.read(D(7), 2) == NOTHING
    assert position.base() == only(D(7))


def test_a_read_that_agrees_ends_the_dispute():
    """One odd answer is no fact."""
    position = flat()
    position.read(D(7), 2)
    position.read(D(0), 2)
    position.read(D(7), 2)

    assert position.base() == Interval(D(0), D(7))


def test_different_odd_answers_are_not_equal_reads():
    """Counting begins anew."""
    position = flat()
    position.read(D(7), 2)
    position.read(D(8), 2)

    assert position.base() == Interval(D(0), D(8))


def test_fills_move_a_disputed_read():
    """After a sell of 2, the read of 7 would be 5."""
    position = flat()
    position.read(D(7), 2)
    position.fill(Side.SELL, D(2), D(0))

    assert position.base() == Interval(D(-2), D(5))
    assert position.read(D(5), 2) is not None


def test_first_read_of_an_unknown_position():
    """Adopted at once; what worked before may or may not be in it."""
    position = flat(buy=(10, 10))
    position.quantity = UNKNOWN
    position.read(D(4), 2)

    assert position.quantity == only(D(4))
    assert position.buys.attributed == Interval(D(0), D(10))
    assert position.buys.working() == Interval(D(0), D(10))


def test_settle_gives_up_what_no_order_can_have_made():
    """The order is over without the fill that a read was explained by."""
    position = flat(buy=(10, 10))
    position.read(D(4), 2)
    position.buys.leaves.add(only(D(10)), -1)

    assert position.settle(Side.BUY) == 4
    assert position.buys.attributed == NOTHING
    assert position.settle(Side.BUY) == 0


def test_at_rest():
    """Only when nothing is left to look after."""
    assert flat().at_rest()
    assert not flat(buy=(1, 0)).at_rest()
    assert not Position().at_rest()
