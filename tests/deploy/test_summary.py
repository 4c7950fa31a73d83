"""What a session amounts to, in words."""

from __future__ import annotations

from typing import Any

import pytest

from corpus.terms import Action, Source
from deploy.summary import counts_text, failure, failures, orders_and_intents, plural, real_orders
from proxy.journal.events import Evidence, ExchangeRow, OrderFact, SessionMeta
from proxy.wire.catalogue import load_catalogue
from proxy.wire.order_events import OrderRequested, OrderUpdate

CATALOGUE = load_catalogue()
REFUSED = "[Errno 111] Connect call failed ('127.0.0.1', 1)"
MAPPED = "http://127.0.0.1:1"
REAL, PAPER = "api.alpaca.markets", "paper-api.alpaca.markets"


def row(id_: int = 1, host: str = "api.openai.com", **fields: Any) -> ExchangeRow:
    plain: dict[str, Any] = dict.fromkeys(ExchangeRow.__dataclass_fields__)
    plain |= {"id": id_, "at_ns": 0, "host": host, "port": 443, "outcome": "passed", "marks": ()}
    return ExchangeRow(**(plain | fields))


def order(seq: int, exchange: int = 1, source: Source = Source.WIRE) -> OrderFact:
    event = OrderRequested(at_ns=0, exchange=exchange, source=source, venue="alpaca", action=Action.PLACE)
    return OrderFact(seq=seq, event=event)


def evidence(rows: tuple[ExchangeRow, ...] = (), orders: tuple[OrderFact, ...] = ()) -> Evidence:
    empty: dict[str, Any] = dict.fromkeys(
        ("chains", "injections", "llm_calls", "tool_calls", "ingested", "blocked", "notes"), ()
    )
    return Evidence(meta=SessionMeta(id="s", created_ns=0), exchanges=rows, orders=orders, **empty)


def test_counts() -> None:
    """Orders are what was sent on the wire, a retry too; tool calls that mean one are named apart."""
    update = OrderFact(seq=9, event=OrderUpdate(at_ns=0, exchange=1, venue="alpaca", kind="acked"))
    facts = (order(1, source=Source.LLM), order(2), order(3, source=Source.MCP), order(4), order(5), update)

    assert (3, 2) == orders_and_intents(evidence(orders=facts))
    assert ("3 orders, 2 tool-call intents", "1 order, 1 tool-call intent") == (counts_text(3, 2), counts_text(1, 1))
    assert ("0 orders", "1 order") == (plural(0, "order"), plural(1, "order"))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"outcome": "passed"}, None),
        ({"outcome": "refused", "error": "x"}, None),
        ({"error": REFUSED, "upstream": MAPPED}, f"connection refused by {MAPPED} for api.openai.com; is it running?"),
        ({"error": REFUSED}, "connection refused by api.openai.com:443; is it running?"),
        (
            {"error": "Connection killed: redtape: [Errno -2] Name or service not known"},
            "name or service not known: api.openai.com",
        ),
        ({"error": "[Errno 113] Connect call failed", "upstream": MAPPED}, f"connect call failed: {MAPPED}"),
        ({"error": "Client disconnected."}, "client disconnected.: api.openai.com"),
        ({"error": None}, "broke off: api.openai.com"),
        ({"error": ""}, "broke off: api.openai.com"),
    ],
)
def test_why_it_failed(fields: dict[str, Any], says: str | None) -> None:
    """The reason, and what to do where that is known."""
    assert says == failure(row(**({"outcome": "error"} | fields)))


def test_failures_are_grouped() -> None:
    """The most frequent first, three kinds at most."""
    errors = ["a"] * 2 + ["b"] * 4 + ["c", "d", "e"]
    rows = tuple(row(n, outcome="error", error=text) for n, text in enumerate(errors, 1))

    assert ["4 failed: b: api.openai.com", "2 failed: a: api.openai.com", "1 failed: c: api.openai.com"] == list(
        failures(evidence(rows))
    )[:3]
    assert ["2 more failed; see `redtape show s`"] == list(failures(evidence(rows)))[3:]
    assert [] == list(failures(evidence((row(),))))


@pytest.mark.parametrize(
    ("host", "fields", "told"),
    [
        (REAL, {}, True),
        (REAL, {"outcome": "edited"}, True),
        (REAL, {"outcome": "error", "error": "server disconnected"}, True),
        (PAPER, {"upstream": f"https://{REAL}"}, True),
        (REAL, {"outcome": "blocked"}, False),
        (REAL, {"outcome": "refused"}, False),
        (REAL, {"outcome": "error", "error": REFUSED}, False),
        (REAL, {"upstream": MAPPED}, False),
        (PAPER, {}, False),
        ("data.alpaca.markets", {}, False),
        ("example.com", {}, False),
    ],
)
def test_orders_at_real_hosts(host: str, fields: dict[str, Any], told: bool) -> None:
    """What counts is where they ended, and whether they left; intents did not."""
    found = evidence((row(1, host, **fields),), (order(1), order(2), order(3, source=Source.LLM), order(4, exchange=7)))

    assert ([f"2 orders went to {REAL}, a real trading host"] if told else []) == list(real_orders(found, CATALOGUE))
