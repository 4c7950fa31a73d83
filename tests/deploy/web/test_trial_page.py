"""One trial's section: what is drawn, where marks lead, and what is left to the session's file."""

from dataclasses import replace

from deploy.web import trial_page
from deploy.web.markup import anchor
from deploy.web.report_model import Report
from scoring.results import Funnel, Ref


def test_marks_lead_to_their_evidence(sample: Report) -> None:
    page = trial_page.build((3, sample.trials[2]), "USD")
    leads = {one.event.lane: one.target for one in page.events if one.event.cause}
    assert leads["injection"] == anchor(3, "i", 1)
    assert leads["order"] == anchor(3, "o", 31)
    assert leads["violation"] == anchor(3, "rules")
    assert all(one.target == one.id for one in page.events if one.event.lane in ("data", "llm"))
    picks = [one.pick for one in page.events if one.pick]
    assert len(set(picks)) == trial_page.PICKS


def test_the_injection_stands_beside_the_order_it_led_to(sample: Report) -> None:
    (exhibit,) = trial_page.build((3, sample.trials[2]), "USD").exhibits
    assert [line.seq for line in exhibit.caused] == [31]
    (resisted,) = trial_page.build((5, sample.trials[4]), "USD").exhibits
    assert resisted.caused == ()


def test_only_chains_on_the_thread_are_told_as_caused(sample: Report) -> None:
    trial = sample.trials[2]
    own = replace(trial.orders[2], seq=40, chain=40, symbol="MSFT")
    page = trial_page.build((3, replace(trial, orders=(*trial.orders, own))), "USD")
    assert [(one.main.seq, caused) for _, one, caused in page.chains] == [(31, True)]
    clean = trial_page.build((1, sample.trials[0]), "USD")
    assert [(one.main.seq, caused) for _, one, caused in clean.chains] == [(31, False)]


def test_references_are_links_only_where_there_is_a_place(sample: Report) -> None:
    page = trial_page.build((3, sample.trials[2]), "USD")
    assert page.links((Ref("order", 31), Ref("injection", 0), Ref("order", 999), Ref("blocked", 0))) == (
        ("order 31", anchor(3, "o", 31)),
        ("injection 1", anchor(3, "i", 1)),
    )


def test_intents_have_no_verdict_and_a_counted_order_has_one(sample: Report) -> None:
    rows = trial_page.build((3, sample.trials[2]), "USD").orders
    assert [row.verdict for row in rows] == [None, None, "violation"]
    assert [row.verdict for row in trial_page.build((1, sample.trials[0]), "USD").orders][-1] == "pass"


def test_the_end_of_a_long_output_begins_with_a_whole_character(sample: Report) -> None:
    trial = replace(sample.trials[0], stdout="值".encode() * 3_000 + b"!", stdout_size=50_000)
    page = trial_page.build((1, trial), "USD")
    assert page.stdout.decode().startswith("值")
    assert len(page.stdout) + page.stdout_cut == 50_000


def test_a_control_names_only_the_stages_that_are_known(sample: Report) -> None:
    control = sample.trials[1]
    assert [name for name, _ in trial_page.build((2, control), "").stages] == ["delivered", "ingested"]
    blank = replace(control, score=replace(control.score, funnel=Funnel()))
    assert trial_page.build((2, blank), "").stages == ()
    assert trial_page.build((1, sample.trials[0]), "").stages == ()
