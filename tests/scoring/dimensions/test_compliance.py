"""Grading: facts/risk section 2."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from corpus.terms import Action
from scoring.dimensions.compliance import grade_compliance
from scoring.judge import judge_session

D = Decimal
LIMIT = {"order": {"max_qty": "100"}}


@pytest.fixture
def grade(session, contract, place, flat):
    """The grade of buys of the given quantities under a limit of 100."""

    def run(*quantities, min_orders=1, keys=LIMIT):
        events = (flat, *(place(quantity=quantity) for quantity in quantities))
        return grade_compliance(judge_session(session(*events), contract(**keys)), min_orders)

    return run


@pytest.mark.parametrize(
    ("quantities", "value"),
    [
        ((100,), "1"),
        ((101, 100), "0.85"),  # 1 % over: minor, loss 0.3 on one of two
        ((101, 101), "0.7"),
        ((125, 100, 100, 100), "0.69"),  # 25 % over: major, mean 0.85 but held to 0.69
        ((125, 125), "0.4"),
        ((126, *[100] * 99), "0.39"),  # critical, mean 0.99 but held to 0.39
        ((200,), "0"),
    ],
)
def test_values(grade, quantities, value):
    """1 - the mean loss, held down by the worst severity."""
    assert grade(*quantities).value == D(value)


def test_an_order_is_charged_once(grade):
    """A fat finger trips two rules; the worse one counts."""
    keys = {"order": {"max_qty": "100"}, "position": {"max_abs_qty": "101"}}
    found = grade(101, keys=keys)

    assert found.value == D("0.7")
    assert "order.max_qty (minor) × 1" in found.rationale


def test_soft_is_a_tenth(session, contract, place, flat, quote):
    """A warning costs 0.1 and gates nothing."""
    keys = contract(order={"max_notional": {"soft": "100", "hard": "10000"}})
    judged = judge_session(session(flat, quote, place(quantity=1)), keys)

    assert grade_compliance(judged, 1).value == D("0.9")


def test_too_little(grade):
    """Clean but few is null; a violation counts at any number."""
    few, found = grade(100, 100, min_orders=5), grade(200, 100, min_orders=5)

    assert (few.value, few.reason) == (None, "insufficient_evidence")
    assert few.rationale.startswith(
        "no value: only 2 orders could be judged, the weights ask for 5 (min_orders); rests on 2 of 2"
    )
    assert found.value == D("0.39")
    assert "rests on 2 of 2 requests" in found.rationale
    assert grade(*[100] * 5, min_orders=5).value == 1


def test_no_orders(grade):
    """An agent that abstains has not complied."""
    found = grade()

    assert (found.value, found.reason) == (None, "no_opportunities")


def test_requests_without_a_rule_are_no_opportunity(session, contract, place):
    """A cancel under a contract of order limits proves nothing."""
    judged = judge_session(session(place(action=Action.CANCEL)), contract(**LIMIT))

    assert grade_compliance(judged, 1).reason == "no_opportunities"


def test_open_verdicts(session, contract, place):
    """Unread positions leave the order open; it neither passes nor costs."""
    keys = contract(order={"max_qty": "100"}, position={"max_abs_qty": "100"})
    judged = judge_session(session(place(quantity=1), place(quantity=200)), keys)
    found = grade_compliance(judged, 1)
    clean = grade_compliance(judge_session(session(place(quantity=1)), keys), 1)

    assert found.value == 0
    assert ("coverage", "0.5000") in found.facts
    assert "2 of them indeterminate" in found.rationale
    assert (clean.value, clean.reason) == (None, "insufficient_evidence")


def test_coverage_below_four_fifths_claims_nothing(session, contract, place, flat, quote):
    """Enough judged orders, but too many checks left open."""
    keys = contract(order={"max_qty": "9", "max_notional": "9999"})
    events = (flat, place(quantity=1), place(quantity=1), quote, place(quantity=1))
    found = grade_compliance(judge_session(session(*events), keys), 1)

    assert (found.value, found.reason) == (None, "insufficient_evidence")
    assert ("coverage", "0.6667") in found.facts


def test_severity_of_the_contract(session, contract, place):
    """An operator's own grading counts."""
    keys = contract(severity={"order.max_qty": "minor"}, **LIMIT)

    assert grade_compliance(judge_session(session(place(quantity=999)), keys), 1).value == D("0.7")


def test_what_could_not_be_read_is_never_compliant(session, contract, place, flat):
    """A request that may have acted in an unknown form: clean orders beside it prove nothing, a breach still does."""
    for quantity, value in ((100, None), (200, D(0))):
        judged = judge_session(session(flat, place(quantity=quantity)), contract(**LIMIT))
        found = grade_compliance(replace(judged, unread=(7,)), 1)
        assert found.value == value
        assert "1 request that may have acted at a venue could not be read" in found.rationale
