"""Scoring of a session's file, and a score as people and programs read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from corpus.attack import AttackCase
from corpus.terms import Verdict
from corpus.weights import Weights
from deploy.attacks import by_id
from deploy.contracts import LoadedContract, load_weights
from deploy.errors import UserError
from deploy.safe import safe
from deploy.text_table import table
from proxy.journal.events import Evidence
from proxy.journal.read import read
from proxy.journal.rows import plain
from scoring.composite import why_null
from scoring.controls.base import cut
from scoring.results import Funnel, TrialScore
from scoring.score import NOT_EVALUATED, score_session


def score_file(
    path: Path, loaded: LoadedContract, weights: Weights | None, *, baseline: Path | None = None
) -> TrialScore:
    """
    Score a session's file; one that was attacked by a case of the corpus is judged as its trial.

    Args:
        path: The session's file.
        loaded: The contract.
        weights: `standard` by default.
        baseline: A clean session of the same agent, for what it does unasked; one with a benign control is clean.

    Raises:
        JournalError: A file can't be read.
        UserError: The baseline is the session itself, or was attacked.
    """
    evidence = read(path)
    clean = None if baseline is None else _clean(baseline, path, evidence)
    case, unjudged = attack_of(evidence)
    return score_session(
        evidence,
        loaded.contract,
        weights or load_weights(None),
        case=case,
        kind="attack" if case is not None or unjudged is not None else None,
        baseline=clean,
        unjudged=unjudged,
    )


def _clean(baseline: Path, path: Path, evidence: Evidence) -> Evidence:
    found = read(baseline)
    same = (found.meta.id, found.meta.created_ns) == (evidence.meta.id, evidence.meta.created_ns)
    if same or baseline.resolve() == path.resolve():
        raise UserError("--baseline is the session itself, which would explain all of its orders; name a clean one")
    if attacks := _attacks(found):
        raise UserError(
            f"--baseline {found.meta.id} was attacked itself ({', '.join(attacks)}); "
            "name a session of the same agent without --attack"
        )
    return found


def _attacks(evidence: Evidence) -> list[str]:
    """The ids of the cases that a session was started with, or was attacked by."""
    asked = {value for key, value in evidence.meta.options if key == "attack"}
    return sorted(asked | {one.attack for one in evidence.injections if one.kind == "attack"})


def attack_of(evidence: Evidence) -> tuple[AttackCase | None, str | None]:
    """
    The case that a session is the trial of.

    Returns:
        The case, when it was attacked by exactly one and the corpus still has that version; else, when it was
        attacked, why it can't be judged as a trial.
    """
    names = _attacks(evidence)
    if len(names) != 1:
        return None, f"{len(names)} attacks in one session: no single outcome" if names else None
    case = by_id().get(names[0])
    if case is None:
        return None, f"it was attacked by {cut(names[0])}, which this corpus does not have"
    others = {one.attack_version for one in evidence.injections if one.attack == case.id} - {case.version}
    if others:
        old = ", ".join(str(version) for version in sorted(others))
        return None, f"it was attacked by version {old} of {case.id}, this corpus has version {case.version}"
    return case, None


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
    """A score for people; the verdicts come last, where a terminal shows them."""
    value = score.composite.value
    head = f"composite {value}" if value is not None else f"no composite: {why_null(score.composite, score.scores)}"
    click.echo(
        f"{safe(session)} · {safe(head)} · coverage {score.composite.coverage} · contract {score.contract_id} "
        f"({score.contract_hash[:12]}) · weights {score.weights_id} · scorer {score.scorer_version}",
        err=err,
    )
    if score.outcome is not None:
        click.echo(f"outcome {score.outcome}: {safe(score.outcome_reason)}", err=err)
        click.echo(f"funnel {safe(_funnel(score.funnel))}", err=err)
    if score.broken is not None:
        click.echo(f"{safe(score.broken)}: what it shows may not be all that the agent would have done", err=err)
    rows = [
        (one.dimension, one.value if one.value is not None else f"null ({one.reason})", one.rationale)
        for one in score.scores
        if one.reason != NOT_EVALUATED
    ]
    click.echo(table(("dimension", "value", "rationale"), rows), err=err)
    left = [one.dimension for one in score.scores if one.reason == NOT_EVALUATED]
    if left:
        click.echo(f"not evaluated by this version: {', '.join(left)}", err=err)
    ranked = sorted(score.verdicts, key=lambda one: one.verdict is not Verdict.VIOLATION)
    broken = sum(one.verdict is Verdict.VIOLATION for one in ranked)
    counts = (
        f"{_many(score.passes, 'check')} passed, {_many(broken, 'violation')}, {len(ranked) - broken} indeterminate"
    )
    click.echo(counts, err=err)
    found = [(v.order, v.rule, v.verdict, v.severity, v.rationale) for v in ranked]
    if found:
        click.echo(
            "\n" + table(("order", "rule", "verdict", "severity", "rationale"), found, frozenset({"order"})), err=err
        )


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _funnel(funnel: Funnel) -> str:
    """ "delivered yes · ingested unknown · …", with the reasons that it gives."""
    words = {True: "yes", False: "no", None: "unknown"}
    notes = dict(funnel.notes)
    stages = [
        (stage, words[getattr(funnel, stage)], notes.get(stage))
        for stage in ("delivered", "ingested", "attempted", "executed")
    ]
    return " · ".join(f"{stage} {word}" + (f" ({why})" if why else "") for stage, word, why in stages)


def to_json(value: Any) -> str:
    """Compact JSON."""
    return json.dumps(value, separators=(",", ":"))
