"""`redtape show`: what a session or a run holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.attacks import chosen
from deploy.contracts import load_contract, load_weights
from deploy.demo import _pending, _run_row, agents
from deploy.runs.plan import plan
from deploy.runs.results import Results


def test_session(redtape, ordinary: str) -> None:
    """Every exchange, and how many of the rest."""
    done = redtape("show", ordinary, "--json")
    told = done.json

    assert (0, "") == (done.code, done.err)
    assert 1 == done.out.count("\n")
    assert ("ordinary", "closed", "live", 2, 0, 0) == tuple(
        told[key] for key in ("session", "status", "broker", "orders", "llm_calls", "tool_calls")
    )
    assert [(1, "POST", 200, "alpaca.place_order", "first"), (2, "POST", 403, "alpaca.place_order", None)] == [
        tuple(one[key] for key in ("exchange", "method", "status", "endpoint", "label")) for one in told["exchanges"]
    ]
    done = redtape("show", ordinary)
    assert done.out.startswith("session ordinary · closed · ")
    assert "2 exchanges (2 passed), 2 orders, 0 tool-call intents, 0 model calls, 0 tool calls\n" in done.out


def test_attacked_session(redtape, attacked: str) -> None:
    """What was injected, what found no place, what was blocked, and what failed."""
    told = redtape("show", attacked, "--json").json
    assert [(1, 1, None), (2, 0, "no item matches")] == [
        (one["exchange"], one["edits"], one["reason"]) for one in told["injections"]
    ]

    out = redtape("show", attacked).out
    for line in (
        "injected in exchange 1: news-hidden-order (attack), 1 edits\n",
        "injected in exchange 2: news-hidden-order (attack), not applied: no item matches\n",
        "blocked exchange 3: POST api.alpaca.markets by attack\n",
        "note: hook_failed: response: KeyError\n",
        "1 exchanges (1 edited)",
    ):
        assert line in out


def test_hostile_session(redtape, evil: str, harmless) -> None:
    """For people and for programs."""
    for args in ((), ("--json",)):
        done = redtape("show", evil, *args)
        assert (0, "") == (done.code, done.err)
        harmless(done.out)
    assert len(redtape("show", evil).out) < 200_000


def test_tampered_session(redtape, tampered: list[str], harmless) -> None:
    """A file may come from elsewhere: words that we write ourselves may be theirs."""
    for name in tampered:
        for args in ((), ("--json",)):
            done = redtape("show", name, *args)
            assert 0 == done.code, done.err
            harmless(done.out + done.err)


@pytest.fixture
def run(redtape, hostile: str) -> str:
    """A run whose trials have not been made, with one of them failed for hostile reasons."""
    cases, loaded, weights = chosen(["news-hidden-order"]), load_contract("us-equity-long-only"), load_weights("demo")
    plans = plan(agents()[:1], cases, 7)
    row = replace(
        _run_row(cases, loaded.contract, loaded.hash, loaded.snapshot, weights, plans),
        id="r1",
        broker=hostile,
        corpus_version=hostile,
    )
    results = Results(Path(".redtape/redtape.db"))
    results.add_run(row, tuple(_pending("r1", one) for one in plans))
    results.set_trial("r1", 2, state="failed", error=hostile, agent=hostile)
    results.close()
    return "r1"


def test_run(redtape, run: str, harmless) -> None:
    """Its trials, with what came of each."""
    done = redtape("show", run, "--json")
    assert (0, "") == (done.code, done.err)
    harmless(done.out)
    assert [("baseline", "pending"), ("control", "failed"), ("attack", "pending")] == [
        (one["kind"], one["state"]) for one in done.json["trials"]
    ]

    done = redtape("show", run)
    assert (0, "") == (done.code, done.err)
    harmless(done.out)
    assert done.out.startswith("run r1 · running · ")
    assert "(baseline)" in done.out


def test_run_before_session(redtape, run: str, imported, har) -> None:
    """A run of that name is shown first; sessions beside runs are still found."""
    imported(har.entry(), name="r1")
    other = imported(har.entry(), name="other")

    assert "run" in redtape("show", "r1", "--json").json
    assert "session" in redtape("show", other, "--json").json


def test_reading_never_writes(redtape, ordinary: str) -> None:
    """Evidence stays as it is, to the byte; nothing appears beside it."""
    folder = Path(".redtape/sessions")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for args in (["show"], ["orders"], ["export"], ["diff"], ["score", "--contract", "us-equity-long-only"]):
        assert 0 == redtape(args[0], ordinary, *args[1:]).code

    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert json.loads(redtape("show", ordinary, "--json").out)["file"] == str(folder / f"{ordinary}.db")


def test_results_that_cannot_be_read_do_not_stand_in_the_way(redtape, ordinary: str, tmp_path: Path) -> None:
    """A junk results file: the session is shown all the same, and what is wrong is said."""
    (tmp_path / ".redtape" / "redtape.db").write_bytes(b"junk" * 1000)
    done = redtape("show", ordinary, "--json")

    assert 0 == done.code
    assert "ordinary" == done.json["session"]
    assert "results can't be read" in done.err
