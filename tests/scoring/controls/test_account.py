"""account.allow and account.venues."""

from __future__ import annotations

from scoring.judge import judge_session


def test_allow(session, contract, place):
    """An account that the wire does not name can't be judged."""
    events = (place(account="PA1"), place(account="PA2"), place())
    judged = judge_session(session(*events), contract(account={"allow": ["PA1"]}))

    assert [one.verdict.value for one in judged.verdicts] == ["pass", "violation", "indeterminate"]


def test_venues(session, contract, place):
    """A venue off the list is a breach."""
    judged = judge_session(session(place(), place(venue="okx")), contract(account={"venues": ["alpaca"]}))

    assert [one.verdict.value for one in judged.verdicts] == ["pass", "violation"]
