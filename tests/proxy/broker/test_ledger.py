"""The fold as a whole: splits, copies, and soundness against a venue that knows the truth."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from decimal import Decimal, localcontext

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.terms import Action, OrderType, Side, Source, Unit
from proxy.broker.interval import EXACT, Interval, only
from proxy.broker.ledger import Ledger
from proxy.wire.order_events import (
    AccountRead,
    KillSet,
    OrderRequested,
    OrdersRead,
    OrderUpdate,
    PositionSeen,
    PositionsRead,
    QuoteSeen,
)

D, ZERO = Decimal, Decimal(0)
KEY = ("alpaca", None, "AAPL")
names = st.sampled_from(["a", "b", "c"])
small = st.one_of(st.integers(0, 12).map(D), st.sampled_from([D("0.1"), D("1e9999"), D("1e-99")]))
maybe = st.one_of(st.none(), small)


def requested(name, action, side, type_, quantity, unit, exchange, body):
    return OrderRequested(
        at_ns=exchange,
        exchange=exchange,
        source=Source.WIRE,
        venue="alpaca",
        action=action,
        client_order_id=name,
        venue_order_id=None if action is Action.PLACE else f"v-{name}",
        symbol="AAPL",
        side=side,
        type=type_,
        limit_price=D(5) if type_ is OrderType.LIMIT else None,
        quantity=quantity,
        unit=unit,
        body_key=body,
    )


def updated(name, kind, answers, exchange, filled, fill, total, replaced_by):
    return OrderUpdate(
        at_ns=exchange,
        exchange=exchange,
        venue="alpaca",
        kind=kind,
        answers=answers,
        client_order_id=name,
        venue_order_id=f"v-{name}",
        symbol="AAPL",
        side=Side.BUY,
        filled_quantity=filled,
        fill_quantity=fill,
        execution_id=None if fill is None else f"x{fill}",
        quantity=total,
        unit=Unit.SHARE,
        replaced_by=replaced_by,
    )


KINDS = (
    "acked rejected partially_filled filled pending_cancel canceled pending_replace replaced expired unknown answered"
).split()
exchanges = st.integers(1, 6)
events = st.lists(
    st.one_of(
        st.builds(
            requested,
            names,
            st.sampled_from(list(Action)),
            st.sampled_from(list(Side)),
            st.sampled_from([OrderType.MARKET, OrderType.LIMIT]),
            maybe,
            st.sampled_from(list(Unit)),
            exchanges,
            st.sampled_from(["", "k", "l"]),
        ),
        st.builds(
            updated,
            names,
            st.sampled_from(KINDS),
            st.one_of(st.none(), st.just(0)),
            exchanges,
            maybe,
            maybe,
            maybe,
            st.one_of(st.none(), names.map(lambda name: f"v-{name}")),
        ),
        st.builds(
            lambda n, whole: PositionsRead(
                at_ns=0,
                exchange=7,
                venue="alpaca",
                positions=(PositionSeen(symbol="AAPL", quantity=n),),
                complete=whole,
            ),
            st.one_of(st.none(), st.integers(-12, 12).map(D)),
            st.booleans(),
        ),
        st.builds(
            lambda ids: OrdersRead(at_ns=0, exchange=8, venue="alpaca", venue_order_ids=tuple(ids)),
            st.sets(names.map(lambda name: f"v-{name}")),
        ),
        st.builds(
            lambda bid, up: QuoteSeen(at_ns=0, exchange=9, venue="alpaca", symbol="AAPL", bid=bid, ask=bid + up),
            small,
            small,
        ),
        st.just(AccountRead(at_ns=0, exchange=9, venue="alpaca", equity=D(5))),
        st.just(KillSet(at_ns=0, mode="halted", by="test")),
    ),
    max_size=25,
)


@settings(deadline=None)
@given(events, st.integers(0, 25), st.sampled_from(["flat", "snapshot"]))
def test_fold_splits_anywhere(story, cut, start):
    """fold(a + b) is fold(a), copied, and then fold(b); the copied state is left alone."""
    whole = Ledger(start=start, unacked_ttl_ns=3).fold(story)
    first = Ledger(start=start, unacked_ttl_ns=3).fold(story[:cut])
    kept = first.copy()
    second = first.copy().fold(story[cut:])

    assert second == whole
    assert first == kept


@settings(deadline=None)
@given(events)
def test_sums_are_those_of_the_orders(story):
    """The running sums equal a sum from scratch, whatever happened, and bounds are never crossed."""
    ledger = Ledger(start="flat", unacked_ttl_ns=3).fold(story)
    for side in Side:
        found = ledger.peek(KEY).side(side).leaves.interval()
        with localcontext(EXACT):
            parts = [
                order.leaves()
                for order in ledger.orders.values()
                for part in order.parts
                if part.key == KEY and part.side is side
            ]
            assert found.low == sum((one.low for one in parts), ZERO)
            assert found.high == (None if any(x.high is None for x in parts) else sum((x.high for x in parts), ZERO))
        working = ledger.working(KEY, side)
        assert working.high is None or working.low <= working.high
    held = ledger.held_now(KEY)
    assert held.low is None or held.high is None or held.low <= held.high


@dataclass
class Venue:
    """Knows the truth. Market orders may fill unseen, limit orders only with a report that is seen."""

    position: Decimal = ZERO
    orders: dict[str, list] = field(default_factory=dict)
    exchange: int = 0

    def step(self, op, side, quantity, pick):
        self.exchange += 1
        live = [name for name, order in self.orders.items() if order[4]]
        if op in ("market", "limit"):
            name = f"o{self.exchange}"
            self.orders[name] = [side, quantity, D(0), op, True]
            type_ = OrderType.MARKET if op == "market" else OrderType.LIMIT
            yield requested(name, Action.PLACE, side, type_, quantity, Unit.SHARE, self.exchange, name)
        elif op == "read":
            held = () if self.position == 0 else (PositionSeen(symbol="AAPL", quantity=self.position),)
            yield PositionsRead(at_ns=0, exchange=self.exchange, venue="alpaca", positions=held)
        elif op == "list":
            ids = tuple(f"v-{name}" for name in live)
            yield OrdersRead(at_ns=0, exchange=self.exchange, venue="alpaca", venue_order_ids=ids)
        elif live:
            yield from self.touch(op, live[pick % len(live)], quantity)

    def touch(self, op, name, quantity):
        order = self.orders[name]
        seen = op == "report"
        if op == "fill" and order[3] == "market":
            self.fill(order, quantity)
        elif op == "fill":
            self.fill(order, quantity)
            seen = True
        elif op == "cancel":
            yield requested(name, Action.CANCEL, None, None, None, Unit.UNKNOWN, self.exchange, "")
        elif op == "end":
            order[4] = False
            seen = True
        if seen:
            done = order[2] == order[1]
            kind = "filled" if done else "partially_filled" if order[4] else "canceled"
            order[4] = order[4] and not done
            yield OrderUpdate(
                at_ns=0,
                exchange=self.exchange,
                venue="alpaca",
                kind=kind,
                client_order_id=name,
                venue_order_id=f"v-{name}",
                filled_quantity=order[2],
                quantity=order[1],
                unit=Unit.SHARE,
            )

    def fill(self, order, quantity):
        amount = min(quantity, order[1] - order[2])
        order[2] += amount
        self.position += amount if order[0] is Side.BUY else -amount


steps = st.lists(
    st.tuples(
        st.sampled_from("market limit fill fill report cancel end read list".split()),
        st.sampled_from(list(Side)),
        st.integers(1, 9).map(D),
        st.integers(0, 5),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=300)
@given(steps)
def test_the_truth_is_always_within(story):
    """Whatever a venue does unseen, its true position is one that the ledger holds possible, and none is adjusted."""
    venue, ledger = Venue(), Ledger(start="flat")
    for step in story:
        ledger.fold(venue.step(*step))
        held = ledger.held_now(KEY)
        assert held.low is not None
        assert held.high is not None
        assert held.low <= venue.position <= held.high, (step, held, venue)
        for side, sign in ((Side.BUY, 1), (Side.SELL, -1)):
            left = sum((o[1] - o[2] for o in venue.orders.values() if o[4] and o[0] is side), D(0))
            most = ledger.projected(KEY, side).high
            assert most is not None
            assert sign * venue.position + left <= most
    assert ledger.adjustments == []


def test_excluding_one_order(tell):
    """What the others leave, also while it is being replaced."""
    first, second = tell.place("a"), tell.place("b", quantity=5)
    ask = tell.ask("replace", venue_order_id="v-a", quantity=D(20), unit=Unit.SHARE)
    ledger = Ledger(start="flat").fold([first, tell.says("acked", "a"), second, ask])

    assert ledger.working(KEY, Side.BUY) == Interval(D(15), D(25))
    assert ledger.working(KEY, Side.BUY, ledger.orders[0]) == only(D(5))
    assert ledger.working(KEY, Side.SELL, ledger.orders[0]) == only(D(0))


def test_leaves_of_one_order(tell):
    """A position read proves fills of the only order, or of one of two."""
    one = Ledger(start="flat").fold([tell.market("a"), tell.holds(AAPL=4)])
    two = Ledger(start="flat").fold([tell.market("a"), tell.market("b"), tell.holds(AAPL=4)])
    first, second = one.orders[0], two.orders[0]

    assert one.leaves_of(first, first.parts[0]) == only(D(6))
    assert two.leaves_of(second, second.parts[0]) == Interval(D(6), D(10))


def test_projected_never_nets_sides(tell):
    """Working sells don't make room; a market sell that may be filled makes it uncertain."""
    held = tell.holds(AAPL=90)
    resting = Ledger().fold([held, tell.place("s", "sell", 50), tell.place("b", quantity=20)])
    market = Ledger().fold([held, tell.market("s", "sell", 50), tell.place("b", quantity=20)])

    assert resting.projected(KEY, Side.BUY) == only(D(110))
    assert market.projected(KEY, Side.BUY) == Interval(D(60), D(110))
    assert resting.projected(KEY, Side.SELL) == only(D(-40))


def test_money_by_account():
    """The account's own, or the venue's only one."""
    ledger = Ledger().fold([AccountRead(at_ns=0, exchange=1, venue="alpaca", account="PA1", equity=D(5))])

    assert ledger.money("alpaca", "PA1").equity == ledger.money("alpaca", None).equity == 5
    ledger.apply(AccountRead(at_ns=0, exchange=2, venue="alpaca", account="PA2", equity=D(6)))
    assert ledger.money("alpaca", None).equity is None
    assert ledger.touch("AAPL", None).bid is None


def test_large_numbers_stay_exact(tell):
    """Eighteen digits on either side of the point."""
    small_, large = D("0.000000000000000001"), D("123456789012345678")
    ledger = Ledger(start="flat").fold([tell.place("a", quantity=str(large)), tell.place("b", quantity=str(small_))])

    assert ledger.working(KEY, Side.BUY) == only(D("123456789012345678.000000000000000001"))


def test_absurd_sizes_do_not_poison_the_sums(tell):
    """An order of 1e9999 counts as very large, and leaves nothing behind when it is refused."""
    story = [tell.place("a"), tell.place("b", quantity="1e9999"), tell.place("c", quantity="1e-9999")]
    ledger = Ledger(start="flat").fold(story)
    assert ledger.working(KEY, Side.BUY).low == D("1" + "0" * 38 + "10")
    assert ledger.working(KEY, Side.BUY).high is None

    ledger.fold([tell.says("rejected", "b"), tell.says("rejected", "c")])
    assert ledger.working(KEY, Side.BUY) == only(D(10))


def test_kill_switch():
    """The latest setting stands."""
    ledger = Ledger().fold([KillSet(at_ns=1, mode="halted", by="x"), KillSet(at_ns=2, mode="reducing", by="x")])

    assert (ledger.kill, ledger.kill_ns) == ("reducing", 2)


def test_many_events_stay_linear(tell):
    """Ten times the events take about ten times as long, with every order left working."""

    def cost(count):
        story = []
        for number in range(count):
            story.append(tell.place(f"c{number}", quantity=1))
            story.append(tell.says("acked", f"c{number}"))
            story.append(tell.holds())
        began = time.process_time()
        Ledger(start="flat").fold(story)
        return time.process_time() - began

    cost(100)
    assert cost(5000) < 40 * max(cost(500), 0.005)
