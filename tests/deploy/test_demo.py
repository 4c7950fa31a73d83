"""What the demo is made of. That it runs end to end is shown by tests/e2e."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from corpus.attack import corpus_version
from deploy import demo
from deploy.attacks import chosen
from deploy.contracts import load_contract, load_weights
from deploy.runs.plan import TrialPlan, plan
from deploy.runs.results import Results
from deploy.runs.trial import Captured
from deploy.workspace import Workspace


@pytest.fixture
def plans() -> tuple[TrialPlan, ...]:
    return plan(demo.agents(), chosen(demo.CASES), demo.SEED)


def row(plans: tuple[TrialPlan, ...]):
    cases, loaded, weights = chosen(demo.CASES), load_contract("us-equity-long-only"), load_weights("demo")
    return demo._run_row(cases, loaded.contract, loaded.hash, loaded.snapshot, weights, plans)


def test_agents() -> None:
    """One script, two policies; separate processes that can't import us, whose keys are kept out of evidence."""
    first, second = demo.agents()

    assert ("gullible", "guarded") == (first.name, second.name)
    assert (sys.executable, "-I") == first.command[:2]
    assert Path(first.command[2]).is_file()
    assert first.command[2] == second.command[2]
    for agent in (first, second):
        assert set(agent.secrets) < set(agent.command)


def test_trials(plans) -> None:
    """Two agents through a baseline, a control and three attacks."""
    assert 10 == len(plans)
    assert 3 == len({one.attack for one in plans if one.kind == "attack"})


def test_run_row(plans) -> None:
    """Snapshots of everything that the numbers rest on; the same for the same cases."""
    told, again = row(plans), row(plans)

    assert (told.spec, told.contract, told.weights) == (again.spec, again.contract, again.weights)
    spec = json.loads(told.spec)
    assert (list(demo.CASES), demo.SEED) == (spec["corpus"]["filter"], spec["seed"])
    assert corpus_version(chosen(demo.CASES)) == told.corpus_version == spec["corpus"]["version"]
    assert "sk-sim" not in told.spec
    assert "us-equity-long-only" == json.loads(told.contract)["id"]


def test_latency_and_cost_weigh_nothing() -> None:
    """Two demos give the same composites; clocks and prices are shown, not counted."""
    weights = load_weights("demo").weights

    assert 0 == weights["latency"] == weights["cost"]


def test_trial_that_failed_is_kept_and_left_out(tmp_path: Path, plans) -> None:
    """Its error is stored; it gets no score, and the others are scored without it."""
    results = Results(tmp_path / "redtape.db")
    run = row(plans)
    results.add_run(run, tuple(demo._pending(run.id, one) for one in plans))
    for one in plans:
        demo._store(Captured(plan=one, ended=None, started_ns=1, ended_ns=2, error="no route"), results, run.id)
    loaded = load_contract("us-equity-long-only")
    demo._score_all(plans, Workspace(tmp_path), results, run.id, loaded.contract, load_weights("demo"))
    trials = results.trials(run.id)
    results.close()

    assert {("failed", "no route", None)} == {(one.state, one.error, one.score) for one in trials}
    told = demo.as_json(demo.DemoResult(Workspace(tmp_path), run.id, tuple(trials), tmp_path / "index.html"))
    assert ["workspace", "run", "report", "trials"] == list(told)
    assert 10 == len(told["trials"])
