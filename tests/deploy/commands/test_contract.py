"""`redtape contract`: what a contract holds, and whether verdicts are what its author expects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HEAD = "schema: risk-contract/1\nid: mine\nversion: 1\n"
CASE: dict[str, Any] = {
    "id": "one",
    "contract": {"order": {"max_qty": "10"}},
    "given": {"quotes": {"AAPL": {"bid": "100", "ask": "101"}}},
    "events": [
        {
            "t": "2026-11-25T15:00:00Z",
            "submit": {"id": "a", "sym": "AAPL", "side": "buy", "type": "market", "qty": "5"},
        },
        {
            "t": "2026-11-25T15:00:01Z",
            "submit": {"id": "b", "sym": "AAPL", "side": "buy", "type": "market", "qty": "50"},
        },
    ],
    "expect": {"a": {"verdict": "pass"}, "b": {"verdict": "violation", "rules": ["order.max_qty"]}},
}


def cases(*told: Any) -> Path:
    file = Path("cases.yaml")
    file.write_text(json.dumps(told))  # JSON is YAML
    return file


# ---- check


def test_check(redtape) -> None:
    """Shipped ones by name; for people and for programs."""
    done = redtape("contract", "check", "us-equity-long-only")
    assert (0, "") == (done.code, done.err)
    assert done.out.startswith("us-equity-long-only version 1, hash ")
    for line in (
        "order.max_notional soft 10000, hard 15000",
        "symbols.allow AAPL, MSFT, IBM, GOOG",
        "short.allowed false",
    ):
        assert f"\n  {line}\n" in done.out

    told = redtape("contract", "check", "us-equity-long-only", "--json").json
    assert ["id", "version", "hash", "keys"] == list(told)
    assert told["hash"].startswith(done.out.split("hash ")[1].split(":")[0])
    assert "order.max_notional" in told["keys"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("order:\n  max_qtty: '1'\n", "c.yaml:5: order.max_qtty: unknown key; did you mean max_qty?"),
        ("order:\n  max_qty: many\n", "c.yaml:5: order.max_qty: "),
        (
            "day_trades:\n  max: 3\n  window_sessions: 5\n",
            "c.yaml:5: day_trades.max: this version does not evaluate this key",
        ),
        ("day_trades:\n  max: 3\n  window_sessions: 5\n", "(and day_trades.window_sessions)"),
        ("order: {max_qty: '1'\n", "c.yaml:"),
        ("order: &a {max_qty: '1'}\n", "c.yaml:4: "),
    ],
)
def test_check_bad(redtape, text: str, says: str) -> None:
    """Exit 2: file, line, key and what to do."""
    Path("c.yaml").write_text(HEAD + text)
    for more in ((), ("--json",)):
        done = redtape("contract", "check", "c.yaml", *more)

        assert (2, "") == (done.code, done.out)
        assert says in done.err


def test_check_hostile_file(redtape, harmless) -> None:
    """A contract from elsewhere is text of others."""
    Path("c.yaml").write_text(HEAD + 'order: {"\\x1b[31m\\u202e": 1}\n')
    done = redtape("contract", "check", "c.yaml")

    assert (2, "") == (done.code, done.out)
    harmless(done.err)


# ---- test


def test_as_expected(redtape) -> None:
    """Exit 0; one object an expectation, in their order."""
    done = redtape("contract", "test", cases(CASE), "--json")

    assert (0, "1 cases, 0 differences\n") == (done.code, done.err)
    assert [
        {"id": "one", "order": "a", "expected": "pass", "got": "pass", "rules": []},
        {"id": "one", "order": "b", "expected": "violation", "got": "violation", "rules": ["order.max_qty"]},
    ] == done.lines
    assert (0, "") == (redtape("contract", "test", cases(CASE)).code, redtape("contract", "test", cases(CASE)).out)


def test_difference(redtape) -> None:
    """Exit 1, and people see which."""
    wrong = CASE | {
        "expect": {"a": {"verdict": "violation"}, "b": {"verdict": "violation", "rules": ["order.max_notional"]}}
    }
    done = redtape("contract", "test", cases(CASE, wrong))

    assert (1, "2 cases, 2 differences\n") == (done.code, done.err)
    assert [
        "one a: expected violation, got pass",
        "one b: expected violation order.max_notional, got violation order.max_qty",
    ] == done.out.splitlines()
    assert ["violation", "pass"] == [
        redtape("contract", "test", cases(wrong), "--json").lines[0][key] for key in ("expected", "got")
    ]


def test_keys_that_are_not_evaluated(redtape) -> None:
    """A verdict that passes over them proves nothing: no expectation is met, whatever it says."""
    contract = CASE["contract"] | {"day_trades": {"max": 3, "window_sessions": 5}}
    case = CASE | {"contract": contract, "expect": CASE["expect"] | {"_summary": {"abstained": False, "reason": None}}}
    done = redtape("contract", "test", cases(case), "--json")

    assert (1, "1 cases, 4 differences\n") == (done.code, done.err)
    rules = ["day_trades.max", "day_trades.window_sessions"]
    assert [
        ("a", "pass", "not_evaluated", rules),
        ("b", "violation", "not_evaluated", rules),
        ("_summary.abstained", "False", "not_evaluated", rules),
        ("_summary.reason", "None", "not_evaluated", rules),
    ] == [(one["order"], one["expected"], one["got"], one["rules"]) for one in done.lines]
    assert (
        "one a: expected pass, got not_evaluated day_trades.max day_trades.window_sessions\n"
        in redtape("contract", "test", cases(case)).out
    )


def test_the_projects_own_vectors(redtape) -> None:
    """Every case whose keys are evaluated comes out as expected; the others say what is missing."""
    vectors = Path(__file__).parents[2] / "vectors/risk/risk.yaml"
    rows = redtape("contract", "test", vectors, "--json").lines

    assert len(rows) > 60
    assert [] == [row for row in rows if row["got"] not in (row["expected"], "not_evaluated")]
    assert any(row["got"] == "not_evaluated" for row in rows)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "cases.yaml: a list of cases is wanted here, each with id, contract, events and expect, such as [{id"),
        ("- 5\n", "cases.yaml:1: case 1: keys with values, and an id among them"),
        ("-\n  title: x\n", "case 1: keys with values, and an id among them"),
        ("- {id: x}\n", "case 1 (x): contract: a map of keys is wanted here"),
        ("- {id: x, contract: 5}\n", "(x): contract: a map of keys is wanted here"),
        ("- {id: x, contract: {}, events: {}}\n", "(x): events: a list is wanted here"),
        ("- {id: x, contract: {}, events: []}\n", "(x): expect: a map of keys is wanted here"),
        ("- {id: x, contract: {}, events: [], expect: {a: {verdict: pass}}}\n", "(x): BadVector: x: expect names a"),
        ("- {id: x, contract: {}, events: [5], expect: {}}\n", "cases.yaml:1: case 1 (x): "),
        ("- {id: x, contract: {}, events: [{}], expect: {}}\n", "cases.yaml:1: case 1 (x): "),
        ("- {id: x, contract: {}, events: [{t: now, submit: {}}], expect: {}}\n", "cases.yaml:1: case 1 (x): "),
        ("- {id: x, contract: {}, given: 5, events: [], expect: {}}\n", "cases.yaml:1: case 1 (x): "),
        ("- {id: x, contract: {}, given: {pos: [a]}, events: [], expect: {}}\n", "cases.yaml:1: case 1 (x): "),
        (
            "- {id: x, contract: {day_trades: {max: 1, window_sessions: 1}}, events: [], expect: {a: 5}}\n",
            "case 1 (x): ",
        ),
        (
            "- id: x\n  events: []\n  expect: {}\n  contract:\n    order: {max_qtty: 1}\n",
            "cases.yaml:5: [0].contract.order.max_qtty: unknown key",
        ),
        ("- [", "cases.yaml:"),
    ],
)
def test_bad_cases(redtape, text: str, says: str) -> None:
    """Exit 2, with the place; never an internal error."""
    Path("cases.yaml").write_text(text)
    done = redtape("contract", "test", "cases.yaml")

    assert (2, "") == (done.code, done.out), done.err
    assert says in done.err


def test_the_example_of_a_case_is_one(redtape) -> None:
    """What an error shows can be copied."""
    from deploy.commands.contract import _EXAMPLE

    Path("cases.yaml").write_text(_EXAMPLE)
    done = redtape("contract", "test", "cases.yaml")
    assert (0, "", "1 cases, 0 differences\n") == (done.code, done.out, done.err)
