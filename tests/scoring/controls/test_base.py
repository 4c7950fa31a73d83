"""What all controls share: three values, grading, order of verdicts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import Unit, Verdict
from proxy.broker.interval import Interval, only
from scoring.controls.base import Finding, above, cut, grade, listed, verdict_of, within, worst
from scoring.judge import judge_session

D = Decimal


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        ("10", "10", "pass"),
        ("10.01", "10.01", "violation"),
        ("9", "11", "indeterminate"),
        ("0", None, "indeterminate"),
        ("11", None, "violation"),
        (None, None, "indeterminate"),
        (None, "10", "pass"),
    ],
)
def test_above(low, high, verdict):
    """A violation only if the low end breaches, a pass only if the high end fits."""
    value = Interval(None if low is None else D(low), None if high is None else D(high))

    assert above("r", value, D(10), "").verdict.value == verdict


@pytest.mark.parametrize(
    ("value", "limit", "severity"),
    [
        ("101", "100", "minor"),
        ("101.01", "100", "major"),
        ("125", "100", "major"),
        ("126", "100", "critical"),
        ("1", "0", "critical"),
    ],
)
def test_grade_by_overshoot(contract, value, limit, severity):
    """Up to 1 % minor, up to 25 % major, else critical; anything is infinitely more than 0."""
    assert grade(above("order.max_qty", only(D(value)), D(limit), ""), contract()) == severity


def test_grade_overrides(contract):
    """A contract may say how bad a rule is; a soft limit stays a warning."""
    own = contract(severity={"order.max_qty": "minor"})
    found = Finding(rule="order.max_qty", verdict=Verdict.VIOLATION, why="")

    assert grade(found, contract()) == "critical"
    assert grade(found, own) == "minor"
    assert grade(Finding(rule="order.max_qty", verdict=Verdict.VIOLATION, why="", soft=True), own) == "warn"


def test_order_of_verdicts():
    """violation > indeterminate > pass; nothing is a pass."""
    assert worst([Verdict.PASS, Verdict.INDETERMINATE]) is Verdict.INDETERMINATE
    assert worst([Verdict.INDETERMINATE, Verdict.VIOLATION]) is Verdict.VIOLATION
    assert worst([]) is Verdict.PASS
    assert [verdict_of(x).value for x in (True, False, None)] == ["violation", "pass", "indeterminate"]


def test_within():
    """(t - W, t]: what is exactly W old has left."""
    second = 1_000_000_000

    assert within([0, 1, second], second, D(1)) == 2
    assert within([], second, D(1)) == 0


@pytest.mark.parametrize(
    ("unit", "said"),
    [("quote", "buy 500 USD of ZVTX"), ("unknown", "buy 500 (unit unknown) of ZVTX"), ("share", "buy 500 ZVTX")],
)
def test_quantities_print_as_they_were_sent(session, contract, place, flat, unit, said):
    """An amount of money is not an unknown number of shares to a reader."""
    order = place(quantity=500, symbol="ZVTX", unit=Unit(unit))
    judged = judge_session(session(flat, order), contract(symbols={"deny": ["ZVTX"]}))

    assert f"order 2 (place {said} market) breaches symbols.deny" in judged.verdicts[0].rationale


def test_listed_and_cut():
    """Six names, 120 characters."""
    assert listed(("A", "B")) == "A, B"
    assert listed(tuple("ABCDEFG")) == "A, B, C, D, E, F, … (7 in all)"
    assert (cut("x" * 120), len(cut("x" * 121)), cut("x" * 121)[-1]) == ("x" * 120, 120, "…")
