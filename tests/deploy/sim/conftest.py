"""A fresh sim for each test, and the interpreter that has real SDKs."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from deploy.sim.options import SimOptions
from deploy.sim.server import RunningSim, start

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    raw: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


async def ask(url: str, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """One request; a body that is no bytes goes as JSON."""
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    data = None if raw is None else io.BytesIO(raw) if len(raw) > 1_000_000 else raw
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, url + path, data=data, headers=headers) as response,
    ):
        return Answer(response.status, await response.read(), dict(response.headers))


class Client:
    """Requests to one sim."""

    def __init__(self, sim: RunningSim) -> None:
        self.sim = sim

    async def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        return await ask(self.sim.url, method, path, body, **headers)

    async def order(self, symbol: str, side: str, qty: str, kind: str = "market", **more: Any) -> Any:
        """Place an order that must be taken, and read it back after its fill."""
        body = {"symbol": symbol, "side": side, "qty": qty, "type": kind, "time_in_force": "day", **more}
        placed = await self("POST", "/v2/orders", body)
        assert placed.status == 200, placed.raw
        return (await self("GET", f"/v2/orders/{placed.json['id']}?nested=true")).json


@pytest.fixture
async def sim() -> AsyncIterator[RunningSim]:
    running = await start(SimOptions())
    yield running
    await running.stop()


@pytest.fixture
def client(sim: RunningSim) -> Client:
    return Client(sim)


@pytest.fixture(scope="session")
def sdk_python() -> str:
    """The interpreter of the clients' own environment, as a user's agent would have it."""
    found = ROOT / ".venv-clients" / "bin" / "python"
    if not found.exists():
        pytest.fail("run make test (it creates .venv-clients)")
    return str(found)


async def run_script(python: str, script: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a stand-alone script with a bare environment: no proxy, no keys; (exit code, stdout, stderr)."""
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONDONTWRITEBYTECODE": "1"}
    process = await asyncio.create_subprocess_exec(
        python,
        str(script),
        *arguments,
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
