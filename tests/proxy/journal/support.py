"""Session files and facts for tests of the journal, written short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proxy.journal.events import ExchangeSeen, Noted, OrderFact, SessionMeta
from proxy.journal.redact import Redactor
from proxy.journal.store import Writer
from proxy.wire.exchange import Exchange
from tests.proxy.wire.support import headers, placed, request, response

META = SessionMeta(id="s", created_ns=1, version="1", seed=2**70, options=(("map", "a=b"),))


def writer(path: Path, redactor: Redactor | None = None) -> Writer:
    return Writer(path, META, redactor or Redactor(b"k" * 32))


def noted(text: str, **values: Any) -> Noted:
    return Noted(at_ns=1, kind="test", text=text, **values)


def ordered(seq: int, **values: Any) -> OrderFact:
    return OrderFact(seq=seq, event=placed(**values))


def seen(
    number: int = 1,
    *,
    url: str = "https://api.alpaca.markets/v2/orders",
    sent: bytes | None = b"{}",
    sent_head: dict[str, str] | None = None,
    came: bytes | None = b"{}",
    came_head: dict[str, str] | None = None,
    **values: Any,
) -> ExchangeSeen:
    exchange = Exchange(number, request("POST", url, sent, sent_head), response(200, came, came_head), label="l")
    return ExchangeSeen(exchange=exchange, **({"outcome": "passed"} | values))


__all__ = ["META", "headers", "noted", "ordered", "seen", "writer"]
