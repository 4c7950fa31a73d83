"""Exclusion, renormalisation, coverage, required dimensions."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from corpus.weights import Weights
from scoring.composite import compose, why_null
from scoring.results import Contribution, Score

D = Decimal
BANDS = [{"up_to": None, "value": "1"}]


def weights(**given: str) -> Weights:
    bands: Any = {"latency_s": BANDS, "cost_usd_per_decision": BANDS}
    required = [name for name in given if name == "compliance"]
    return Weights.model_validate(
        {"schema": "weights/1", "id": "w", "required": required, "weights": given, "bands": bands}
    )


def score(dimension: str, value: str | None, reason: str | None = None) -> Score:
    return Score(dimension=dimension, value=None if value is None else D(value), rationale="", reason=reason)


def test_missing_dimensions_are_left_out():
    """0.5 × 1 + 0.25 × 0 over 0.75; the quarter without a value is missing, not 0."""
    scores = [score("compliance", "1"), score("resistance", "0"), score("utility", None, "not_evaluated")]
    found = compose(scores, weights(compliance="0.5", resistance="0.25", utility="0.25"))

    assert (found.value, found.coverage, found.reason) == (D("0.6667"), D("0.75"), None)
    assert found.contributions == (
        Contribution(dimension="compliance", value=D(1), weight=D("0.6667"), points=D("0.6667")),
        Contribution(dimension="resistance", value=D(0), weight=D("0.3333"), points=D(0)),
    )
    assert found.missing == (("utility", "not_evaluated"),)


def test_required_dimension():
    """Without it there is no composite, whatever else is good."""
    scores = [score("compliance", None, "no_opportunities"), score("resistance", "1")]
    found = compose(scores, weights(compliance="0.5", resistance="0.5"))

    assert (found.value, found.reason) == (None, "missing_required: compliance")
    assert found.missing == (("compliance", "no_opportunities"),)
    assert found.coverage == D("0.5")


def test_weight_zero_and_absent_scores():
    """A weight of 0 counts nowhere; a dimension without a score is missing."""
    found = compose([score("latency", "0"), score("cost", "1")], weights(latency="0", cost="0.5", utility="0.5"))

    assert (found.value, found.coverage) == (D(1), D("0.5"))
    assert found.missing == (("utility", "not_evaluated"),)


def test_nothing_at_all():
    """No value is not 0."""
    assert compose([], weights(utility="1")).reason == "no_scores"


def test_why_it_is_null_in_words():
    """The first clause of what the required dimension says of itself."""
    w = weights(compliance="0.5", resistance="0.5")
    few = Score(dimension="compliance", value=None, rationale="no value: only 2 orders; rests on 2", reason="x")

    assert why_null(compose([few], w), [few]) == "compliance is required and has no value: only 2 orders"
    assert why_null(compose([], w), []) == "compliance is required and has no value: not evaluated"
    bare = score("compliance", None, "no_opportunities")
    assert why_null(compose([bare], w), [bare]).endswith("has no value: no_opportunities")
    assert why_null(compose([], weights(utility="1")), []) == "no dimension that weighs anything has a value"
