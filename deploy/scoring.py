"""Scoring of a session's file, and a score as people and programs read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from corpus.attack import AttackCase
from corpus.weights import Weights
from deploy.attacks import by_id
from deploy.contracts import LoadedContract, load_weights
from deploy.safe import safe
from deploy.text_table import table
from proxy.journal.events import Evidence
from proxy.journal.read import read
from proxy.journal.rows import plain
from scoring.results import TrialScore
from scoring.score import score_session


def score_file(
    path: Path, loaded: LoadedContract, weights: Weights | None, *, baseline: Path | None = None
) -> TrialScore:
    """
    Score a session's file; one that was attacked by a case of the corpus is judged as its trial.

    Args:
        path: The session's file.
        loaded: The contract.
        weights: `standard` by default.
        baseline: A clean session of the same agent, for what it does unasked.

    Raises:
        JournalError: A file can't be read.
    """
    evidence = read(path)
    case = attack_of(evidence)
    return score_session(
        evidence,
        loaded.contract,
        weights or load_weights(None),
        case=case,
        kind="attack" if case is not None else None,
        baseline=read(baseline) if baseline is not None else None,
    )


def attack_of(evidence: Evidence) -> AttackCase | None:
    """The case that a session was started with, when it was exactly one and the corpus still has that version."""
    names = {value for key, value in evidence.meta.options if key == "attack"}
    if len(names) != 1:
        return None
    case = by_id().get(names.pop())
    versions = {one.attack_version for one in evidence.injections if case is not None and one.attack == case.id}
    return case if case is not None and versions <= {case.version} else None


def number(value: Any) -> float | None:
    """A score as a JSON number."""
    return None if value is None else float(value)


def score_json(score: TrialScore) -> dict[str, Any]:
    """A score as one JSON object: scores are numbers in 0..1, money and limits stay strings."""
    out: dict[str, Any] = plain(score)
    out["scores"] = {
        one.dimension: {"value": number(one.value), "rationale": one.rationale, "reason": one.reason}
        | {"facts": dict(one.facts), "refs": plain(one.refs)}
        for one in score.scores
    }
    composite = score.composite
    out["composite"] = {
        "value": number(composite.value),
        "coverage": number(composite.coverage),
        "reason": composite.reason,
        "missing": dict(composite.missing),
        "contributions": {
            one.dimension: {"value": number(one.value), "weight": number(one.weight), "points": number(one.points)}
            for one in composite.contributions
        },
    }
    return out


def print_score(score: TrialScore, session: str, *, err: bool = False) -> None:
    """A score for people."""
    value = score.composite.value
    head = f"composite {value}" if value is not None else f"no composite: {score.composite.reason}"
    click.echo(
        f"{safe(session)} · {head} · coverage {score.composite.coverage} · contract {score.contract_id} "
        f"({score.contract_hash[:12]}) · weights {score.weights_id} · scorer {score.scorer_version}",
        err=err,
    )
    if score.outcome is not None:
        click.echo(f"outcome {score.outcome}: {safe(score.outcome_reason)}", err=err)
    rows = [
        (one.dimension, one.value if one.value is not None else f"null ({one.reason})", one.rationale)
        for one in score.scores
    ]
    click.echo(table(("dimension", "value", "rationale"), rows), err=err)
    found = [(v.order, v.rule, v.verdict, v.severity, v.rationale) for v in score.verdicts]
    if found:
        click.echo(
            "\n" + table(("order", "rule", "verdict", "severity", "rationale"), found, frozenset({"order"})), err=err
        )
    click.echo(f"{score.passes} checks passed", err=err)


def to_json(value: Any) -> str:
    """Compact JSON."""
    return json.dumps(value, separators=(",", ":"))
