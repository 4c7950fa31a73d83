"""Facts to rows and back: what is read equals what was written, digit for digit."""

from __future__ import annotations

import json
import sqlite3
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import Action, Group, OrderType, Side, Source, TimeInForce, Unit, decimal_text
from proxy.journal.events import EditMade, InjectionApplied, OrderFact
from proxy.journal.rows import edits_json, edits_of, injection, order_fact, order_row, plain, revive, to_json
from proxy.journal.schema import ORDER_COLUMNS
from proxy.wire.order_events import (
    AccountRead,
    KillSet,
    Leg,
    OrderRequested,
    OrdersRead,
    OrderUpdate,
    PositionSeen,
    PositionsRead,
    QuoteSeen,
    UpdateKind,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
MAYBE = st.none() | TEXT
NUMBER = st.decimals(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [
        Decimal("1E-8"),
        Decimal("-0"),
        Decimal("1.100"),
        Decimal("12345678901234567890.5"),
        Decimal("1E+40"),
        Decimal("1E+400"),
    ]
)
AMOUNT = st.none() | NUMBER
TIME = st.integers(-(2**63), 2**63 - 1)
COUNT = st.integers(0, 2**63 - 1)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)


def maybe(kind: Any) -> Any:
    return st.none() | st.sampled_from(list(kind))


LEG = st.builds(
    Leg, symbol=MAYBE, side=maybe(Side), type=maybe(OrderType), quantity=AMOUNT, unit=st.sampled_from(list(Unit)),
    ratio=AMOUNT, limit_price=AMOUNT, stop_price=AMOUNT,
)  # fmt: skip
REQUESTED = st.builds(
    OrderRequested, at_ns=TIME, exchange=COUNT, source=st.sampled_from(list(Source)), venue=TEXT,
    action=st.sampled_from(list(Action)), item=COUNT, account=MAYBE, client_order_id=MAYBE, venue_order_id=MAYBE,
    symbol=MAYBE, symbol_code=MAYBE, instrument=MAYBE, side=maybe(Side), type=maybe(OrderType), tif=maybe(TimeInForce),
    quantity=AMOUNT, unit=st.sampled_from(list(Unit)), limit_price=AMOUNT, stop_price=AMOUNT, reduce_only=st.booleans(),
    post_only=st.booleans(), group=maybe(Group), legs=st.lists(LEG, max_size=3).map(tuple), asset=MAYBE,
    destination=MAYBE, body_key=TEXT, extra=PAIRS,
)  # fmt: skip
UPDATE = st.builds(
    OrderUpdate, at_ns=TIME, exchange=COUNT, venue=TEXT, kind=st.sampled_from(get_args(UpdateKind.__value__)),
    answers=st.none() | COUNT, account=MAYBE, client_order_id=MAYBE, venue_order_id=MAYBE, symbol=MAYBE,
    symbol_code=MAYBE, instrument=MAYBE, side=maybe(Side), type=maybe(OrderType), tif=maybe(TimeInForce),
    quantity=AMOUNT, unit=st.sampled_from(list(Unit)), limit_price=AMOUNT, stop_price=AMOUNT, filled_quantity=AMOUNT,
    average_price=AMOUNT, fill_quantity=AMOUNT, fill_price=AMOUNT, execution_id=MAYBE, replaces=MAYBE,
    replaced_by=MAYBE, status=MAYBE, code=MAYBE, reason=MAYBE,
)  # fmt: skip
POSITION = st.builds(
    PositionSeen, symbol=TEXT, quantity=AMOUNT, unit=st.sampled_from(list(Unit)), average_price=AMOUNT, price=AMOUNT,
    instrument=MAYBE,
)  # fmt: skip
READS = st.one_of(
    st.builds(PositionsRead, at_ns=TIME, exchange=COUNT, venue=TEXT, positions=st.lists(POSITION, max_size=3).map(tuple),
              complete=st.booleans(), symbol=MAYBE, account=MAYBE),
    st.builds(OrdersRead, at_ns=TIME, exchange=COUNT, venue=TEXT, venue_order_ids=st.lists(TEXT, max_size=3).map(tuple),
              complete=st.booleans(), account=MAYBE),
    st.builds(AccountRead, at_ns=TIME, exchange=COUNT, venue=TEXT, account=MAYBE, currency=MAYBE, cash=AMOUNT,
              equity=AMOUNT, buying_power=AMOUNT, flags=PAIRS),
    st.builds(QuoteSeen, at_ns=TIME, exchange=COUNT, venue=TEXT, symbol=TEXT, bid=AMOUNT, ask=AMOUNT, last=AMOUNT,
              underlying=AMOUNT, quoted_at_ns=st.none() | TIME),
    st.builds(KillSet, at_ns=TIME, mode=st.sampled_from(["halted", "reducing", "off"]), by=TEXT, exchange=COUNT),
)  # fmt: skip
FACTS = st.builds(
    OrderFact, seq=COUNT, event=REQUESTED | UPDATE | READS, seen=st.sampled_from(["both", "shown", "truth"]),
    retry_of=st.none() | COUNT,
)  # fmt: skip


def through_sqlite(row: tuple[Any, ...]) -> dict[str, Any]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.row_factory = sqlite3.Row
        integers = {"seq", "at_ns", "exchange", "retry_of", "item", "answers", "reduce_only", "post_only"}
        columns = ",".join(f'"{name}" {"INTEGER" if name in integers else "TEXT"}' for name in ORDER_COLUMNS)
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.execute(f"INSERT INTO t VALUES ({','.join('?' * len(row))})", row)
        return dict(connection.execute("SELECT * FROM t").fetchone())
    finally:
        connection.close()


def digits(value: Any) -> list[str]:
    """Every number of a fact, as text, in order."""
    if isinstance(value, Decimal):
        return [decimal_text(value)]
    if isinstance(value, tuple | list):
        return [one for inner in value for one in digits(inner)]
    if hasattr(value, "__slots__") and not isinstance(value, str):
        return [one for name in value.__slots__ for one in digits(getattr(value, name))]
    return []


@given(FACTS)
def test_an_order_event_comes_back_whole(fact: OrderFact) -> None:
    back = order_fact(through_sqlite(order_row(fact)))
    assert fact == back
    assert digits(fact) == digits(back)
    assert repr(type(fact.event)) == repr(type(back.event))


@given(
    st.lists(
        st.builds(EditMade, start=COUNT, old=st.binary(max_size=9), new=st.binary(max_size=9), path=TEXT, what=TEXT),
        max_size=4,
    )
)
def test_edits_keep_every_byte(edits: list[EditMade]) -> None:
    assert tuple(edits) == edits_of(edits_json(tuple(edits)))


def test_an_injection_comes_back() -> None:
    fact = InjectionApplied(
        at_ns=1, exchange=2, attack="a", attack_version=3, kind="control", view="news", leg="request", item="i", mode="append",
        disguise="plain", needle="n", edits=(EditMade(start=1, old=b"\xff\x00", new=b""),), again=True, reason=None,
    )  # fmt: skip
    row = {name: getattr(fact, name) for name in fact.__slots__} | {
        "edits": edits_json(fact.edits),
        "again": 1,
        "seq": 9,
    }
    assert fact == injection(row)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("1.10"), "1.10"),
        (Decimal("1E-8"), "0.00000001"),
        (Side.BUY, "buy"),
        ((1, (Decimal(2), None)), [1, ["2", None]]),
        (b"a\xff", "a\\xff"),
        (PositionSeen(symbol="A", quantity=None), {"symbol": "A", "quantity": None, "unit": "base", "average_price": None, "price": None, "instrument": None}),
        (True, True),
    ],
)  # fmt: skip
def test_plain(value: Any, expected: Any) -> None:
    assert expected == plain(value)
    assert expected == json.loads(to_json(value))


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Decimal | None, "1.10", Decimal("1.10")),
        (Decimal | None, None, None),
        (tuple[tuple[str, str], ...], [["a", "b"]], (("a", "b"),)),
        (tuple[int, Side], [1, "sell"], (1, Side.SELL)),
        (bool, 1, True),
        (tuple[str, ...], None, ()),
        (PositionSeen, {"symbol": "A", "quantity": "1", "unknown": 5}, PositionSeen(symbol="A", quantity=Decimal(1))),
    ],
)
def test_revive(kind: Any, value: Any, expected: Any) -> None:
    assert expected == revive(kind, value)


def test_json_is_compact_and_ascii() -> None:
    assert '["\\u20ac",1]' == to_json(("€", 1))
    assert "[]" == to_json(())
