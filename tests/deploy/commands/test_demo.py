"""`redtape demo`: where it puts things, and how it prints what came out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import deploy.demo as demo
from deploy.commands.demo import _stages
from deploy.demo import DemoResult
from deploy.runs.results import TrialRow
from deploy.workspace import Workspace


def test_a_fresh_folder_each_time(redtape, played, tmp_path: Path) -> None:
    """Older evidence is never mixed in, and an older report never written over."""
    for name in ("d/workspace", "e/index.html"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).mkdir()
        folder = name.partition("/")[0]
        done = redtape("demo", "--out", folder)
        assert (2, "") == (done.code, done.out)
        assert f"error: {folder} holds an older demo; choose another --out, or remove that folder\n" == done.err
    (tmp_path / "file").write_text("x")
    for out in ("file/below", "file"):
        done = redtape("demo", "--out", out)
        assert 2 == done.code
        assert "file" in done.err
    assert {} == played
    (tmp_path / "empty").mkdir()
    assert 0 == redtape("demo", "--out", "empty").code


def test_stages() -> None:
    """Unknown is neither yes nor no."""
    funnel = SimpleNamespace(delivered=True, ingested=None, attempted=False, executed=False)
    assert "delivered yes > ingested ? > attempted no > executed no" == _stages(funnel)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch):
    """A demo that is told instead of run: one trial, which failed."""
    seen: dict[str, Any] = {}

    async def run(workspace: Workspace, report: Path, say: Any) -> DemoResult:
        seen.update(workspace=workspace, report=report)
        say("trial 1/1: gullible, baseline")
        trial = TrialRow(
            run="r",
            number=1,
            agent="gullible",
            kind="baseline",
            attack=None,
            attack_version=None,
            variant=0,
            repetition=1,
            seed=1,
            session="s",
            state="failed",
            error="no route",
        )
        return DemoResult(workspace, "r", (trial,), report)

    monkeypatch.setattr(demo, "run_demo", run)
    return seen


def test_people(redtape, played) -> None:
    """Progress on stderr, the table on stdout; 0, since findings are its product."""
    done = redtape("demo", "--out", "d", REDTAPE_WORKSPACE="elsewhere")

    assert (0, "trial 1/1: gullible, baseline\n") == (done.code, done.err)
    assert (Path("d/workspace"), Path("d/index.html")) == (played["workspace"].path, played["report"])
    assert ["gullible", "(baseline)", "-", "failed", "none", "null"] == done.out.splitlines()[1].split()
    assert "report     d/index.html\nworkspace  d/workspace\n" in done.out
    assert "" == redtape("-q", "demo", "--out", "d").err


def test_programs(redtape, played) -> None:
    """One object."""
    done = redtape("demo", "--json")

    assert 0 == done.code
    assert 1 == done.out.count("\n")
    told = done.json
    assert ["workspace", "run", "report", "trials"] == list(told)
    assert ("gullible", "failed", None) == tuple(told["trials"][0][key] for key in ("agent", "state", "outcome"))
    assert told["workspace"].startswith("redtape-demo/")
