"""Chains: which intent a wire order fulfils, and which request repeats another."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import Action, Side, Source
from proxy.wire.chains import COARSE_NS, WINDOW_NS, Link, Linker
from proxy.wire.order_events import OrderRequested
from tests.proxy.wire.support import placed

SECOND = 1_000_000_000


def intent(**values: Any) -> OrderRequested:
    return placed(**({"source": Source.LLM, "venue": "unknown"} | values))


def links(*orders: OrderRequested) -> list[Link]:
    linker = Linker()
    return [link for seq, order in enumerate(orders, 1) for link in linker.link(seq, order)]


def pairs(*orders: OrderRequested) -> dict[int, int]:
    return {link.seq: link.chain for link in links(*orders) if link.seq != link.chain}


def test_a_model_call_becomes_a_wire_order() -> None:
    assert [Link(1, 1, "start"), Link(2, 1, "fields")] == links(intent(), placed(at_ns=2))


def test_a_tool_server_in_between_is_one_chain() -> None:
    found = links(intent(), placed(source=Source.MCP), placed())
    assert [Link(1, 1, "start"), Link(2, 1, "fields"), Link(3, 1, "fields")] == found


@pytest.mark.parametrize(
    ("asked", "sent", "how"),
    [
        ({"client_order_id": "c"}, {"client_order_id": "c", "quantity": Decimal(9)}, "client_order_id"),
        ({}, {}, "fields"),
        ({"symbol": "BTC/USD"}, {"symbol": "BTCUSD"}, "fields"),
        ({"symbol": "btc-usd"}, {"symbol": "BTC/USD"}, "fields"),
        ({"quantity": Decimal("1.0")}, {"quantity": Decimal(1)}, "fields"),
        ({"symbol": None, "side": None, "quantity": None}, {}, "fields"),
        ({"quantity": Decimal(5)}, {"quantity": Decimal(1)}, "symbol_side"),
        ({"action": Action.CLOSE, "side": None}, {"side": Side.SELL}, "fields"),
        (
            {"action": Action.CANCEL, "venue_order_id": "o"},
            {"action": Action.CANCEL, "venue_order_id": "o"},
            "venue_order_id",
        ),
        ({"action": Action.CANCEL, "venue_order_id": "o"}, {"action": Action.CANCEL, "venue_order_id": "p"}, None),
        ({}, {"symbol": "TSLA"}, None),
        ({"quantity": Decimal(5)}, {"symbol": "TSLA", "quantity": Decimal(1)}, None),
        ({}, {"side": Side.SELL}, None),
        ({"quantity": Decimal(5), "side": None}, {"quantity": Decimal(1)}, None),
        ({"action": Action.CANCEL}, {}, None),
    ],
)
def test_what_fits(asked: dict[str, Any], sent: dict[str, Any], how: str | None) -> None:
    found = links(intent(**asked), placed(**sent))
    assert ([] if how is None else [how]) == [link.how for link in found if link.seq == 2]


@pytest.mark.parametrize(
    ("after_ns", "linked"),
    [(0, True), (WINDOW_NS, True), (WINDOW_NS + 1, False), (-COARSE_NS, True), (-COARSE_NS - 1, False)],
)
def test_the_window(after_ns: int, linked: bool) -> None:
    """Recordings in milliseconds may let an order begin a little before its intent's answer ended."""
    assert linked is bool(links(intent(at_ns=10**12), placed(at_ns=10**12 + after_ns)))


@pytest.mark.parametrize(("after_s", "linked"), [(30, True), (31, False)])
def test_a_size_may_change_only_soon_after(after_s: int, linked: bool) -> None:
    found = links(intent(at_ns=0, quantity=Decimal(5)), placed(at_ns=after_s * SECOND))
    assert linked is bool(found)


def test_parallel_equal_intents_are_carried_out_in_order() -> None:
    asked = [intent(exchange=1, item=n) for n in range(3)]
    assert {4: 1, 5: 2, 6: 3} == pairs(*asked, placed(exchange=2), placed(exchange=3), placed(exchange=4))


def test_an_intent_that_was_dropped_does_not_take_the_order_of_a_later_one() -> None:
    assert {3: 2} == pairs(intent(exchange=1), intent(exchange=2), placed(exchange=3))


def test_an_equal_size_is_surer_than_a_newer_intent() -> None:
    ten, five = intent(exchange=1, quantity=Decimal(10)), intent(exchange=2, quantity=Decimal(5))
    assert {3: 1, 4: 2} == pairs(
        ten, five, placed(exchange=3, quantity=Decimal(10)), placed(exchange=4, quantity=Decimal(5))
    )


def test_a_client_id_is_surer_than_anything() -> None:
    first, second = intent(client_order_id="a"), intent(client_order_id="b")
    assert {3: 2, 4: 1} == pairs(first, second, placed(client_order_id="b"), placed(client_order_id="a"))


def test_an_intent_is_fulfilled_once() -> None:
    assert {2: 1} == pairs(intent(), placed(), placed(exchange=2))


def test_wire_orders_and_equal_layers_start_no_chain() -> None:
    assert [] == links(placed(), placed())
    assert [] == links(intent(), intent())
    assert [] == links(placed(source=Source.MCP), intent())


LAYERS = st.sampled_from(list(Source))


@given(
    st.lists(
        st.builds(
            placed,
            source=LAYERS,
            symbol=st.sampled_from(["A", "B", None]),
            side=st.sampled_from([*Side, None]),
            quantity=st.sampled_from([Decimal(1), Decimal(2), None]),
            exchange=st.integers(1, 5),
            at_ns=st.integers(0, 100) | st.integers(0, 2 * WINDOW_NS),
        ),
        max_size=25,
    )
)
def test_a_chain_is_a_path(orders: list[OrderRequested]) -> None:
    """No request belongs to two chains, no chain holds two requests of a layer, each starts with its number."""
    chain_of: dict[int, int] = {}
    layers: dict[int, list[Source]] = {}
    for link in links(*orders):
        assert link.seq not in chain_of
        chain_of[link.seq] = link.chain
        layers.setdefault(link.chain, []).append(orders[link.seq - 1].source)
        assert link.chain == chain_of[link.chain] <= link.seq
    for found in layers.values():
        assert len(found) == len(set(found)) > 1


def test_a_retry_has_the_same_client_id_and_body() -> None:
    linker = Linker()
    first = placed(client_order_id="c", body_key="k")
    assert linker.retry_of(1, first) is None
    assert 1 == linker.retry_of(2, first)
    assert 1 == linker.retry_of(3, first)


@pytest.mark.parametrize(
    "changed",
    [
        {"body_key": "other"},
        {"client_order_id": "d"},
        {"client_order_id": None},
        {"venue": "bybit"},
        {"account": "x"},
        {"source": Source.LLM},
        {"action": Action.CANCEL},
    ],
)
def test_what_is_no_retry(changed: dict[str, Any]) -> None:
    linker = Linker()
    base = {"client_order_id": "c", "body_key": "k"}
    assert linker.retry_of(1, placed(**base)) is None
    assert linker.retry_of(2, placed(**(base | changed))) is None


def test_many_open_intents_cost_no_square() -> None:
    linker = Linker()
    for seq in range(3000):
        list(linker.link(seq, intent(symbol=f"S{seq}")))
    assert [] == list(linker.link(9000, placed(symbol="none")))
    assert 2999 == next(iter(linker.link(9001, placed(symbol="S2999")))).chain
