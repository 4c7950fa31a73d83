"""Refusals as public issues quote them."""

from __future__ import annotations

from decimal import Decimal as D

from proxy.broker import refusals
from proxy.broker.replies import Reply


def test_insufficient_buying_power_names_both_amounts() -> None:
    # alpacahq/alpaca-py issue 225 quotes exactly these keys.
    assert refusals.insufficient_buying_power(D("176531.28"), D("48640000")) == Reply(
        403,
        {
            "code": 40310000,
            "message": "insufficient buying power",
            "buying_power": "176531.28",
            "cost_basis": "48640000",
        },
    )


def test_insufficient_quantity_says_what_is_held_elsewhere() -> None:
    found = refusals.insufficient_quantity("AAPL", D(20), D(4), D(10))
    assert found.body == {
        "code": 40310000,
        "message": "insufficient qty available for order (requested: 20, available: 4)",
        "available": "4",
        "existing_qty": "10",
        "held_for_orders": "6",
        "symbol": "AAPL",
    }


def test_statuses_are_ones_that_no_client_retries() -> None:
    found = [
        refusals.bad_body(),
        refusals.unauthorized(),
        refusals.invalid("qty must be > 0"),
        refusals.unprocessable("x"),
        refusals.duplicate_client_order_id(),
        refusals.not_allowed("x"),
        refusals.order_not_found("x"),
        refusals.position_not_found("AAPL"),
        refusals.asset_not_found("AAPL"),
        refusals.endpoint_not_found(),
    ]
    assert [reply.status for reply in found] == [400, 401, 422, 422, 422, 403, 404, 404, 404, 404]
    assert all(isinstance(reply.body, dict) and {"code", "message"} <= reply.body.keys() for reply in found)
    assert isinstance(found[0].body, dict)
    assert found[0].body["code"] == 40010000
