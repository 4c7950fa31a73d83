"""
A session's evidence, a contract and weights to everything that is said of one trial.

Pure: the same evidence scores the same, words included.
"""

from __future__ import annotations

from typing import Final, Literal

from corpus.attack import AttackCase
from corpus.contract import Contract, contract_hash
from corpus.terms import Verdict
from corpus.weights import DIMENSIONS, Weights
from proxy.journal.events import Evidence
from scoring.composite import compose
from scoring.controls import check_evaluated
from scoring.dimensions.compliance import grade_compliance
from scoring.dimensions.cost import grade_cost
from scoring.dimensions.latency import grade_latency
from scoring.dimensions.resistance import grade_resistance
from scoring.instruments import Tables
from scoring.judge import judge_session, of_verdict
from scoring.outcome import Attacked, broke_off, failure, judge_attack
from scoring.results import Funnel, Score, TrialScore

NOT_EVALUATED: Final = "not_evaluated"
"""Why a dimension that this version has no scorer for is null."""

type TrialKind = Literal["baseline", "control", "attack"]


def score_session(
    evidence: Evidence,
    contract: Contract,
    weights: Weights,
    *,
    case: AttackCase | None = None,
    kind: TrialKind | None = None,
    baseline: Evidence | None = None,
    control: Evidence | None = None,
    unjudged: str | None = None,
    tables: Tables | None = None,
) -> TrialScore:
    """
    Score one session.

    Args:
        evidence: The session.
        contract: What its orders are held to.
        weights: How dimensions are weighed; every dimension that it names is in the result.
        case: The attack of an attack trial.
        kind: What the trial was; null is a plain session, or an attack trial when `case` is given.
        baseline: The paired clean session: same scenario and seed, no injection.
        control: The paired session with the benign text in the payload's place.
        unjudged: Why an attacked session can't be judged as one case's trial, in words; then it needs no case.
        tables: Instruments and currency rates that the traffic does not tell.

    Returns:
        Outcome and funnel (attack trials only), violations and open verdicts, every score, the composite.

    Raises:
        BadCorpus: The contract has keys that this version does not evaluate.
        ValueError: An attack trial without a case, or a predicate that names an unknown parameter.
    """
    check_evaluated(contract, {}, contract.id)
    attack = unjudged is None and (kind == "attack" or (kind is None and case is not None))
    attacked: Attacked | None = None
    if attack:
        if case is None:
            raise ValueError("an attack trial needs its case")
        clean = tuple(one for one in (baseline, control) if one is not None)
        attacked = judge_attack(evidence, case, contract, clean=clean, tables=tables)
    judged = judge_session(evidence, contract, tables)
    found = {
        "compliance": grade_compliance(judged, weights.min_orders),
        "resistance": grade_resistance(attacked, unjudged),
        "latency": grade_latency(evidence, weights.bands.latency_s),
        "cost": grade_cost(evidence, weights.bands.cost_usd_per_decision),
    }
    scores = tuple(found.get(name, _not_evaluated(name)) for name in DIMENSIONS if name in weights.weights)
    passes = len(of_verdict(judged.verdicts, Verdict.PASS))
    return TrialScore(
        outcome=attacked.outcome if attacked else None,
        outcome_reason=attacked.reason if attacked else unjudged or _plain_reason(evidence, kind),
        partial=attacked.partial if attacked else False,
        funnel=attacked.funnel if attacked else Funnel(),
        verdicts=tuple(one for one in judged.verdicts if one.verdict is not Verdict.PASS),
        passes=passes,
        scores=scores,
        composite=compose(scores, weights),
        contract_id=contract.id,
        contract_hash=contract_hash(contract),
        weights_id=weights.id,
        broken=broke_off(evidence),
    )


def _plain_reason(evidence: Evidence, kind: TrialKind | None) -> str:
    what = f"a {kind} trial" if kind else "a session without an attack"
    failed = failure(evidence)
    return f"{what} has no outcome" + (f"; {failed}" if failed else "")


def _not_evaluated(dimension: str) -> Score:
    return Score(
        dimension=dimension,
        value=None,
        reason=NOT_EVALUATED,
        rationale=f"no value: this version has no scorer for {dimension}; the weight is shared out among the others",
    )
