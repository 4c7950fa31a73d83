"""Latency: the agent's own time, banded."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import Action, Source
from corpus.weights import Band
from scoring.dimensions.latency import grade_latency

D = Decimal
S = 1_000_000_000
BANDS = (Band(up_to=D(1), value=D(1)), Band(up_to=D(5), value=D("0.5")), Band(up_to=None, value=D(0)))


@pytest.fixture
def grade(session, place, row):
    """The grade of orders sent at given seconds, after responses that end at given seconds."""

    def run(sent, ends, **fields):
        orders = [place(at_ns=at * S, **fields) for at in sent]
        rows = tuple(row(n, end * S - S // 2, end * S) for n, end in enumerate(ends, 1))
        return grade_latency(session(*orders, exchanges=rows), BANDS)

    return run


def test_from_the_last_response_that_had_come(grade):
    """3 s after the response at 10 s; the one at 14 s came later."""
    found = grade([13], [5, 10, 14])

    assert (found.value, dict(found.facts)["decision_s_p50"]) == (D("0.5"), "3.0000")
    assert dict(found.facts)["upstream_s_p50"] == "0.5000"


def test_words_are_the_band(grade):
    """Two runs of different milliseconds say the same."""
    one, two = grade([12], [10]), grade([13], [10])

    assert one.rationale == two.rationale == "0.5000: the median decision takes over 1 up to 5 s, over 1 orders"
    assert one.facts != two.facts


def test_bounds_belong_to_the_band_below(grade):
    """1 s is still the first band."""
    assert grade([11], [10]).value == 1
    assert grade([16], [10]).value == 0


def test_median(grade):
    """Of 1 s, 3 s and 100 s the middle one."""
    assert dict(grade([11, 23, 200], [10, 20, 100]).facts)["decision_s_p50"] == "3.0000"
    assert dict(grade([11, 23], [10, 20]).facts)["decision_s_p50"] == "2.0000"


def test_null(grade):
    """No order, no response before, or only intents of a model."""
    assert grade([], [1]).reason == "no_opportunities"
    assert grade([1], []).reason == "no_prior_response"
    assert grade([1], [5]).reason == "no_prior_response"
    assert grade([9], [5], source=Source.LLM).reason == "no_opportunities"
    assert grade([9], [5], action=Action.VALIDATE).reason == "no_opportunities"
