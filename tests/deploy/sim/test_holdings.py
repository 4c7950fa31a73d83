"""Positions and cash against arithmetic done by hand, and against conservation."""

from __future__ import annotations

from decimal import Decimal as D

from hypothesis import given
from hypothesis import strategies as st

from deploy.sim.holdings import Holding, Holdings


def test_average_price_moves_with_additions_and_stays_with_exits() -> None:
    holdings = Holdings(D(1000))
    holdings.apply("A", D(10), D("10.00"))
    holdings.apply("A", D(30), D("12.00"))
    assert holdings.held["A"] == Holding(D(40), D("11.5"))
    holdings.apply("A", D(-15), D("20.00"))
    assert holdings.held["A"] == Holding(D(25), D("11.5"))
    holdings.apply("A", D(-30), D("13.00"))
    assert holdings.held["A"] == Holding(D(-5), D("13.00"))
    holdings.apply("A", D(5), D("12.50"))
    assert holdings.held == {}
    assert holdings.cash == D(1000) - 100 - 360 + 300 + 390 - D("62.5")


@given(st.lists(st.tuples(st.integers(-50, 50).filter(bool), st.decimals("0.01", "999.99", places=2)), max_size=20))
def test_nothing_is_lost_at_an_unchanged_price(fills: list[tuple[int, D]]) -> None:
    """Equity at a price is the start plus what each fill gained to that price; quantity is the sum of fills."""
    holdings, price = Holdings(D(100_000)), D("123.45")
    for quantity, paid in fills:
        holdings.apply("A", D(quantity), paid)
    long_value, short_value = holdings.values(lambda _: price)
    assert holdings.quantity("A") == sum(quantity for quantity, _ in fills)
    assert holdings.cash + long_value + short_value == D(100_000) + sum(
        (D(quantity) * (price - paid) for quantity, paid in fills), D(0)
    )
