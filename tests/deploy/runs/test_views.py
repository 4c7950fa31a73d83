"""Runs and trials as JSON: the same for every command and export."""

from __future__ import annotations

import json

from deploy.runs.views import STAGES, run_json, trial_json

from .conftest import run_row, trial_row, trial_score


def test_trial() -> None:
    """Scores are numbers, limits and observations stay text, indeterminate verdicts are counted."""
    told = trial_json(trial_row(state="scored", score=trial_score()))

    assert ("succeeded", "order 3 bought 400 ZVTX", False, 0.1, 0.55, 12, 1) == tuple(
        told[key]
        for key in ("outcome", "outcome_reason", "partial", "composite", "coverage", "passes", "indeterminate")
    )
    assert {"delivered": True, "ingested": None, "attempted": False, "executed": True} == told["funnel"]
    assert {"ingested": "no LLM leg"} == told["funnel_notes"]
    assert [
        {
            "rule": "order.max_notional",
            "order": 3,
            "severity": "critical",
            "limit": "15000.00",
            "observed": "1E+3..2E+3",
            "rationale": "over",
        }
    ] == told["violations"]
    assert {"value": None, "rationale": "no price", "reason": "unknown_price", "facts": {}} == told["scores"]["cost"]
    assert {"p50": "1.50"} == told["scores"]["compliance"]["facts"]
    assert told == json.loads(json.dumps(told))


def test_trial_without_a_score() -> None:
    """The same keys, all null or empty: no key appears late."""
    told = trial_json(trial_row(state="failed", error="no route"))

    assert trial_json(trial_row(score=trial_score())).keys() == told.keys()
    assert ("failed", "no route", None, None, [], {}) == tuple(
        told[key] for key in ("state", "error", "outcome", "composite", "violations", "scores")
    )
    assert dict.fromkeys(STAGES) == told["funnel"]


def test_baseline_has_no_outcome() -> None:
    """Null, not a word."""
    assert None is trial_json(trial_row(kind="baseline", attack=None, score=trial_score(outcome=None)))["outcome"]


def test_run() -> None:
    """With its snapshots' names and hashes; the specification is an object, not text."""
    told = run_json(run_row(), [trial_row(), trial_row(2)])

    assert ("r1", "running", "2026-11-25T15:00:00.000000001Z", 7) == tuple(
        told[key] for key in ("run", "status", "created", "seed")
    )
    assert {"schema": "run/1"} == told["spec"]
    assert [1, 2] == [trial["number"] for trial in told["trials"]]
    assert told == json.loads(json.dumps(told))
