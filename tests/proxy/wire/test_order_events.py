"""Facts about orders: frozen, and honest about what could not be read."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from decimal import Decimal

import pytest

from corpus.terms import Action, Source, Unit
from proxy.wire.order_events import UNREADABLE, OrderRequested, OrderUpdate, unreadable


def requested(**given: object) -> OrderRequested:
    return OrderRequested(
        at_ns=1,
        exchange=1,
        source=Source.WIRE,
        venue="alpaca",
        action=Action.PLACE,
        **given,  # type: ignore[arg-type]
    )


def test_a_fact_never_changes() -> None:
    with pytest.raises(FrozenInstanceError):
        requested().quantity = Decimal(1)  # type: ignore[misc]


def test_what_is_not_said_is_null_and_a_unit_is_never_guessed() -> None:
    order = requested()
    assert (order.quantity, order.limit_price, order.side, order.unit) == (None, None, None, Unit.UNKNOWN)
    update = OrderUpdate(at_ns=1, exchange=1, venue="alpaca", kind="acked")
    assert (update.filled_quantity, update.fill_quantity, update.answers) == (None, None, None)


@pytest.mark.parametrize(
    ("extra", "fields"),
    [
        ((), set()),
        (((UNREADABLE, "quantity"),), {"quantity"}),
        ((("trail", "1"), (UNREADABLE, "quantity symbol")), {"quantity", "symbol"}),
    ],
)
def test_fields_that_could_not_be_read(extra: tuple[tuple[str, str], ...], fields: set[str]) -> None:
    assert unreadable(requested(extra=extra)) == fields
