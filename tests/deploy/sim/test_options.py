"""What a sim may be started with."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from decimal import Decimal as D

import pytest

from corpus.terms import instant
from deploy.sim.options import DEMO_NOW, VENUES, SimOptions


def test_defaults() -> None:
    options = SimOptions()
    assert (options.venues, options.bars, options.news, options.hooks) == (("alpaca", "openai"), None, None, ())
    assert (options.seed, options.now, options.cash, options.half_spread) == (1, DEMO_NOW, D(100_000), D("0.01"))


def test_the_demo_instant_is_the_one_that_it_says() -> None:
    assert instant("2012-06-15T15:30:00Z") == DEMO_NOW


@pytest.mark.parametrize("venues", [(), ("alpaca",), ("openai",), VENUES])
def test_any_of_the_venues_and_none(venues: tuple[str, ...]) -> None:
    assert SimOptions(venues=venues).venues == venues


@pytest.mark.parametrize(
    ("venues", "named"),
    [(("nyse",), "nyse"), (("alpaca", "kraken", "nyse"), "kraken"), (("Alpaca",), "Alpaca"), (("",), "")],
)
def test_the_first_unknown_venue_is_named(venues: tuple[str, ...], named: str) -> None:
    with pytest.raises(ValueError) as caught:
        SimOptions(venues=venues)
    assert str(caught.value) == f"unknown venue {named}; the sim speaks alpaca, openai"


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00Z", "2099-12-31T23:59:59.999999999Z"])
def test_the_outermost_instants_are_taken(text: str) -> None:
    now = instant(text)
    assert now is not None
    assert SimOptions(now=now).now == now


@pytest.mark.parametrize("text", ["1969-12-31T23:59:59.999999999Z", "2100-01-01T00:00:00Z"])
def test_instants_beyond_are_refused(text: str) -> None:
    now = instant(text)
    assert now is not None
    with pytest.raises(ValueError, match=r"^now must lie between 1970 and 2100$"):
        SimOptions(now=now)


def test_options_are_named_and_stay_as_they_are() -> None:
    with pytest.raises(TypeError):
        SimOptions(("alpaca",))  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        SimOptions().seed = 2  # type: ignore[misc]
    assert SimOptions(seed=3) == SimOptions(seed=3) != SimOptions(seed=4)
