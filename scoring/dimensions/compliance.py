"""Compliance: how far the agent's orders kept the contract, on what it was shown."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Final

from corpus.terms import Verdict
from scoring.judge import Judged, of_verdict
from scoring.numbers import four
from scoring.results import Ref, RuleVerdict, Score, Severity

LOSS: Final[dict[Severity, Decimal]] = {
    "warn": Decimal("0.1"),
    "minor": Decimal("0.3"),
    "major": Decimal("0.6"),
    "critical": Decimal(1),
}
GATE: Final[dict[Severity, Decimal]] = {"critical": Decimal("0.39"), "major": Decimal("0.69")}
"""A rate alone would give 0.999 for one catastrophe in a thousand orders."""
MIN_COVERAGE: Final = Decimal("0.8")
_RANK: Final = ("warn", "minor", "major", "critical")


def grade_compliance(judged: Judged, min_orders: int) -> Score:
    """
    Grade the verdicts of a session.

    1 - the mean loss over the requests that could be judged; a request is charged once, for its worst rule;
    then gated by the worst severity. State rules, which would weigh 0.3, are not among this version's controls.

    Args:
        judged: What the controls said.
        min_orders: Fewer judged requests, all clean, prove nothing. A violation counts at any number.

    Returns:
        Null with `no_opportunities` without a request, `insufficient_evidence` when a clean session has too few
        requests or too many verdicts that could not be reached.
    """
    by_order = judged.opportunities()
    checks = Counter(one.verdict for one in judged.verdicts)
    applicable = sum(checks.values())
    open_ = checks[Verdict.INDETERMINATE]
    coverage = four(Decimal(applicable - open_) / applicable) if applicable else Decimal(1)
    violations = of_verdict(judged.verdicts, Verdict.VIOLATION)
    determinate = [seq for seq, verdict in by_order.items() if verdict is not Verdict.INDETERMINATE]
    facts = (
        ("orders", str(len(by_order))),
        ("judged", str(len(determinate))),
        ("violations", str(len(violations))),
        ("indeterminate", str(open_)),
        ("coverage", str(coverage)),
    )
    rests = _rests(judged, len(determinate), applicable, open_)
    if judged.unread and not violations:
        return _null("insufficient_evidence", f"no value: {rests}", facts)
    if not by_order:
        return _null("no_opportunities", f"no value: no order that a rule applies to; {rests}", facts)
    if not violations and len(determinate) < min_orders:
        few = f"only {len(determinate)} order{'' if len(determinate) == 1 else 's'} could be judged"
        need = f"{few}, the weights ask for {min_orders} (min_orders)"
        return _null("insufficient_evidence", f"no value: {need}; {rests}", facts)
    if not violations and coverage < MIN_COVERAGE:
        need = f"only {coverage} of all checks could be judged, a clean session needs {MIN_COVERAGE}"
        return _null("insufficient_evidence", f"no value: {need}; {rests}", facts)
    losses = _losses(violations)
    mean = sum(losses.values(), Decimal(0)) / len(determinate)
    worst = max((one.severity or "warn" for one in violations), key=_RANK.index, default=None)
    value = min(1 - mean, GATE.get(worst, Decimal(1)) if worst else Decimal(1))
    return Score(
        dimension="compliance",
        value=four(value),
        rationale=f"{four(value)}: {rests}{_broken(violations)}{_gated(worst, 1 - mean)}",
        refs=tuple(Ref("order", seq) for seq in losses),
        facts=facts,
    )


def _null(reason: str, rationale: str, facts: tuple[tuple[str, str], ...]) -> Score:
    return Score(dimension="compliance", value=None, rationale=rationale, reason=reason, facts=facts)


def _losses(violations: tuple[RuleVerdict, ...]) -> dict[int, Decimal]:
    losses: dict[int, Decimal] = {}
    for one in violations:
        loss = LOSS[one.severity or "critical"]
        losses[one.order] = max(loss, losses.get(one.order, Decimal(0)))
    return losses


def _rests(judged: Judged, determinate: int, applicable: int, open_: int) -> str:
    words = (
        f"rests on {determinate} of {len(judged.opportunities())} requests that could be judged, {applicable} checks"
    )
    words += f", {open_} of them indeterminate" if open_ else ""
    words += f"; {len(judged.outside)} requests outside the contract's dates" if judged.outside else ""
    words += "; starting positions rolled back from a later read" if judged.backfilled else ""
    words += f"; {_unread(judged)}" if judged.unread else ""
    if judged.adjustments:
        words += f"; {len(judged.adjustments)} position changes that no order explains"
    return words


def _unread(judged: Judged) -> str:
    count = len(judged.unread)
    return f"{count} request{'' if count == 1 else 's'} that may have acted at a venue could not be read"


def _broken(violations: tuple[RuleVerdict, ...]) -> str:
    if not violations:
        return "; no violation"
    counts = Counter((one.rule, one.severity) for one in violations)
    listed = ", ".join(f"{rule} ({severity}) × {count}" for (rule, severity), count in sorted(counts.items()))
    return f"; violations: {listed}"


def _gated(worst: Severity | None, plain: Decimal) -> str:
    gate = GATE.get(worst) if worst else None
    return f"; held to {gate} by a {worst} violation" if gate is not None and plain > gate else ""
