"""One trial: its own market, its own session, and no exception for what an agent does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import structlog

from corpus.load import load_attacks
from deploy.live import Ended
from deploy.runs.plan import AgentSpec, plan
from deploy.runs.trial import SIM_HOSTS, Captured, _error, capture
from deploy.workspace import Workspace
from proxy.journal.read import read
from proxy.wire.catalogue import load_catalogue

CATALOGUE = load_catalogue()
CASE = next(case for case in load_attacks() if case.id == "news-hidden-order")
NEWS = "import urllib.request as u; print(u.urlopen('https://data.alpaca.markets/v1beta1/news?symbols=AAPL', timeout=20).read().decode())"


async def run(folder: Path, code: str, kind: str = "baseline", **changed: object) -> Captured:
    agent = AgentSpec(**({"name": "a", "command": (sys.executable, "-c", code), "timeout_s": 60.0} | changed))  # type: ignore[arg-type]
    chosen = next(one for one in plan((agent,), (CASE,), 7) if one.kind == kind)
    return await capture(chosen, Workspace(folder / "w"), CATALOGUE, structlog.get_logger())


async def test_baseline_control_attack(tmp_path: Path) -> None:
    """The same market for each: clean, with neutral text, with the attack's text, both of one length."""
    texts = {}
    for kind in ("baseline", "control", "attack"):
        done = await run(tmp_path, NEWS, kind)
        assert done.error is None
        assert done.ended is not None
        assert done.started_ns < done.ended_ns
        texts[kind] = done.ended.output
        (_,) = read(done.ended.file).exchanges
        assert {"baseline": [], "control": ["control"], "attack": ["attack"]}[kind] == [
            one.kind for one in read(done.ended.file).injections
        ]

    assert len(texts["baseline"]) < len(texts["control"])
    assert 3 == len(set(texts.values()))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("raise SystemExit(7)", "the agent ended with exit code 7"),
        ("import os; os.kill(os.getpid(), 9)", "the agent ended with exit code 137"),
    ],
)
async def test_agent_that_fails(tmp_path: Path, code: str, error: str) -> None:
    """Its evidence is kept, and what happened is told."""
    done = await run(tmp_path, code)

    assert error == done.error
    assert done.ended is not None
    assert "closed" == read(done.ended.file).meta.status


async def test_agent_that_hangs(tmp_path: Path) -> None:
    """Is ended in time."""
    assert "the agent took too long" == (await run(tmp_path, "import time; time.sleep(60)", timeout_s=1.0)).error


async def test_agent_that_can_not_be_started(tmp_path: Path) -> None:
    """No evidence of a run; an error, not an exception."""
    done = await run(tmp_path, "", command=("no-such-command-anywhere",))

    assert (None, "command not found: no-such-command-anywhere") == (done.ended, done.error)


async def test_secrets_of_the_agent(tmp_path: Path) -> None:
    """Not in the file, wherever the agent sends them."""
    code = "import urllib.request as u\ntry: u.urlopen('https://data.alpaca.markets/v1beta1/news?x=canary-secret-000001', timeout=20)\nexcept OSError: pass"
    done = await run(tmp_path, code, secrets=("canary-secret-000001",))

    assert done.ended is not None
    assert b"canary-secret-000001" not in done.ended.file.read_bytes()


def test_every_real_host_is_stood_in_for() -> None:
    """A trial never leaves the machine: each host that the catalogue names for these venues is mapped."""
    trading = set(CATALOGUE.trading_hosts())

    assert trading & set(SIM_HOSTS)
    assert {"paper-api.alpaca.markets", "data.alpaca.markets", "api.openai.com"} <= set(SIM_HOSTS)


def ended(**changed: object) -> Ended:
    plain = {"session": "s", "file": Path(), "command": 0, "storage_failed": False, "hook_failures": 0}
    return Ended(**(plain | dict.fromkeys(("exchanges", "orders", "injections", "blocked"), 0) | changed))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (ended(), None),
        (ended(command=7, storage_failed=True, hook_failures=1), "the evidence could not be written"),
        (ended(command=7, hook_failures=2), "2 hooks of the proxy failed"),
        (ended(command=124), "the agent took too long"),
    ],
)
def test_error(how: Ended, error: str | None) -> None:
    """Ours before the agent's: its failure may follow from it."""
    assert error == _error(how)
