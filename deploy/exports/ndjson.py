"""
A session or a run as NDJSON: one self-contained object a line, streamed.

Every line has `schema: redtape/1` and `type`, the kind of line; what `redtape orders --json` calls `type` is
`order_type` here. ASCII only, so that no reader can split or interpret a line otherwise; decimals are
strings, scores numbers in 0..1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from deploy.orders_view import as_json, lines
from deploy.runs.results import RunRow, TrialRow
from deploy.runs.views import run_json, trial_json
from proxy.journal.events import Evidence
from proxy.journal.rows import edits_json, plain

SCHEMA: Final = "redtape/1"


def line(kind: str, values: dict[str, Any]) -> str:
    """One line, with its newline."""
    return json.dumps({"schema": SCHEMA, "type": kind, **values}, separators=(",", ":"), ensure_ascii=True) + "\n"


def session_lines(evidence: Evidence) -> Iterator[str]:
    """
    Everything a session holds but its bodies.

    Yields:
        session, then exchange, order, order_event, chain, injection, ingested, llm_call, tool_call, blocked
        and note lines, each in the order of the evidence.
    """
    name = evidence.meta.id
    yield line("session", plain(evidence.meta))
    for row in evidence.exchanges:
        yield line("exchange", {"session": name, **plain(row)})
    for order in lines(evidence):
        values = as_json(order, name)
        yield line("order", {"order_type" if key == "type" else key: value for key, value in values.items()})
    for fact in evidence.orders:
        values = {"seq": fact.seq, "seen": fact.seen, "retry_of": fact.retry_of, "event": plain(fact.event)}
        yield line("order_event", {"session": name, **values})
    for injection in evidence.injections:
        values = {**plain(injection), "edits": json.loads(edits_json(injection.edits))}
        yield line("injection", {"session": name, **values})
    others: tuple[tuple[str, Sequence[Any]], ...] = (
        ("chain", evidence.chains),
        ("ingested", evidence.ingested),
        ("llm_call", evidence.llm_calls),
        ("tool_call", evidence.tool_calls),
        ("blocked", evidence.blocked),
        ("note", evidence.notes),
    )
    for kind, facts in others:
        for fact in facts:
            yield line(kind, {"session": name, **plain(fact)})


def run_lines(run: RunRow, trials: Sequence[TrialRow]) -> Iterator[str]:
    """A run line with its snapshots, then a trial line for each."""
    head = run_json(run, ())
    del head["trials"]
    yield line(
        "run", {**head, "contract_snapshot": json.loads(run.contract), "weights_snapshot": json.loads(run.weights)}
    )
    for trial in trials:
        yield line("trial", {"run": run.id, **trial_json(trial)})
