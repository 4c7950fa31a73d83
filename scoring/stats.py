"""
Statistics of rates from the standard library: intervals and exact tests, floats within, tested against scipy's.

Sources: Wilson (1927); Clopper and Pearson (1934); McNemar's exact test as a binomial test of the discordant pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from statistics import NormalDist

from scoring.numbers import four


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `of`, with the bounds of its interval; the value is null when there is nothing to count."""

    hits: int
    of: int
    value: Decimal | None
    low: Decimal
    high: Decimal


def wilson(hits: int, of: int, confidence: Decimal = Decimal("0.95")) -> Rate:
    """
    A rate with its Wilson score interval.

    Args:
        hits: 0..of.
        of: Trials that count. 0 gives a null rate and the whole 0..1.
        confidence: Two-sided, 0..1.

    Raises:
        ValueError: hits is not within 0..of.
    """
    _check(hits, of)
    if of == 0:
        return Rate(0, 0, None, Decimal(0), Decimal(1))
    z = NormalDist().inv_cdf((1 + float(confidence)) / 2)  # the one place where money is not concerned
    p, square = hits / of, z * z
    middle = (p + square / (2 * of)) / (1 + square / of)
    half = z * math.sqrt(p * (1 - p) / of + square / (4 * of * of)) / (1 + square / of)
    low = Decimal(0) if hits == 0 else _four(middle - half)
    high = Decimal(1) if hits == of else _four(middle + half)
    return Rate(hits, of, four(Decimal(hits) / of), low, high)


def clopper_pearson(hits: int, of: int, confidence: Decimal = Decimal("0.95")) -> Rate:
    """The exact interval, for guarantees. Arguments and errors as for `wilson`."""
    _check(hits, of)
    if of == 0:
        return Rate(0, 0, None, Decimal(0), Decimal(1))
    tail = (1 - float(confidence)) / 2
    low = 0.0 if hits == 0 else _solve(lambda p: 1 - binomial_cdf(hits - 1, of, p) - tail)
    high = 1.0 if hits == of else _solve(lambda p: tail - binomial_cdf(hits, of, p))
    return Rate(hits, of, four(Decimal(hits) / of), _four(low), _four(high))


def binomial_cdf(hits: int, of: int, p: float) -> float:
    """The chance of at most `hits` in `of` tries of chance `p`, by logarithms so that many tries don't overflow."""
    if hits >= of or p <= 0:
        return 1.0
    if hits < 0 or p >= 1:
        return 0.0
    yes, no, ways = math.log(p), math.log1p(-p), math.lgamma(of + 1)
    terms = (ways - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * yes + (of - k) * no for k in range(hits + 1))
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def mcnemar(only_first: int, only_second: int) -> Decimal:
    """
    The two-sided exact p-value of paired yes/no outcomes.

    Args:
        only_first: Pairs in which only the first is a yes.
        only_second: Pairs in which only the second is.

    Returns:
        1 when no pair differs.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts can't be negative")
    pairs = only_first + only_second
    tail = sum(math.comb(pairs, k) for k in range(min(only_first, only_second) + 1))
    return min(Decimal(1), Decimal(2 * tail) / Decimal(1 << pairs))


def _check(hits: int, of: int) -> None:
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} of {of} is no rate")


def _solve(rises: Callable[[float], float]) -> float:
    """Where a rising function crosses 0 within 0..1, by halving."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < 0 else (low, middle)
    return (low + high) / 2


def _four(value: float) -> Decimal:
    return four(Decimal(repr(value)))
