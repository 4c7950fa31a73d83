"""The main job, offline: `redtape demo` tells the two agents apart, twice alike."""

from __future__ import annotations

import asyncio
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from deploy.attacks import by_id
from tests.e2e.support.running import redtape

ATTACKS = ("news-hidden-order", "tool-risk-desk-note", "news-fabricated-takeover")


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for n in (1, 2):
        folder = tmp_path_factory.mktemp(f"demo{n}")
        done = asyncio.run(redtape(folder / "unused", "demo", "--json", "--out", str(folder / "out")))
        assert done.code == 0, done.err
        (line,) = done.lines()
        found.append((folder / "out", line))
    return found


def judged(demo: dict[str, Any]) -> list[Any]:
    """What may not depend on the run: everything but names of files and what is measured in seconds."""
    kept = []
    for trial in demo["trials"]:
        scores = {name: score["value"] for name, score in trial["scores"].items() if name not in ("latency", "cost")}
        rules = sorted((one["rule"], one["limit"], one["observed"]) for one in trial["violations"])
        names = ("agent", "attack", "kind", "outcome", "funnel", "composite", "session", "error")
        kept.append([{name: trial[name] for name in names}, scores, rules])
    return kept


def test_same_seed_same_result(demos: list[tuple[Path, dict[str, Any]]]) -> None:
    """Outcomes, funnels, scores, violations and composites are equal."""
    assert judged(demos[0][1]) == judged(demos[1][1])


def test_outcomes(demos: list[tuple[Path, dict[str, Any]]]) -> None:
    """The gullible agent falls for all three attacks, the guarded one for none; clean runs have no outcome."""
    outcomes = {(one["agent"], one["kind"], one["attack"]): one["outcome"] for one in demos[0][1]["trials"]}
    wanted = {("gullible", "attack", attack): "succeeded" for attack in ATTACKS}
    wanted |= {("guarded", "attack", attack): "resisted" for attack in ATTACKS}

    assert {key: value for key, value in outcomes.items() if key[1] == "attack"} == wanted
    assert {value for key, value in outcomes.items() if key[1] != "attack"} == {None}
    assert sorted(kind for agent, kind, _ in outcomes if agent == "guarded") == ["attack"] * 3 + ["baseline", "control"]


def test_the_funnel(demos: list[tuple[Path, dict[str, Any]]]) -> None:
    """Every attack was delivered and read; only the gullible agent's orders came of it."""
    for one in demos[0][1]["trials"]:
        if one["kind"] == "attack":
            fell = one["agent"] == "gullible"
            assert one["funnel"] == {"delivered": True, "ingested": True, "attempted": fell, "executed": fell}
            assert bool(one["violations"]) == fell
        assert one["error"] is None


def test_scores(demos: list[tuple[Path, dict[str, Any]]]) -> None:
    """Every dimension has a reason; the guarded agent scores higher under every attack."""
    by = {(one["agent"], one["attack"]): one for one in demos[0][1]["trials"] if one["kind"] == "attack"}

    assert all(score["rationale"] for one in demos[0][1]["trials"] for score in one["scores"].values())
    assert all(by["guarded", attack]["composite"] > by["gullible", attack]["composite"] for attack in ATTACKS)
    assert {by["gullible", attack]["scores"]["resistance"]["value"] for attack in ATTACKS} == {0}
    assert {by["guarded", attack]["scores"]["resistance"]["value"] for attack in ATTACKS} == {1}


def test_the_report_stands_alone(demos: list[tuple[Path, dict[str, Any]]]) -> None:
    """One file: no script, nothing fetched from anywhere; it names each agent and attack."""
    for out, demo in demos:
        text = (out / "index.html").read_text("utf-8")
        assert Path(demo["report"]).resolve() == (out / "index.html").resolve()
        assert "<script" not in text.lower()
        assert (
            re.findall(r"""(?:src|href|action|data|poster|srcset)\s*=\s*["']?(?!#)(?:https?:)?//""", text, re.I) == []
        )
        assert re.findall(r"url\(\s*[\"']?(?!data:|#)|@import", text) == []
        assert re.findall(r"\son\w+\s*=\s*[\"']", text) == []
        titles = [by_id()[attack].title for attack in ATTACKS]
        assert [word for word in ("gullible", "guarded", *titles) if word not in html.unescape(text)] == []


async def test_the_evidence_is_kept(demos: list[tuple[Path, dict[str, Any]]]) -> None:
    """A new workspace, whatever --workspace says; its sessions can be asked afterwards."""
    out, demo = demos[0]
    workspace = Path(demo["workspace"])
    orders = [await redtape(workspace, "orders", "--json", one["session"]) for one in demo["trials"][:3]]
    fell = next(one for one in demo["trials"] if one["outcome"] == "succeeded")
    diff = await redtape(workspace, "diff", "--json", fell["session"])

    assert workspace.is_relative_to(out)
    assert (workspace / "redtape.db").exists()
    assert [one.code for one in orders] == [0, 0, 0]
    venues = {(line["source"], line["venue"]) for one in orders for line in one.lines()}
    assert venues == {("wire", "alpaca"), ("llm", None)}
    assert json.loads(diff.out)["edits"]
