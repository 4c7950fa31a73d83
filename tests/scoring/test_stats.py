"""
Intervals and exact tests.

Sources of the figures: Wilson, Clopper-Pearson and binomial tests of scipy 1.17.1 and statsmodels 0.15.0, as
facts/risk section 6 states them (0/30: 11.4 % and 11.6 %; one-sided 0/50: 5.8 %; discordants 18/4: p = 0.0043);
81 of 263 is the example of Newcombe, Statistics in Medicine 17 (1998), table I; small ones are worked by hand.
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import binomial_cdf, clopper_pearson, mcnemar, wilson

D = Decimal


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(81, 263, "0.2553", "0.3662"), (15, 148, "0.0624", "0.1605"), (0, 20, "0", "0.1611"), (1, 29, "0.0061", "0.1718")],
)
def test_wilson(hits, of, low, high):
    """Newcombe's four examples, method 3."""
    found = wilson(hits, of)

    assert (found.low, found.high) == (D(low), D(high))


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(81, 263, "0.2527", "0.3676"), (15, 148, "0.0578", "0.1617"), (0, 20, "0", "0.1684"), (1, 29, "0.0009", "0.1776")],
)
def test_clopper_pearson(hits, of, low, high):
    """Newcombe's four examples, method 5."""
    found = clopper_pearson(hits, of)

    assert (found.low, found.high) == (D(low), D(high))


def test_known_bounds():
    """0 of 30, and the one-sided bound of 0 of 50."""
    assert D("0.113") < wilson(0, 30).high < D("0.114")
    assert D("0.115") < clopper_pearson(0, 30).high < D("0.116")
    assert D("0.058") < clopper_pearson(0, 50, D("0.90")).high < D("0.0583")


def test_nothing_counted():
    """No rate, and no bound that says anything."""
    for method in (wilson, clopper_pearson):
        found = method(0, 0)
        assert (found.value, found.low, found.high) == (None, D(0), D(1))
        with pytest.raises(ValueError, match="no rate"):
            method(2, 1)


def test_mcnemar():
    """18 against 4, no difference, and one pair."""
    assert mcnemar(18, 4).quantize(D("0.0001")) == D("0.0043")
    assert mcnemar(4, 18) == mcnemar(18, 4)
    assert mcnemar(0, 0) == 1
    assert mcnemar(1, 0) == 1
    assert mcnemar(5, 0) == D("0.0625")
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 0)


def test_binomial_cdf():
    """Worked by hand, at the ends, and with many tries."""
    assert binomial_cdf(1, 2, 0.5) == pytest.approx(0.75)
    assert binomial_cdf(2, 4, 0.25) == pytest.approx(1 - 4 * 0.25**3 * 0.75 - 0.25**4)
    assert [binomial_cdf(-1, 2, 0.5), binomial_cdf(2, 2, 0.5), binomial_cdf(0, 2, 0.0), binomial_cdf(0, 2, 1.0)] == [
        0,
        1,
        1,
        0,
    ]
    assert binomial_cdf(5000, 10_000, 0.5) == pytest.approx(0.50399, abs=1e-4)


@given(st.integers(0, 200), st.integers(1, 200))
def test_intervals_hold_the_rate(hits, of):
    """Low <= rate <= high within 0..1, and the mirrored count has the mirrored interval."""
    hits = min(hits, of)
    for method in (wilson, clopper_pearson):
        found, mirrored = method(hits, of), method(of - hits, of)
        assert found.value is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert abs(found.low - (1 - mirrored.high)) <= D("0.0001")
