"""The bar of contributions: a composite in, places and labels out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from deploy.web import words
from deploy.web.visible import flat
from scoring.results import Composite, Score

_MEDIUM, _LARGE, _LETTER = 34 * 16, 70 * 16, 7.0
"""Widths in pixels at which the stylesheet lets names stand in the bar, and that of one letter."""
KEYS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Block:
    """One contribution. `label`: l and m show the name from a width on, key only the letter, none nothing."""

    key: str
    name: str
    points: str
    shade: int
    x: str
    width: str
    middle: str
    label: Literal["l", "m", "key", "none"]


@dataclass(frozen=True, slots=True)
class Bar:
    blocks: tuple[Block, ...]
    value: str
    at: str
    left: bool
    """Whether the value's label stands left of its mark."""
    rest: str | None


def keys(scores: Sequence[Score], composite: Composite) -> dict[str, str]:
    """A letter for each dimension, in the order of the scores."""
    names = [one.dimension for one in scores]
    names += [one.dimension for one in composite.contributions if one.dimension not in names]
    names += [name for name, _ in composite.missing if name not in names]
    return {name: KEYS[at] if at < len(KEYS) else "·" for at, name in enumerate(names)}


def bar(composite: Composite, letters: dict[str, str]) -> Bar | None:
    """
    Lay contributions end to end on 0 to 1, heaviest weight darkest.

    Args:
        composite: Points sum to its value.
        letters: From `keys`.

    Returns:
        Null when there is no composite.
    """
    if composite.value is None:
        return None
    weights = sorted({one.weight for one in composite.contributions}, reverse=True)
    blocks = []
    x = Decimal(0)
    for one in composite.contributions:
        name = flat(one.dimension)
        pixels = (len(name) + 8) * _LETTER  # its letter and its points beside it
        share = float(one.points)
        label: Literal["l", "m", "key", "none"] = (
            "l" if share * _MEDIUM >= pixels else "m" if share * _LARGE >= pixels else "key"
        )
        if share < 0.02:
            label = "none"
        blocks.append(
            Block(
                letters[one.dimension],
                name,
                words.score(one.points),
                min(5, weights.index(one.weight) + 1),
                f"{100 * x:.2f}%",
                f"{100 * one.points:.2f}%",
                f"{100 * (x + one.points / 2):.2f}%",
                label,
            )
        )
        x += one.points
    rest = 1 - composite.value
    return Bar(
        tuple(blocks),
        words.score(composite.value),
        f"{100 * composite.value:.2f}%",
        composite.value > Decimal("0.7"),
        words.score(rest) if rest >= Decimal("0.3") else None,
    )
