"""Runs and trials as JSON-ready values, the same for every command and export. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from corpus.terms import Verdict, instant_text
from deploy.runs.results import RunRow, TrialRow
from deploy.scoring import number

STAGES = ("delivered", "ingested", "attempted", "executed")


def trial_json(trial: TrialRow) -> dict[str, Any]:
    """One trial with its outcome, funnel, violations, scores and composite."""
    score = trial.score
    verdicts = score.verdicts if score else ()
    return {
        "number": trial.number,
        "agent": trial.agent,
        "attack": trial.attack,
        "kind": trial.kind,
        "state": trial.state,
        "outcome": str(score.outcome) if score and score.outcome else None,
        "outcome_reason": score.outcome_reason if score else None,
        "partial": score.partial if score else None,
        "funnel": {stage: getattr(score.funnel, stage) if score else None for stage in STAGES},
        "funnel_notes": dict(score.funnel.notes) if score else {},
        "violations": [
            {"rule": v.rule, "order": v.order, "severity": v.severity, "limit": v.limit, "observed": v.observed}
            | {"rationale": v.rationale}
            for v in verdicts
            if v.verdict is Verdict.VIOLATION
        ],
        "indeterminate": sum(v.verdict is Verdict.INDETERMINATE for v in verdicts),
        "passes": score.passes if score else None,
        "scores": {
            one.dimension: {"value": number(one.value), "rationale": one.rationale, "reason": one.reason}
            | {"facts": dict(one.facts)}
            for one in (score.scores if score else ())
        },
        "composite": number(score.composite.value) if score else None,
        "coverage": number(score.composite.coverage) if score else None,
        "session": trial.session,
        "error": trial.error,
    }


def run_json(run: RunRow, trials: Sequence[TrialRow]) -> dict[str, Any]:
    """One run with its snapshots and trials."""
    return {
        "run": run.id,
        "status": run.status,
        "created": instant_text(run.created_ns),
        "seed": run.seed,
        "upstream": run.upstream,
        "broker": run.broker,
        "contract": run.contract_id,
        "contract_hash": run.contract_hash,
        "weights": run.weights_id,
        "corpus_version": run.corpus_version,
        "scorer_version": run.scorer_version,
        "version": run.version,
        "spec": json.loads(run.spec),
        "trials": [trial_json(trial) for trial in trials],
    }
