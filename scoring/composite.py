"""One number of several scores: the weighted mean of those that are there, and how much of the weight that is."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from corpus.weights import Weights
from scoring.numbers import four
from scoring.results import Composite, Contribution, Score

_MISSING: Final = "missing_required"
_NO_SCORES: Final = "no_scores"


def compose(scores: Sequence[Score], weights: Weights) -> Composite:
    """
    Weigh scores.

    Args:
        scores: One per dimension; null values are left out and the other weights renormalised.
        weights: Dimensions without a weight, or with 0, are shown but do not count.

    Returns:
        Null with `missing_required` when a required dimension has no value, `no_scores` when none has.
        `coverage` is the share of all weight that is present, so that a mean of little is seen to be one.
    """
    by_name = {score.dimension: score for score in scores}
    total = sum(weights.weights.values(), Decimal(0))
    weighed = {name: weight for name, weight in weights.weights.items() if weight}
    present = {name: w for name, w in weighed.items() if name in by_name and by_name[name].value is not None}
    share = sum(present.values(), Decimal(0))
    contributions, exact = [], Decimal(0)
    for name, weight in present.items():
        value = by_name[name].value
        assert value is not None
        exact += value * weight
        part = weight / share
        contributions.append(Contribution(dimension=name, value=value, weight=four(part), points=four(part * value)))
    missing = tuple((name, _reason(by_name.get(name))) for name in weighed if name not in present)
    lost = [name for name in weights.required if name not in present]
    reason = f"{_MISSING}: {', '.join(lost)}" if lost else None if present else _NO_SCORES
    return Composite(
        value=four(exact / share) if reason is None else None,
        coverage=four(share / total),
        contributions=tuple(contributions),
        missing=missing,
        reason=reason,
    )


def why_null(composite: Composite, scores: Sequence[Score]) -> str:
    """
    In words, why a composite has no value: "compliance is required and has no value: only 2 orders …".

    Args:
        composite: One without a value.
        scores: Those that it was made of.
    """
    by_name = {score.dimension: score for score in scores}
    head, _, names = (composite.reason or "").partition(f"{_MISSING}: ")
    if head or not names:
        if composite.reason == _NO_SCORES:
            return "no dimension that weighs anything has a value"
        return (composite.reason or "no reason was given").replace("_", " ")
    return "; ".join(f"{name} is required and has no value: {_first(by_name.get(name))}" for name in names.split(", "))


def _first(score: Score | None) -> str:
    """The first clause of a rationale; what it rests on follows in the dimension's own line."""
    if score is None:
        return "not evaluated"
    return score.rationale.removeprefix("no value: ").split("; ")[0] or _reason(score)


def _reason(score: Score | None) -> str:
    return "not_evaluated" if score is None else score.reason or "not_evaluated"
