"""The barrier alone: how long an order waits for the disk, in commits, without a proxy around it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from corpus.terms import Action, OrderType, Side, Source, Unit
from proxy.journal.events import OrderFact, SessionMeta
from proxy.journal.redact import Redactor
from proxy.journal.store import Writer
from proxy.wire.order_events import OrderRequested
from tests.bench.stats import percentile


def _fact(seq: int) -> OrderFact:
    order = OrderRequested(
        at_ns=seq,
        exchange=seq,
        source=Source.WIRE,
        venue="alpaca",
        action=Action.PLACE,
        symbol="AAPL",
        side=Side.BUY,
        type=OrderType.MARKET,
        unit=Unit.BASE,
    )
    return OrderFact(seq=seq, event=order)


async def _times(writer: Writer, width: int, each: int, start: int) -> list[float]:
    times: list[float] = []

    async def one(lane: int) -> None:
        for number in range(each):
            began = time.perf_counter()
            await writer.commit(_fact(start + lane * each + number))
            times.append((time.perf_counter() - began) * 1000)

    await asyncio.gather(*(one(lane) for lane in range(width)))
    return sorted(times)


def barrier(folder: Path, each: int = 60) -> dict[str, Any]:
    """Waiting times with 1, 16 and 100 orders at once; `commits` is the p99 in commits of one order alone."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = Writer(folder / "barrier.db", SessionMeta(id="barrier", created_ns=1), Redactor(b"0" * 32))
    out: dict[str, Any] = {}
    try:
        alone = 0.0
        start = 1
        for width in (1, 16, 100):
            times = asyncio.run(_times(writer, width, each, start))
            start += width * each
            p50, p99 = percentile(times, 50), percentile(times, 99)
            alone = alone or p50
            out[f"c{width}"] = {"p50_ms": round(p50, 3), "p99_ms": round(p99, 3), "commits": round(p99 / alone, 1)}
    finally:
        writer.close()
    return out
