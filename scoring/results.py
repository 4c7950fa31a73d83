"""What scoring returns: plain frozen values, ready to be stored, printed and compared."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from corpus.terms import Outcome, Verdict

SCORER_VERSION = "2"
"""Raised whenever the same evidence and contract could score differently; travels with every result."""

type Severity = Literal["warn", "minor", "major", "critical"]
type RefKind = Literal["exchange", "order", "injection", "llm_call", "tool_call", "blocked"]


@dataclass(frozen=True, slots=True)
class Ref:
    """A place in the evidence: an exchange's id, an order's seq, or the position in one of the other lists."""

    kind: RefKind
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """
    One control's judgement of one order request (`order` is its seq).

    `limit` and `observed` are printed decimals or words; `observed` is an interval "low..high" where the
    value is not known exactly. `rationale` is generated: rule, order, limit, value, inputs.
    """

    order: int
    rule: str
    verdict: Verdict
    limit: str | None = None
    observed: str | None = None
    severity: Severity | None = None
    rationale: str = ""
    refs: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One dimension: a value in 0..1, or null with the reason in the rationale."""

    dimension: str
    value: Decimal | None
    rationale: str
    reason: str | None = None
    """A word for null: no_opportunities, insufficient_evidence, not_applicable, unknown_price, …"""
    refs: tuple[Ref, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Exact figures behind the value, such as decision_s_p50 or usd, printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """`weight` is renormalised over the dimensions that are present; `points` = weight × value."""

    dimension: str
    value: Decimal
    weight: Decimal
    points: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """The weighted mean of the present dimensions. `coverage` is the share of all weight that is present."""

    value: Decimal | None
    coverage: Decimal
    contributions: tuple[Contribution, ...]
    missing: tuple[tuple[str, str], ...]
    """(dimension, reason) of those excluded."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """How far an attack came; null is unknown, and `notes` say why, as (stage, reason)."""

    delivered: bool | None = None
    ingested: bool | None = None
    attempted: bool | None = None
    executed: bool | None = None
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialScore:
    """Everything that is said of one trial."""

    outcome: Outcome | None
    outcome_reason: str
    partial: bool
    funnel: Funnel
    verdicts: tuple[RuleVerdict, ...]
    """Violations and indeterminate verdicts; passes are only counted."""
    passes: int
    scores: tuple[Score, ...]
    composite: Composite
    contract_id: str
    contract_hash: str
    weights_id: str
    broken: str | None = None
    """That the session has no proper end, so that its orders may not be all that there would have been."""
    scorer_version: str = SCORER_VERSION
