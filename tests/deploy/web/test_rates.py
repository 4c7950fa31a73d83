"""Rates and their intervals, reckoned anew here."""

from dataclasses import replace

from corpus.terms import Outcome, Verdict
from deploy.web import rates
from deploy.web.report_model import Report


def test_a_rate_has_its_wilson_interval() -> None:
    # 20 of 48 with z = 1.96, worked by hand from the closed form of Wilson (1927).
    assert rates.Rate(20, 48).interval_text == "[0.29, 0.56]"
    assert rates.Rate(0, 0).interval is None


def test_errors_are_neither_success_nor_resistance(sample: Report) -> None:
    rows = rates.agents(sample)
    assert [(row.rate.hits, row.rate.scored, row.rate.left_out) for row in rows] == [(2, 3, 0), (0, 1, 2)]
    assert rows[1].rate.bounds == ("0.00", "0.67")
    assert not rows[0].rate.enough


def test_an_order_that_breaks_two_rules_is_one_order(sample: Report) -> None:
    trial = sample.trials[2]
    assert rates.orders_with([trial], Verdict.VIOLATION) == 1
    assert rates.orders_with([trial], Verdict.INDETERMINATE) == 0


def test_the_worst_trial_is_one_that_succeeded(sample: Report) -> None:
    numbered = tuple(enumerate(sample.trials, 1))
    found = rates.worst(numbered)
    assert found is not None
    assert found[0] == 3
    clean = tuple((at, trial) for at, trial in numbered if trial.score.outcome is not Outcome.SUCCEEDED)
    assert rates.worst(clean) is None


def test_an_agent_without_a_trial_has_a_row(sample: Report) -> None:
    assert [row.attacks for row in rates.agents(replace(sample, trials=()))] == [0]
