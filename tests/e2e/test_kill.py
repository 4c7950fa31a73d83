"""kill -9 at any moment: every order that the venue received is in the evidence, and the file opens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from pathlib import Path

import pytest

from proxy.journal.read import read
from tests.e2e.support.certs import Certificates
from tests.e2e.support.running import REDTAPE, Connection, process
from tests.e2e.support.upstream import Received, Send, answer, venue
from tests.e2e.test_safety import PAPER, proxy_url

KILLS = 20
AGENTS = 8


@pytest.mark.heavy
@pytest.mark.parametrize("round_", range(KILLS))
async def test_kill_under_load(round_: int, certificates: Certificates, workspace: Path) -> None:
    """Eight agents order as fast as they can; the proxy dies somewhere between the first and the last order."""
    chance = random.Random(round_)
    wanted = chance.randrange(1, 400)
    reached = asyncio.Event()
    received: list[str] = []
    answered: list[str] = []

    async def handle(one: Received, send: Send) -> None:
        name = json.loads(one.body)["client_order_id"]
        received.append(name)
        if len(received) >= wanted:
            reached.set()
        await send(answer(json.dumps({"id": f"v-{name}", "client_order_id": name, "status": "new"}).encode()))

    async def agent(number: int, proxy: str) -> None:
        way = Connection(proxy, workspace / "ca" / "bundle.pem", PAPER)
        with contextlib.suppress(ConnectionError, EOFError, asyncio.IncompleteReadError):
            async with way as connection:
                for n in range(10_000):
                    name = f"{number}-{n}"
                    body = {"symbol": "AAPL", "qty": "1", "side": "buy", "client_order_id": name}
                    got = await connection.ask("POST", json.dumps(body).encode(), "Content-Type: application/json")
                    if got.status == 200:
                        answered.append(name)

    start = [str(REDTAPE), "--workspace", str(workspace), "proxy", "--listen", "127.0.0.1:0", "--session", "s"]
    async with (
        venue(handle, certificates) as upstream,
        process([*start, "--map", f"paper-api.alpaca.markets={upstream.url}"]) as running,
    ):
        proxy = await proxy_url(running)
        agents = [asyncio.create_task(agent(n, proxy)) for n in range(AGENTS)]
        await asyncio.wait_for(reached.wait(), 60)
        await asyncio.sleep(chance.random() / 100)
        running.kill()
        await running.wait()
        await asyncio.wait(agents, timeout=20)

    evidence = read(workspace / "sessions" / "s.db")
    asked = [fact.event.client_order_id for fact in evidence.orders if fact.event.kind == "requested"]
    assert len(received) >= wanted
    assert set(received) - set(asked) == set()
    assert len(asked) == len(set(asked))
    assert [fact.seq for fact in evidence.orders] == sorted({fact.seq for fact in evidence.orders})
    assert set(answered) <= set(received)
    for task in agents:
        task.result()
