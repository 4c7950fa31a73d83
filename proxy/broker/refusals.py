"""
Alpaca's refusals: what could not be done, in the venue's own words and codes. Non-retryable statuses only.

Source: error bodies quoted in public issues (alpacahq/alpaca-py 225 and 260, alpacahq/Alpaca-API 89,
alpacahq/alpaca-trade-api-csharp 247) and https://docs.alpaca.markets/reference, read 2026-11-30.
"""

from __future__ import annotations

from decimal import Decimal

from proxy.broker.replies import Reply, cents, number


def refusal(status: int, code: int, message: str, **more: str) -> Reply:
    """One error body: `{code, message}` and the keys that this refusal adds."""
    return Reply(status, {"code": code, "message": message, **more})


def bad_body() -> Reply:
    """400: the body is not the JSON object that the endpoint takes."""
    return refusal(400, 40010000, "request body format is invalid")


def unauthorized() -> Reply:
    """401: no usable key."""
    return refusal(401, 40110000, "request is not authorized")


def invalid(message: str) -> Reply:
    """422: a field is missing or malformed."""
    return refusal(422, 40010001, message)


def unprocessable(message: str) -> Reply:
    """422: well formed, but the venue does not take it, such as an unknown asset or a sub-penny price."""
    return refusal(422, 42210000, message)


def duplicate_client_order_id() -> Reply:
    """422: an order of this account already has the id."""
    return invalid("client_order_id must be unique")


def insufficient_buying_power(buying_power: Decimal, cost_basis: Decimal) -> Reply:
    """403: both amounts in USD."""
    return refusal(
        403, 40310000, "insufficient buying power", buying_power=cents(buying_power), cost_basis=cents(cost_basis)
    )


def insufficient_quantity(symbol: str, requested: Decimal, available: Decimal, existing: Decimal) -> Reply:
    """403: a holding is smaller than the order, or held by other orders. Quantities in shares."""
    asked, left = number(requested), number(available)
    return refusal(
        403,
        40310000,
        f"insufficient qty available for order (requested: {asked}, available: {left})",
        available=left or "0",
        existing_qty=number(existing) or "0",
        held_for_orders=number(existing - available) or "0",
        symbol=symbol,
    )


def not_allowed(message: str) -> Reply:
    """403: the account may not do this, such as selling a fraction short."""
    return refusal(403, 40310000, message)


def order_not_found(order_id: str) -> Reply:
    """404: no such order."""
    return refusal(404, 40410000, f"order not found for {order_id}")


def position_not_found(symbol: str) -> Reply:
    """404: nothing is held."""
    return refusal(404, 40410000, "position does not exist", symbol=symbol)


def asset_not_found(symbol: str) -> Reply:
    """404: the venue does not list it."""
    return refusal(404, 40410000, f"asset not found for {symbol}")


def endpoint_not_found() -> Reply:
    """404: no such path."""
    return refusal(404, 40410000, "endpoint not found")
