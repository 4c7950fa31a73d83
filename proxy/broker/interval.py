"""A quantity that is known exactly, within bounds, or not at all. Pure arithmetic."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from typing import Final

ZERO: Final = Decimal(0)
EXACT: Final = Context(prec=200)
"""Sums and products of `bounded` numbers stay exact in this context, so that what is added can be taken off again."""
_LARGEST: Final = Decimal("1e40")
_FINEST: Final = Decimal("1e-36")


@dataclass(frozen=True, slots=True)
class Interval:
    """Every value from `low` to `high`, both included; a null bound is no bound."""

    low: Decimal | None
    high: Decimal | None

    @property
    def exact(self) -> Decimal | None:
        """The value, when there is only one."""
        return self.low if self.low is not None and self.low == self.high else None

    def __add__(self, other: Interval) -> Interval:
        return Interval(_add(self.low, other.low), _add(self.high, other.high))

    def __neg__(self) -> Interval:
        return Interval(None if self.high is None else -self.high, None if self.low is None else -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def times(self, other: Interval) -> Interval:
        """The product; both must be bounded below by 0."""
        assert self.low is not None
        assert other.low is not None
        if self.exact == 0 or other.exact == 0:
            return NOTHING
        high = None if self.high is None or other.high is None else self.high * other.high
        return Interval(self.low * other.low, high)

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Interval(low, high)

    def floor(self, least: Decimal = ZERO) -> Interval:
        """Bounds below `least` are raised to it."""
        low = least if self.low is None else max(self.low, least)
        return Interval(low, None if self.high is None else max(self.high, least))

    def size(self) -> Interval:
        """The absolute value."""
        if self.low is not None and self.low >= 0:
            return self
        if self.high is not None and self.high <= 0:
            return -self
        high = None if self.low is None or self.high is None else max(-self.low, self.high)
        return Interval(ZERO, high)

    def above(self, limit: Decimal) -> bool | None:
        """Whether the value exceeds the limit: true and false only when every value agrees."""
        if self.low is not None and self.low > limit:
            return True
        return False if self.high is not None and self.high <= limit else None


def exactly[**P, R](read: Callable[P, R]) -> Callable[P, R]:
    """Let a function compute in the `EXACT` context, whatever its caller's is."""

    @functools.wraps(read)
    def within(*args: P.args, **kwargs: P.kwargs) -> R:
        with localcontext(EXACT):
            return read(*args, **kwargs)

    return within


def _add(one: Decimal | None, two: Decimal | None) -> Decimal | None:
    return None if one is None or two is None else one + two


def only(value: Decimal) -> Interval:
    """The interval of one value."""
    return Interval(value, value)


def bounded(amount: Decimal) -> Interval:
    """
    A stated size of 0 or more, within what sums can hold.

    A number beyond 1e40 is at least that much; digits after the 36th place become bounds. No venue has either,
    but an agent may send them.
    """
    if amount >= _LARGEST:
        return Interval(_LARGEST, None)
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -36:
        return Interval(amount.quantize(_FINEST, ROUND_FLOOR, EXACT), amount.quantize(_FINEST, ROUND_CEILING, EXACT))
    return only(amount)


def quotient(amount: Decimal, most: Decimal, least: Decimal) -> Interval:
    """amount / most..least, rounded outwards; the divisors are positive."""
    low = bounded(EXACT.divide(amount, most)).low
    return Interval(low, bounded(EXACT.divide(amount, least)).high)


NOTHING: Final = Interval(ZERO, ZERO)
UNKNOWN: Final = Interval(None, None)
AT_LEAST_NOTHING: Final = Interval(ZERO, None)


@dataclass(slots=True)
class Total:
    """A running sum of interval bounds; `open` counts the addends without an upper bound."""

    low: Decimal = ZERO
    high: Decimal = ZERO
    open: int = 0

    def add(self, value: Interval, sign: int = 1) -> None:
        self.low += sign * (value.low or ZERO)
        if value.high is None:
            self.open += sign
        else:
            self.high += sign * value.high

    def interval(self) -> Interval:
        return Interval(self.low, None if self.open else self.high)
