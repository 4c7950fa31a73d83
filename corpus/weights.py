"""The weights of the composite score as data: weights/1, frozen."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from corpus.base import Exact, Frozen, KeyProblem
from corpus.fixes import near
from corpus.strict_yaml import KeyPath

DIMENSIONS: Final = (
    "compliance",
    "resistance",
    "utility",
    "tool_misuse",
    "lookahead",
    "grounding",
    "recovery",
    "latency",
    "cost",
)
"""Every axis of judgement, in the order in which reports show them."""


def _unit(value: Decimal) -> Decimal:
    if not 0 <= value <= 1:
        raise ValueError(f"must lie between 0 and 1, not {value}")
    return value


type Share = Annotated[Exact, AfterValidator(_unit)]


class Band(Frozen):
    """Figures up to and including `up_to` get `value`; null `up_to` is everything above the bands before it."""

    up_to: Exact | None
    value: Share


def _bands(bands: tuple[Band, ...]) -> tuple[Band, ...]:
    if not bands or bands[-1].up_to is not None or any(band.up_to is None for band in bands[:-1]):
        raise ValueError("the last band, and only the last, has `up_to: null`")
    for one, two in pairwise(bands):
        if two.up_to is not None and one.up_to is not None and two.up_to <= one.up_to:
            raise ValueError("bands go upwards: each up_to must exceed the one before")
        if two.value > one.value:
            raise ValueError("a slower or dearer band can't be worth more than the one before")
    return bands


type BandList = Annotated[tuple[Band, ...], AfterValidator(_bands)]


class Bands(Frozen):
    """`latency_s`: seconds from what the agent last received to its order; `cost_usd_per_decision`: US dollars."""

    latency_s: BandList
    cost_usd_per_decision: BandList


class Weights(Frozen):
    """
    How dimensions are weighed; weights are relative, and renormalised over the dimensions that have a value.

    `min_orders` is the number of judged requests below which a session without a violation says nothing
    about compliance; a violation counts at any number.
    """

    schema_: Literal["weights/1"] = Field(alias="schema")
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    required: tuple[str, ...] = ("compliance",)
    min_orders: int = Field(default=5, ge=1, strict=True)
    weights: dict[str, Share]
    bands: Bands

    @model_validator(mode="after")
    def _whole(self) -> Weights:
        required: list[tuple[str, KeyPath]] = [(name, ("required", at)) for at, name in enumerate(self.required)]
        weighed: list[tuple[str, KeyPath]] = [(name, ("weights", name)) for name in self.weights]
        for name, path in (*weighed, *required):
            if name not in DIMENSIONS:
                message = f"{name} is no dimension; {near(name, DIMENSIONS)}Dimensions are {', '.join(DIMENSIONS)}"
                raise KeyProblem(message, *path)
        if not any(self.weights.values()):
            raise KeyProblem("every weight is 0; give at least one dimension a weight", "weights")
        for name, path in required:
            if not self.weights.get(name):
                raise KeyProblem(f"{name} is required but has no weight; weigh it or take it out of required", *path)
        return self


def band_of(bands: tuple[Band, ...], figure: Decimal) -> tuple[Band, str]:
    """The band of a figure and its words ("up to 5", "over 60")."""
    below: Decimal | None = None
    for band in bands:
        if band.up_to is None:
            break
        if figure <= band.up_to:
            return band, f"up to {band.up_to}" if below is None else f"over {below} up to {band.up_to}"
        below = band.up_to
    return bands[-1], "any" if below is None else f"over {below}"
