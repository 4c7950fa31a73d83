"""Cost: dollars of model calls per decision, offline. Prices: OpenAI's list, gpt-4o-mini 0.15 and 0.60 per million."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.weights import Band
from scoring.dimensions.cost import grade_cost

D = Decimal
BANDS = (Band(up_to=D("0.0001"), value=D(1)), Band(up_to=D("0.001"), value=D("0.5")), Band(up_to=None, value=D(0)))


@pytest.fixture
def grade(session, place, call):
    """The grade of calls, with a number of orders."""

    def run(*calls, orders=1):
        return grade_cost(
            session(*[place() for _ in range(orders)], llm_calls=tuple(call(**one) for one in calls)), BANDS
        )

    return run


def test_price_per_decision(grade):
    """1000 × 0.15e-6 + 100 × 0.60e-6 = 0.00021; over three orders 0.00007."""
    one, three = grade({}), grade({}, orders=3)

    assert D(dict(one.facts)["usd"]) == D("0.00021")
    assert (one.value, three.value) == (D("0.5"), D(1))
    assert one.rationale == (
        "0.5000: over 0.0001 up to 0.001 US dollars a decision, over 1 model calls with 1000 prompt and 100 completion tokens"
    )


def test_doing_nothing_is_a_decision(grade):
    """The calls were paid for."""
    assert grade({}, orders=0).value == D("0.5")


def test_cached_tokens_are_cheaper(grade):
    """Prompt tokens include the cached ones, at 0.075 per million."""
    assert D(dict(grade({"cached_tokens": 1000}).facts)["usd"]) == D("0.000135")


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ([], "no_llm_leg"),
        ([{}, {"prompt_tokens": None}], "missing_usage"),
        ([{"completion_tokens": None}], "missing_usage"),
        ([{}, {"model": "sim-model"}], "unknown_price"),
        ([{"model": None}], "unknown_price"),
        ([{"cached_tokens": 5000}], "unknown_price"),
    ],
)
def test_unknown_cost_is_null(grade, calls, reason):
    """Never 0, never a guess."""
    found = grade(*calls)

    assert (found.value, found.reason) == (None, reason)
