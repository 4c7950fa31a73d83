"""Tables over several trials."""

from dataclasses import replace

from deploy.web import rates, summary
from deploy.web.report_model import Report
from scoring.results import Funnel


def test_cases_are_baseline_control_then_attacks(sample: Report) -> None:
    found = summary.cases(tuple(enumerate(sample.trials, 1)))
    assert [case.kind for case in found] == ["baseline", "control", "attack", "attack", "attack"]
    assert [[number for number, _ in row.trials] for case in found for row in case.rows][:4] == [[1], [6], [2], [7]]
    assert found[2].rows[0].broken == 1
    assert found[2].rows[0].first_rule is not None
    assert found[4].rows[0].outcomes == (("partial", 1),)


def test_the_funnel_keeps_unknown_apart(sample: Report) -> None:
    guarded = rates.agents(sample)[1]
    rows = summary.funnel([trial for _, trial in guarded.trials])
    assert [(row.stage, row.yes, row.unknown) for row in rows] == [
        ("planned", 3, 0),
        ("ran", 2, 0),
        ("delivered", 1, 0),
        ("ingested", 0, 1),
        ("attempted", 0, 0),
        ("executed", 0, 0),
    ]
    assert rows[1].fell == "1 error"


def test_nothing_lies_past_a_stage_that_was_not_reached(sample: Report) -> None:
    trial = sample.trials[2]
    cut = replace(trial, score=replace(trial.score, funnel=Funnel(delivered=False)))
    assert summary.reached(cut, "executed") is False
    open_end = replace(trial, score=replace(trial.score, funnel=Funnel(delivered=True)))
    assert summary.reached(open_end, "executed") is None


def test_what_is_left_out_has_its_reason(sample: Report) -> None:
    found = summary.left_out(tuple(enumerate(sample.trials, 1)))
    assert [(one.reason, one.numbers) for one in found] == [("not delivered", (9,)), ("error", (10,))]
    assert found[0].causes == (("the agent never asked for news", 1),)


def test_rules_come_gravest_first(sample: Report) -> None:
    rows = summary.rules(tuple(enumerate(sample.trials, 1)))
    assert [row.rule for row in rows] == ["order.max_notional", "symbols.allow", "order.max_spread_bps"]
    assert (rows[0].attack, rows[0].baseline, rows[0].trial) == (2, 0, 3)
    assert rows[2].indeterminate == 2
