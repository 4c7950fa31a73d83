"""Every control over every counted request; properties that must hold for any of them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.contract import Contract
from corpus.terms import Action, OrderType, Verdict, instant
from proxy.wire.order_events import OrderRequested
from scoring.judge import holds, judge_session
from scoring.vectors import Telling

FRAME = {"schema": "risk-contract/1", "id": "p", "version": 1}


def test_effective_days(session, contract, place):
    """Both days are included; what falls outside is counted, not judged."""
    day = {"effective": {"from": "2026-11-25", "to": "2026-11-25"}, "order": {"max_qty": "1"}}
    late = place(at_ns=instant("2026-11-26T00:00:00Z"))
    judged = judge_session(session(place(), late), contract(**day))

    assert (judged.orders, judged.outside) == ((1,), (2,))
    assert [one.order for one in judged.verdicts] == [1]
    assert holds(None, 0)


def test_opportunities_need_a_rule(session, contract, place):
    """A request that no rule applied to proves nothing."""
    judged = judge_session(session(place()), contract())

    assert judged.by_order() == {1: Verdict.PASS}
    assert judged.opportunities() == {}


LIMITS = {
    "order": {"max_qty": None, "max_notional": None, "collar_bps": None, "max_spread_bps": None},
    "position": {"max_abs_qty": None, "max_notional": None},
    "account": {"max_open_buy_notional": None},
}
PATHS = [(group, name) for group, names in LIMITS.items() for name in names]

orders = st.lists(
    st.tuples(
        st.sampled_from(["buy", "sell"]),
        st.integers(1, 50),
        st.sampled_from(["market", "limit", "stop"]),
        st.integers(50, 150),
        st.sampled_from(["nothing", "ack", "fill", "reject", "cancel_req", "canceled"]),
    ),
    max_size=6,
)


def told(steps, position, quoted):
    events = []
    for number, (side, quantity, kind, price, after) in enumerate(steps):
        name, at = f"o{number}", f"2026-11-25T15:00:{number:02}Z"
        order = {"id": name, "sym": "AAPL", "side": side, "type": kind, "qty": str(quantity)}
        order |= {} if kind == "market" else {kind: str(price)}
        events.append({"t": at, "submit": order})
        if after == "fill":
            events.append({"t": at, "fill": {"id": name, "qty": "1"}})
        elif after != "nothing":
            events.append({"t": at, after: name})
    known = {} if position is None else {"pos": {"AAPL": str(position)}}
    given_ = known | ({"quotes": {"AAPL": {"bid": "100", "ask": "102"}}} if quoted else {})
    start = {} if position is not None else {"state": {"start": "unknown"}}
    return Telling({"id": "p", "contract": start, "given": given_, "events": events}), start


def judged(telling, start, path, limit):
    group, name = path
    contract = Contract.model_validate(FRAME | start | {group: {name: str(limit)}})
    rule = f"{group}.{name}"
    found = judge_session(telling.evidence(), contract, telling.tables()).verdicts
    return {one.order: one.verdict for one in found if one.rule == rule}


@settings(deadline=None)
@given(
    orders,
    st.one_of(st.none(), st.integers(-60, 60)),
    st.booleans(),
    st.sampled_from(PATHS),
    st.integers(0, 6000),
    st.integers(0, 6000),
)
def test_tightening_never_removes_a_violation(steps, position, quoted, path, one, two):
    """With a lower limit every violation stays, and no more orders pass."""
    telling, start = told(steps, position, quoted)
    loose, tight = judged(telling, start, path, max(one, two)), judged(telling, start, path, min(one, two))

    assert loose.keys() == tight.keys()
    for order, verdict in loose.items():
        if verdict is Verdict.VIOLATION:
            assert tight[order] is Verdict.VIOLATION
        if tight[order] is Verdict.PASS:
            assert verdict is Verdict.PASS


@settings(deadline=None)
@given(orders, st.sampled_from([path for path in PATHS if path != ("order", "max_qty")]))
def test_unknown_input_never_passes_an_increase(steps, path):
    """Without any price, position or quote, only what is priced by itself may pass."""
    telling, start = told(steps, None, False)
    for order, verdict in judged(telling, start, path, Decimal(10**9)).items():
        request = next(fact.event for fact in telling.facts if fact.seq == order)
        own_price = request.side == "buy" and request.limit_price is not None
        if path[0] == "position" or (path[0] == "order" and not own_price):
            assert verdict is Verdict.INDETERMINATE, (path, request)


@pytest.mark.parametrize("path", PATHS)
def test_zero_allows_nothing(path):
    """A limit of 0 is breached by any buy of a known price."""
    telling, start = told([("buy", 1, "limit", 103, "nothing")], 0, True)
    market, _ = told([("buy", 1, "market", 103, "nothing")], 0, True)
    chosen = market if path[1] == "max_spread_bps" else telling

    assert set(judged(chosen, start, path, 0).values()) == {Verdict.VIOLATION}


KEYS = {
    "order": {"max_qty": "1000000", "max_notional": "100000000"},
    "position": {"max_abs_qty": "1000000"},
    "short": {"allowed": False},
    "symbols": {"deny": ["ZVTX"]},
}


def verdicts(evidence, contract):
    return {one.rule: one.verdict.value for one in judge_session(evidence, contract).verdicts}


def test_closing_all_of_positions_that_were_not_read(session, contract, place, flat, holds, quote):
    """What is closed is not known, so neither is its size, worth or name; that it only reduces is."""
    base = place()
    close = OrderRequested(
        at_ns=base.at_ns, exchange=5, source=base.source, venue="alpaca", action=Action.CLOSE_ALL, item=0
    )
    unread = {
        "order.max_qty": "indeterminate",
        "order.max_notional": "indeterminate",
        "position.max_abs_qty": "pass",
        "short.allowed": "pass",
        "symbols.deny": "indeterminate",
    }
    known = replace(holds(AAPL=10), complete=False)

    assert verdicts(session(close), contract(**KEYS)) == unread
    assert verdicts(session(known, quote, close), contract(**KEYS)) == unread
    assert (
        "of positions that were not all read" in judge_session(session(close), contract(**KEYS)).verdicts[0].rationale
    )
    assert verdicts(session(flat, close), contract(**KEYS)) == {}
    assert verdicts(session(close), contract(**KEYS, state={"start": "flat"})) == {}
    read = verdicts(session(holds(AAPL=10), quote, close), contract(**KEYS))
    assert (read["order.max_qty"], read["symbols.deny"]) == ("pass", "pass")


def test_closing_a_quantity_that_cannot_be_read(session, contract, place, holds, quote):
    """It is not the whole position: it may be more than that."""
    close = replace(place(), action=Action.CLOSE, side=None, quantity=None, extra=(("unreadable", "quantity"),))

    assert verdicts(session(holds(AAPL=10), quote, close), contract(**KEYS)) == {
        "order.max_qty": "indeterminate",
        "order.max_notional": "indeterminate",
        "position.max_abs_qty": "indeterminate",
        "short.allowed": "indeterminate",
        "symbols.deny": "pass",
    }
    whole = replace(close, extra=())
    assert set(verdicts(session(holds(AAPL=10), quote, whole), contract(**KEYS)).values()) == {"pass"}


def test_replacing_by_a_quantity_that_cannot_be_read(session, contract, place, flat, quote):
    """It is not what the order had."""
    first = place(client_order_id="a")
    change = replace(
        first, exchange=11, action=Action.REPLACE, quantity=None, side=None, extra=(("unreadable", "quantity"),)
    )
    judged = judge_session(session(flat, quote, first, change), contract(**KEYS))

    assert {one.rule: one.verdict.value for one in judged.verdicts if one.order == 4}[
        "order.max_qty"
    ] == "indeterminate"


def test_a_price_of_two_values(session, contract, place, flat, quote):
    """Its order is worth an unknown amount, and every rule for prices is open; a market order has no such price."""
    keys = {"order": {"max_notional": "100000", "collar_bps": "100", "tick": "0.01"}}
    order = place(type=OrderType.LIMIT, extra=(("unreadable", "limit_price"),))

    assert set(verdicts(session(flat, quote, order), contract(**keys)).values()) == {"indeterminate"}
    market = replace(order, type=OrderType.MARKET)
    assert verdicts(session(flat, quote, market), contract(**keys))["order.max_notional"] == "pass"


def test_an_order_for_no_known_instrument_is_held_to_every_limit(session, contract, place, flat, quote):
    """It may be the one that has a limit of its own."""
    keys = {"position": {"per_symbol": {"ZVTX": {"max_abs_qty": "0"}, "IBM": {"max_abs_qty": "5"}}}}

    assert verdicts(session(flat, quote, place(symbol=None)), contract(**keys)) == {
        "position.max_abs_qty": "indeterminate"
    }
    assert verdicts(session(flat, quote, place()), contract(**keys)) == {}
