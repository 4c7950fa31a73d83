"""Order events in few words, all of one venue and one instrument unless they say otherwise."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from corpus.terms import Action, OrderType, Side, Source, Unit
from proxy.wire.order_events import OrderRequested, OrderUpdate, PositionSeen, PositionsRead


class Tell:
    """A venue's and an agent's side of a story; exchanges are numbered as they come."""

    def __init__(self) -> None:
        self.exchange = 0

    def next(self) -> int:
        self.exchange += 1
        return self.exchange

    def ask(self, action: str, **fields: Any) -> OrderRequested:
        plain: dict[str, Any] = {"at_ns": 0, "exchange": self.next(), "source": Source.WIRE, "venue": "alpaca"}
        return OrderRequested(**(plain | {"action": Action(action)} | fields))

    def place(self, name: str, side: str = "buy", quantity: int | str = 10, **fields: Any) -> OrderRequested:
        plain: dict[str, Any] = {
            "client_order_id": name,
            "symbol": "AAPL",
            "side": Side(side),
            "type": OrderType.LIMIT,
            "limit_price": Decimal(1) if side == "buy" else Decimal(999),
            "quantity": Decimal(quantity),
            "unit": Unit.SHARE,
            "body_key": f"{side} {quantity}",
        }
        return self.ask("place", **(plain | fields))

    def market(self, name: str, side: str = "buy", quantity: int | str = 10, **fields: Any) -> OrderRequested:
        return self.place(name, side, quantity, **({"type": OrderType.MARKET, "limit_price": None} | fields))

    def says(self, kind: str, name: str | None = None, **fields: Any) -> OrderUpdate:
        """An update of the order called `name`, by client id and by the venue id "v-name"."""
        ids = {} if name is None else {"client_order_id": name, "venue_order_id": f"v-{name}"}
        plain: dict[str, Any] = {"at_ns": 0, "exchange": self.next(), "venue": "alpaca", "kind": kind}
        numbers = {key: Decimal(value) for key, value in fields.items() if key.endswith("quantity")}
        return OrderUpdate(**(plain | ids | fields | numbers))

    def answers(self, request: OrderRequested, kind: str, name: str | None = None, **fields: Any) -> OrderUpdate:
        return self.says(kind, name, **({"exchange": request.exchange, "answers": request.item} | fields))

    def holds(self, complete: bool = True, symbol: str | None = None, **quantities: int | str | None) -> PositionsRead:
        seen = tuple(
            PositionSeen(symbol=key, quantity=None if n is None else Decimal(n)) for key, n in quantities.items()
        )
        return PositionsRead(
            at_ns=0, exchange=self.next(), venue="alpaca", positions=seen, complete=complete, symbol=symbol
        )


@pytest.fixture
def tell() -> Tell:
    """A fresh story."""
    return Tell()
