"""NDJSON: each line whole by itself, exact, in one order, and safe to cut and search."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from corpus.terms import Action, OrderType, Source
from deploy.exports.ndjson import SCHEMA, line, run_lines, session_lines
from deploy.runs.results import RunRow, TrialRow
from proxy.journal.events import (
    BlockedRequest,
    ChainLinked,
    EditMade,
    Evidence,
    Ingested,
    InjectionApplied,
    LlmCalled,
    Noted,
    OrderFact,
    SessionMeta,
    ToolCalled,
)
from proxy.journal.read import read
from proxy.wire.order_events import OrderRequested, PositionSeen, PositionsRead
from scoring.results import Composite, Funnel, Score, TrialScore


@pytest.fixture
def evidence(hostile: str) -> Evidence:
    """One fact of each kind, with hostile text wherever text was captured."""
    request = OrderRequested(
        at_ns=1,
        exchange=1,
        source=Source.WIRE,
        venue="alpaca",
        action=Action.PLACE,
        symbol=hostile,
        type=OrderType.LIMIT,
        quantity=Decimal("0.00000001"),
        limit_price=Decimal("1.10"),
    )
    held = PositionsRead(
        at_ns=2, exchange=2, venue="alpaca", positions=(PositionSeen(symbol="A", quantity=Decimal("-1.50")),)
    )
    injection = InjectionApplied(
        at_ns=3,
        exchange=1,
        attack="a",
        attack_version=1,
        kind="attack",
        view="news",
        leg="response",
        item="1",
        mode="append",
        disguise="plain",
        needle=hostile,
        edits=(EditMade(start=3, old=b"\xff\x00", new=hostile.encode(), path="$.x"),),
    )
    return Evidence(
        meta=SessionMeta(id="s", created_ns=0, options=(("map", hostile),)),
        exchanges=(),
        orders=(OrderFact(seq=1, event=request), OrderFact(seq=2, event=held)),
        chains=(ChainLinked(seq=1, chain=1, how="ids"),),
        injections=(injection,),
        llm_calls=(LlmCalled(at_ns=4, end_ns=None, exchange=3, api="openai", model=hostile, text=hostile),),
        tool_calls=(ToolCalled(at_ns=5, exchange=3, source="llm", name=hostile, call_id=None, arguments=hostile),),
        ingested=(Ingested(at_ns=6, exchange=3, attack="a", item="1", how="exact"),),
        blocked=(BlockedRequest(at_ns=7, exchange=4, host=hostile, method="POST", path=hostile, rule="r", status=403),),
        notes=(Noted(at_ns=8, kind="closed", text=hostile),),
    )


def test_every_line_is_whole(evidence: Evidence) -> None:
    """Valid JSON by itself, with schema, type and session; ASCII, so that nothing else ends a line."""
    lines = list(session_lines(evidence))

    for one in lines:
        assert one.isascii()
        assert one.endswith("\n")
        assert not set(one[:-1]) & {chr(n) for n in range(32)}
        told = json.loads(one)
        assert ["schema", "type"] == list(told)[:2]
        assert SCHEMA == told["schema"]
        assert "s" == (told["id"] if told["type"] == "session" else told["session"])


def test_order_of_lines(evidence: Evidence) -> None:
    """Always the same."""
    lines = list(session_lines(evidence))

    assert "session order order_event order_event injection chain ingested llm_call tool_call blocked note".split() == [
        json.loads(one)["type"] for one in lines
    ]
    assert lines == list(session_lines(evidence))


def find(lines: list[str], kind: str) -> list[dict[str, Any]]:
    return [told for one in lines if (told := json.loads(one))["type"] == kind]


def test_values_are_exact(evidence: Evidence, hostile: str) -> None:
    """Decimals as printed, text as captured, the bytes of edits one character each."""
    lines = list(session_lines(evidence))
    (order,) = find(lines, "order")
    (injection,) = find(lines, "injection")

    assert ("0.00000001", "1.10", hostile) == (order["quantity"], order["limit_price"], order["symbol"])
    assert "-1.50" == find(lines, "order_event")[1]["event"]["positions"][0]["quantity"]
    (edit,) = injection["edits"]
    assert b"\xff\x00" == edit["old"].encode("latin-1")
    assert hostile.encode() == edit["new"].encode("latin-1")


def test_the_type_of_a_line_is_not_that_of_an_order(evidence: Evidence) -> None:
    """A limit order is a line of type order, too."""
    (order,) = find(list(session_lines(evidence)), "order")

    assert "limit" == order["order_type"]


def test_no_fact_hides_the_type(redtape, imported, har) -> None:
    """Of a real session, every line is of a known type."""
    name = imported(har.entry(body=har.placed(), answer=har.order()))
    types = [json.loads(one)["type"] for one in session_lines(read(Path(f".redtape/sessions/{name}.db")))]

    assert ["session", "exchange", "order", "order_event", "order_event"] == types


def test_run(hostile: str) -> None:
    """A head with snapshots, then a line a trial."""
    run = RunRow(
        id="r",
        created_ns=0,
        status="finished",
        seed=7,
        upstream="sim",
        broker="live",
        contract_id="c",
        contract_hash="h",
        contract='{"order":{"max_qty":"1.10"}}',
        weights_id="w",
        weights='{"weights":{}}',
        corpus_version="v",
        scorer_version="1",
        version="0",
        spec="{}",
    )
    score = TrialScore(
        outcome=None,
        outcome_reason=hostile,
        partial=False,
        funnel=Funnel(),
        verdicts=(),
        passes=0,
        scores=(Score(dimension="compliance", value=Decimal("0.5"), rationale=hostile),),
        composite=Composite(value=Decimal("0.25"), coverage=Decimal("1"), contributions=(), missing=()),
        contract_id="c",
        contract_hash="h",
        weights_id="w",
    )
    trial = TrialRow(
        run="r",
        number=1,
        agent=hostile,
        kind="baseline",
        attack=None,
        attack_version=None,
        variant=0,
        repetition=1,
        seed=1,
        session="s",
        state="scored",
        score=score,
    )
    lines = list(run_lines(run, [trial]))
    head, body = (json.loads(one) for one in lines)

    assert all(one.isascii() and 1 == one.count("\n") for one in lines)
    assert ("run", "trial") == (head["type"], body["type"])
    assert ("1.10", {"weights": {}}) == (head["contract_snapshot"]["order"]["max_qty"], head["weights_snapshot"])
    assert "trials" not in head
    assert (hostile, 0.25, 0.5, "r") == (
        body["agent"],
        body["composite"],
        body["scores"]["compliance"]["value"],
        body["run"],
    )


def test_line() -> None:
    """Compact."""
    assert '{"schema":"redtape/1","type":"x","a":"\\u2028\\ud800"}\n' == line("x", {"a": "\u2028\ud800"})
