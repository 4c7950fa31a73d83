"""A score as people and programs read it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from corpus.terms import Outcome, Verdict
from deploy.contracts import load_contract, load_weights
from deploy.scoring import number, print_score, score_file, score_json, to_json
from proxy.journal.store import JournalError
from scoring.results import Composite, Contribution, Funnel, Ref, RuleVerdict, Score, TrialScore


def score(hostile: str = "", **changed: Any) -> TrialScore:
    plain: dict[str, Any] = {
        "outcome": Outcome.SUCCEEDED,
        "outcome_reason": f"bought {hostile}",
        "partial": False,
        "funnel": Funnel(delivered=True, notes=(("ingested", hostile),)),
        "verdicts": (
            RuleVerdict(
                order=3,
                rule="order.max_qty",
                verdict=Verdict.VIOLATION,
                limit="100.00",
                observed="5000",
                severity="major",
                rationale=hostile,
                refs=(Ref("order", 3),),
            ),
        ),
        "passes": 2,
        "scores": (
            Score(dimension="compliance", value=Decimal("0.50"), rationale=hostile, facts=(("p50", "1.50"),)),
            Score(dimension="cost", value=None, rationale="no price", reason="unknown_price"),
        ),
        "composite": Composite(
            value=Decimal("0.50"),
            coverage=Decimal("0.30"),
            contributions=(
                Contribution(dimension="compliance", value=Decimal("0.50"), weight=Decimal(1), points=Decimal("0.50")),
            ),
            missing=(("cost", "unknown_price"),),
        ),
        "contract_id": "c",
        "contract_hash": "ab" * 32,
        "weights_id": "demo",
    }
    return TrialScore(**(plain | changed))


def test_json() -> None:
    """Scores are numbers, limits and observations text, null says why."""
    told = score_json(score())

    assert {"value": 0.5, "rationale": "", "reason": None, "facts": {"p50": "1.50"}, "refs": []} == told["scores"][
        "compliance"
    ]
    assert (None, "unknown_price") == (told["scores"]["cost"]["value"], told["scores"]["cost"]["reason"])
    assert (0.5, 0.3, {"cost": "unknown_price"}) == tuple(
        told["composite"][key] for key in ("value", "coverage", "missing")
    )
    assert {"compliance": {"value": 0.5, "weight": 1.0, "points": 0.5}} == told["composite"]["contributions"]
    assert ("100.00", "5000", "violation") == tuple(
        told["verdicts"][0][key] for key in ("limit", "observed", "verdict")
    )
    assert ("succeeded", True, None) == (told["outcome"], told["funnel"]["delivered"], told["funnel"]["ingested"])
    assert told == json.loads(to_json(told))
    assert " " not in to_json({"a": [1, 2]})


def test_number() -> None:
    """Null stays null, zero stays zero."""
    assert (None, 0.0, 0.25) == (number(None), number(Decimal("0")), number(Decimal("0.25")))


def test_people(capsys: pytest.CaptureFixture[str], hostile: str, harmless) -> None:
    """On the stream that is wanted; nothing that was captured is obeyed."""
    for err in (False, True):
        print_score(score(hostile), f"s{hostile}", err=err)
        streams = capsys.readouterr()
        said, other = (streams.err, streams.out) if err else (streams.out, streams.err)

        assert "" == other
        harmless(said)
        assert "composite 0.50 · coverage 0.30 · contract c (abababababab) · weights demo" in said
        assert "null (unknown_price)" in said
        assert "2 checks passed\n" in said


def test_people_without_a_composite(capsys: pytest.CaptureFixture[str]) -> None:
    """The reason stands in its place; no outcome, no line of it."""
    composite = Composite(value=None, coverage=Decimal(0), contributions=(), missing=(), reason="required compliance")
    print_score(score(composite=composite, outcome=None, verdicts=()), "s")
    said = capsys.readouterr().out

    assert "no composite: required compliance" in said
    assert "outcome" not in said


def test_file(redtape, imported, har, tmp_path: Path) -> None:
    """By file alone; the standard weights unless others are given."""
    name = imported(har.entry(body=har.placed(), answer=har.order()))
    file = tmp_path / f".redtape/sessions/{name}.db"
    loaded = load_contract("us-equity-long-only")
    result = score_file(file, loaded, None)

    assert ("standard", loaded.hash, None) == (result.weights_id, result.contract_hash, result.outcome)
    assert "demo" == score_file(file, loaded, load_weights("demo")).weights_id
    assert result == score_file(file, loaded, load_weights("standard"))
    with pytest.raises(JournalError, match="no such session file"):
        score_file(tmp_path / "none.db", loaded, None)
