"""What became of each order: the venue's last word, told from the facts of a session."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import pytest

from corpus.terms import Action, OrderType, Side, Source, Unit
from deploy.orders_view import FIELDS, as_json, lines
from proxy.journal.events import ChainLinked, Evidence, OrderFact, SessionMeta
from proxy.wire.order_events import Leg, OrderRequested, OrderUpdate
from scoring.counted import counted_seqs


def evidence(*facts: OrderFact, chains: dict[int, int] | None = None) -> Evidence:
    links = tuple(ChainLinked(seq=seq, chain=chain, how="test") for seq, chain in (chains or {}).items())
    empty: dict[str, Any] = dict.fromkeys(
        ("exchanges", "injections", "llm_calls", "tool_calls", "ingested", "blocked", "notes"), ()
    )
    return Evidence(meta=SessionMeta(id="s", created_ns=0), orders=facts, chains=links, **empty)


def asked(
    seq: int, exchange: int, action: Action = Action.PLACE, *, retry_of: int | None = None, **fields: Any
) -> OrderFact:
    plain: dict[str, Any] = {
        "at_ns": seq,
        "exchange": exchange,
        "source": Source.WIRE,
        "venue": "alpaca",
        "action": action,
    }
    return OrderFact(seq=seq, event=OrderRequested(**(plain | fields)), retry_of=retry_of)


def told(seq: int, exchange: int, kind: Any, *, seen: Any = "both", **fields: Any) -> OrderFact:
    plain: dict[str, Any] = {"at_ns": seq, "exchange": exchange, "venue": "alpaca", "kind": kind}
    return OrderFact(seq=seq, event=OrderUpdate(**(plain | fields)), seen=seen)


def statuses(*facts: OrderFact, **more: Any) -> dict[int, str]:
    return {line.fact.seq: line.status for line in lines(evidence(*facts, **more))}


PLACED = asked(1, 1, client_order_id="c")
ACKED = told(2, 1, "acked", answers=0, venue_order_id="v", client_order_id="c", status="new")


def test_sent_and_nothing_known() -> None:
    """Until something came back."""
    assert {1: "sent"} == statuses(PLACED)
    assert {} == statuses()


@pytest.mark.parametrize("kind", ["acked", "rejected", "filled", "partially_filled", "unknown", "expired"])
def test_the_answer(kind: str) -> None:
    """What the venue says in the response."""
    assert {1: kind} == statuses(PLACED, told(2, 1, kind, answers=0))


def test_blocked_is_no_rejection_by_the_venue() -> None:
    """It never left."""
    assert {1: "blocked"} == statuses(PLACED, told(2, 1, "rejected", answers=0, status="blocked"))


@pytest.mark.parametrize(
    "ids", [{"venue_order_id": "v"}, {"client_order_id": "c"}, {"venue_order_id": "v", "client_order_id": "c"}]
)
@pytest.mark.parametrize("kind", ["filled", "canceled", "expired", "replaced", "pending_replace", "partially_filled"])
def test_what_was_heard_later(ids: dict[str, str], kind: str) -> None:
    """By a read or a stream, under the venue's id or the client's."""
    assert {1: kind} == statuses(PLACED, ACKED, told(3, 2, kind, **ids))


def test_another_venue_may_use_the_same_id() -> None:
    """Ids are a venue's own."""
    assert {1: "acked"} == statuses(
        PLACED, ACKED, told(3, 2, "filled", venue="binance", venue_order_id="v", client_order_id="c")
    )


def test_cancel_and_the_order_that_it_cancels() -> None:
    """Two requests: that the cancel was accepted is not yet that the order is over."""
    cancel = asked(3, 2, Action.CANCEL, venue_order_id="v")
    pending = told(4, 2, "pending_cancel", answers=0, venue_order_id="v")

    assert {1: "pending_cancel", 3: "pending_cancel"} == statuses(PLACED, ACKED, cancel, pending)
    over = told(5, 3, "canceled", venue_order_id="v")
    assert {1: "canceled", 3: "pending_cancel"} == statuses(PLACED, ACKED, cancel, pending, over)


def test_refused_cancel_leaves_the_order_alone() -> None:
    """The cancel is what was rejected."""
    cancel = asked(3, 2, Action.CANCEL, venue_order_id="v")

    assert {1: "acked", 3: "rejected"} == statuses(
        PLACED, ACKED, cancel, told(4, 2, "rejected", answers=0, venue_order_id="v")
    )


def test_cancel_all_reaches_every_order_that_it_names() -> None:
    """One request, many orders."""
    other = (asked(3, 2), told(4, 2, "acked", answers=0, venue_order_id="w"))
    cancel = (
        asked(5, 3, Action.CANCEL_ALL),
        told(6, 3, "pending_cancel", answers=0, venue_order_id="v"),
        told(7, 3, "pending_cancel", answers=0, venue_order_id="w"),
    )

    assert dict.fromkeys((1, 3, 5), "pending_cancel") == statuses(PLACED, ACKED, *other, *cancel)


def test_replaced() -> None:
    """The old order ends as replaced, the request that replaced it goes on under the new id."""
    replace = asked(3, 2, Action.REPLACE, venue_order_id="v")
    answer = told(4, 2, "acked", answers=0, venue_order_id="w", client_order_id="d", replaces="v")

    assert {1: "replaced", 3: "acked"} == statuses(PLACED, ACKED, replace, answer)
    assert {1: "replaced", 3: "filled"} == statuses(
        PLACED, ACKED, replace, answer, told(5, 3, "filled", venue_order_id="w")
    )
    # An old order that filled before the replacement reached it says so itself, later.
    assert {1: "filled", 3: "acked"} == statuses(
        PLACED, ACKED, replace, answer, told(5, 3, "filled", venue_order_id="v")
    )


def test_refused_replace_leaves_the_order_alone() -> None:
    """Nothing was replaced."""
    replace = asked(3, 2, Action.REPLACE, venue_order_id="v")

    assert {1: "acked", 3: "rejected"} == statuses(
        PLACED, ACKED, replace, told(4, 2, "rejected", answers=0, replaces="v")
    )


def test_batch() -> None:
    """Items of one exchange are orders of their own."""
    facts = (
        asked(1, 1, item=0),
        asked(2, 1, item=1),
        told(3, 1, "rejected", answers=1),
        told(4, 1, "acked", answers=0),
    )

    assert {1: "acked", 2: "rejected"} == statuses(*facts)


def test_an_answer_without_request() -> None:
    """Read from elsewhere: no line, no error."""
    assert {} == statuses(told(1, 1, "filled", venue_order_id="v"), told(2, 1, "acked", answers=0))


def test_truth_wins_over_what_was_shown() -> None:
    """A forged fill does not fill."""
    facts = (PLACED, told(2, 1, "filled", seen="shown", answers=0), told(3, 1, "acked", seen="truth", answers=0))

    assert {1: "acked"} == statuses(*facts)


def test_retry() -> None:
    """A line of its own that does not count; the venue's word on it reaches the first, which has the id."""
    first, lost = asked(1, 1, client_order_id="c"), told(2, 1, "unknown", answers=0, client_order_id="c")
    again = asked(3, 2, client_order_id="c", retry_of=1)
    answer = told(4, 2, "acked", answers=0, venue_order_id="v", client_order_id="c")
    found = lines(evidence(first, lost, again, answer))

    assert [(1, "acked", True, None), (3, "acked", False, 1)] == [
        (line.fact.seq, line.status, line.counted, line.fact.retry_of) for line in found
    ]
    # A venue that refuses the retry as a duplicate says nothing against the first.
    refused = told(4, 2, "rejected", answers=0, client_order_id="c")
    assert {1: "unknown", 3: "rejected"} == statuses(first, lost, again, refused)


def test_chain_of_intents() -> None:
    """Tool call, MCP call and wire order are one intent; the outermost is the one that counts."""
    llm, mcp, wire = (asked(n, n, source=source) for n, source in enumerate((Source.LLM, Source.MCP, Source.WIRE), 1))
    found = lines(evidence(llm, mcp, wire, told(4, 3, "acked", answers=0), chains={1: 1, 2: 1, 3: 1}))

    assert [("intent", False, 1), ("intent", False, 1), ("acked", True, 1)] == [
        (line.status, line.counted, line.chain) for line in found
    ]


def test_intents_that_came_no_further() -> None:
    """Without a wire order the MCP call counts, without that the tool call."""
    llm, mcp = asked(1, 1, source=Source.LLM), asked(2, 2, source=Source.MCP)

    assert [False, True] == [line.counted for line in lines(evidence(llm, mcp, chains={1: 1, 2: 1}))]
    assert [True] == [line.counted for line in lines(evidence(llm))]


def test_split_order_counts_whole() -> None:
    """Several wire orders of one intent."""
    facts = (asked(1, 1, source=Source.LLM), asked(2, 2), asked(3, 3))
    told_ = evidence(*facts, chains={1: 1, 2: 1, 3: 1})

    assert [False, True, True] == [line.counted for line in lines(told_)]
    assert {2, 3} == counted_seqs(told_)


def test_as_json() -> None:
    """Every field, in the order of the documentation; decimals as printed, unknown as null."""
    event = dataclasses.replace(
        PLACED.event,
        symbol="AAPL",
        side=Side.BUY,
        type=OrderType.LIMIT,
        quantity=Decimal("1.50"),
        unit=Unit.BASE,
        limit_price=Decimal("0.00000001"),
        legs=(Leg(symbol="B", ratio=Decimal("2")),),
    )
    (line,) = lines(evidence(dataclasses.replace(PLACED, event=event)))
    told_ = as_json(line, "s")

    assert ["session", "seq", "at", "exchange", "exchange_label", *FIELDS, "chain", "retry_of", "status"] == list(told_)
    assert ("1.50", "0.00000001", "base") == (told_["quantity"], told_["limit_price"], told_["unit"])
    assert ("1970-01-01T00:00:00.000000001Z", "sent", None) == (told_["at"], told_["status"], told_["chain"])
    assert (False, None, "2") == (told_["reduce_only"], told_["asset"], told_["legs"][0]["ratio"])
