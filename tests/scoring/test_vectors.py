"""Every acceptance vector of risk contracts that this version can judge, and the exact list of those it ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.load import parse_yaml
from scoring.controls import unevaluated
from scoring.vectors import BadVector, Telling, contract_of, run_vector, run_vectors

FILE = Path(__file__).parents[1] / "vectors/risk/risk.yaml"
CASES = parse_yaml(FILE.read_text("utf-8"), str(FILE))[0]
BY_ID = {case["id"]: case for case in CASES}

RUN = "V01 V02 V03 V05 V06 V07 V08 V10 V11 V13 V14 V16 V17 V18 V19 V20 V21 V23 V24 V28 V29 V34 V35 V39 V40 V44".split()
NOT_YET = {
    "V25": "session.windows",
    "V27": "session.windows",
    "V31": "loss.max_session_loss",
    "V32": "loss.max_session_loss",
    "V37": "account.buying_power_model",
    "V41": "day_trades.max",
}


def test_no_vector_is_lost():
    """The vectors of the file are those that run and those that wait for a control, by name."""
    runnable = [id_ for id_, case in BY_ID.items() if not unevaluated(contract_of(case))]

    assert runnable == RUN
    assert sorted(BY_ID) == sorted([*RUN, *NOT_YET])
    assert all(key in unevaluated(contract_of(BY_ID[id_])) for id_, key in NOT_YET.items())


@pytest.mark.parametrize("id_", RUN)
def test_vector(id_):
    """Expectations are the file's."""
    rows = run_vector(BY_ID[id_])

    assert len(rows) == len(BY_ID[id_]["expect"])
    assert [(row.order, row.expected) for row in rows] == [(row.order, row.got) for row in rows]


def simple(**more):
    case = {
        "id": "T1",
        "contract": {"order": {"max_qty": "5"}},
        "given": {"quotes": {}},
        "events": [
            {
                "t": "2026-11-25T15:00:00Z",
                "submit": {"id": "a", "sym": "X", "side": "buy", "type": "market", "qty": "9"},
            }
        ],
        "expect": {"a": {"verdict": "pass"}},
    }
    return case | more


def test_a_wrong_expectation_is_seen():
    """A row says what was expected and what came."""
    (row,) = run_vectors([simple()])

    assert (row.expected, row.got, row.right) == (("pass",), ("violation",), False)


def test_rules_are_compared_when_given():
    """Exactly the rules whose verdict is the order's."""
    (row,) = run_vector(simple(expect={"a": {"verdict": "violation", "rules": ["order.max_notional"]}}))

    assert (row.expected, row.got) == (("violation", "order.max_notional"), ("violation", "order.max_qty"))


def test_retries_and_summary():
    """The same id and body again is a retry; the summary compares the keys given."""
    submit = simple()["events"][0]
    expect = {
        "a": {"verdict": "violation", "retries": 1},
        "_summary": {"abstained": False, "reason": None, "unexplained_adjustments": 0, "compliance_score": "0"},
    }
    rows = run_vector(simple(events=[submit, submit], expect=expect))

    assert [row.order for row in rows if row.right] == [
        "a",
        "_summary.abstained",
        "_summary.reason",
        "_summary.unexplained_adjustments",
        "_summary.compliance_score",
    ]


def test_abstention():
    """No order, no value."""
    rows = run_vector(
        simple(
            events=[], expect={"_summary": {"abstained": True, "reason": "no_opportunities", "compliance_score": None}}
        )
    )

    assert all(row.right for row in rows)


def test_two_reads_adopt():
    """A position that no order explains is believed when it was read twice."""
    events = [
        {"t": "2026-11-25T15:00:00Z", "snapshot": {"X": "7"}},
        {"t": "2026-11-25T15:00:01Z", "snapshot": {"X": "7"}},
    ]
    rows = run_vector(
        simple(given={"pos": {"X": "5"}}, events=events, expect={"_summary": {"unexplained_adjustments": 1}})
    )

    assert rows[0].right


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"events": [{"t": "yesterday", "ack": "a"}]}, "no time"),
        ({"events": [{"t": "2026-11-25", "submitt": {}}]}, "submitt"),
        ({"events": [{"t": "2026-11-25"}]}, "nothing"),
        ({"events": [{"t": "2026-11-25", "ack": "a"}]}, "never sent"),
        (
            {
                "events": [
                    {"t": "2026-11-25", "submit": {"id": "a", "sym": "X", "side": "buy", "type": "market", "qty": "a"}}
                ]
            },
            "decimal",
        ),
        ({"events": [{"t": "2026-11-25", "submit": {"id": "a", "px": "1"}}]}, "px"),
        ({"expect": {"b": {"verdict": "pass"}}}, "expect names b"),
        ({"expect": {"_summary": {"colour": "red"}}}, "colour"),
    ],
)
def test_bad_vectors(more, word):
    """What is not in the form is refused by name."""
    with pytest.raises(BadVector, match=word):
        run_vector(simple(**more))


def test_given_money():
    """Equity and buying power arrive as account reads."""
    told = Telling(simple(given={"equity": {"start": "1", "now": "2"}, "buying_power": "3"}))
    reads = [fact.event for fact in told.facts if fact.event.kind == "account"]

    assert [(str(one.equity), str(one.buying_power)) for one in reads] == [("1", "None"), ("2", "None"), ("None", "3")]
