"""The main job, offline, end to end: two agents, a clean baseline, a benign control and three attacks each."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import structlog

from corpus.attack import AttackCase, corpus_version
from corpus.base import canonical
from corpus.contract import Contract
from corpus.weights import Weights
from deploy.attacks import chosen
from deploy.cli import VERSION
from deploy.contracts import load_contract, load_weights, weights_snapshot
from deploy.runs.plan import AgentSpec, TrialPlan, plan
from deploy.runs.report_data import build_report
from deploy.runs.results import Results, RunRow, TrialRow
from deploy.runs.trial import STDOUT_KEPT, Captured, capture
from deploy.runs.views import trial_json
from deploy.web.report import render_report
from deploy.workspace import Workspace
from proxy.journal.read import read
from proxy.wire.catalogue import load_catalogue
from scoring.results import SCORER_VERSION
from scoring.score import score_session

CASES: Final = ("news-hidden-order", "tool-risk-desk-note", "news-fabricated-takeover")
SEED: Final = 7
MODEL: Final = "gpt-4o-mini"
SYMBOLS: Final = "AAPL,MSFT"
RUN_ID: Final = "1"
"""Fixed, so that two demos send the same orders."""


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What a demo leaves behind."""

    workspace: Workspace
    run: str
    trials: tuple[TrialRow, ...]
    report: Path


def agents() -> tuple[AgentSpec, ...]:
    """The demo's two agents: the same script, each with a key that chooses its model's policy."""
    script = str(files("deploy.sim") / "agent.py")
    notes = {"gullible": "obeys text that it reads", "guarded": "treats what it reads as data"}
    out = []
    for name, note in notes.items():
        key = f"sk-sim-{name}"
        # -I: nothing of this project, nor of the folder it is started in, can be imported.
        command = (
            sys.executable,
            "-I",
            script,
            "--key",
            key,
            "--model",
            MODEL,
            "--symbols",
            SYMBOLS,
            "--run-id",
            RUN_ID,
        )
        out.append(AgentSpec(name=name, command=command, note=note, secrets=(key,)))
    return tuple(out)


async def run_demo(workspace: Workspace, report: Path, say: Callable[[str], None]) -> DemoResult:
    """
    Run the demo.

    Args:
        workspace: A new folder.
        report: Where the HTML goes.
        say: Called with a line of progress.

    Raises:
        WorkspaceError, JournalError, HostError: The surroundings failed.
    """
    workspace.ensure()
    cases, loaded, weights = chosen(CASES), load_contract("us-equity-long-only"), load_weights("demo")
    plans = plan(agents(), cases, SEED)
    run = _run_row(cases, loaded.contract, loaded.hash, loaded.snapshot, weights, plans)
    results = Results(workspace.results)
    try:
        results.add_run(run, tuple(_pending(run.id, one) for one in plans))
        await _capture_all(plans, workspace, results, run.id, say)
        _score_all(plans, workspace, results, run.id, loaded.contract, weights)
        results.set_run(run.id, "finished")
        trials = tuple(results.trials(run.id))
    finally:
        results.close()
    built = build_report(
        run, trials, {case.id: case for case in cases}, workspace, dict(weights.weights), loaded.contract.currency
    )
    await asyncio.to_thread(_write, report, render_report(built))
    return DemoResult(workspace, run.id, trials, report)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _run_row(
    cases: tuple[AttackCase, ...],
    contract: Contract,
    hash_: str,
    snapshot: str,
    weights: Weights,
    plans: tuple[TrialPlan, ...],
) -> RunRow:
    spec = {
        "schema": "run/1",
        "agents": [{"name": one.name, "note": one.note} for one in {p.agent.name: p.agent for p in plans}.values()],
        "upstream": "sim",
        "broker": "live",
        "corpus": {"filter": [case.id for case in cases], "version": corpus_version(cases)},
        "repetitions": 1,
        "baseline": True,
        "control": True,
        "seed": SEED,
    }
    return RunRow(
        id=f"demo-{time.strftime('%Y%m%d-%H%M%S')}",
        created_ns=time.time_ns(),
        status="running",
        seed=SEED,
        upstream="sim",
        broker="live, mapped to the simulator",
        contract_id=contract.id,
        contract_hash=hash_,
        contract=snapshot,
        weights_id=weights.id,
        weights=weights_snapshot(weights),
        corpus_version=corpus_version(cases),
        scorer_version=SCORER_VERSION,
        version=VERSION,
        spec=canonical(spec),
    )


def _pending(run: str, one: TrialPlan) -> TrialRow:
    return TrialRow(
        run=run,
        number=one.number,
        agent=one.agent.name,
        kind=one.kind,
        attack=one.attack,
        attack_version=one.cases[0].version if one.kind == "attack" else None,
        variant=one.variant,
        repetition=one.repetition,
        seed=one.seed,
        session=one.session,
        state="pending",
    )


async def _capture_all(
    plans: tuple[TrialPlan, ...], workspace: Workspace, results: Results, run: str, say: Callable[[str], None]
) -> None:
    catalogue = load_catalogue()
    log = structlog.get_logger()
    for one in plans:
        say(f"trial {one.number}/{len(plans)}: {one.agent.name}, {one.attack or 'baseline'}")
        results.set_trial(run, one.number, state="running", started_ns=time.time_ns())
        captured = await capture(one, workspace, catalogue, log.bind(run_id=run, trial_id=one.number))
        _store(captured, results, run)
        if captured.ended is not None and captured.ended.signal is not None:
            results.set_run(run, "interrupted")
            raise KeyboardInterrupt


def _store(captured: Captured, results: Results, run: str) -> None:
    output = captured.ended.output if captured.ended else b""
    results.set_trial(
        run,
        captured.plan.number,
        state="captured" if captured.ended is not None else "failed",
        error=captured.error,
        started_ns=captured.started_ns,
        ended_ns=captured.ended_ns,
        stdout=output[-STDOUT_KEPT:],
    )


def _score_all(
    plans: tuple[TrialPlan, ...], workspace: Workspace, results: Results, run: str, contract: Contract, weights: Weights
) -> None:
    """The scoring stage: from session files alone, after all trials were captured."""
    failed = {trial.number for trial in results.trials(run) if trial.state == "failed"}
    kept = {one.number: read(workspace.session(one.session)) for one in plans if one.number not in failed}
    pairs = {
        (one.agent.name, one.kind): kept[one.number] for one in plans if one.number in kept and one.kind != "attack"
    }
    for one in plans:
        if one.number not in kept:
            continue
        score = score_session(
            kept[one.number],
            contract,
            weights,
            case=one.cases[0] if one.kind == "attack" else None,
            kind=one.kind,
            baseline=pairs.get((one.agent.name, "baseline")) if one.kind == "attack" else None,
            control=pairs.get((one.agent.name, "control")) if one.kind == "attack" else None,
        )
        results.set_score(run, one.number, score)


def as_json(result: DemoResult) -> dict[str, Any]:
    """The demo's result as `demo --json` prints it."""
    return {
        "workspace": str(result.workspace.path),
        "run": result.run,
        "report": str(result.report),
        "trials": [trial_json(trial) for trial in result.trials],
    }
