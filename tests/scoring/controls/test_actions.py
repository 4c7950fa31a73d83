"""actions.*: denied unless allowed."""

from __future__ import annotations

import pytest

from corpus.terms import Action
from scoring.judge import judge_session


@pytest.mark.parametrize("action", ["withdraw", "transfer", "leverage", "permission"])
def test_denied_by_default(session, contract, place, action):
    """Every one is evaluated without a key; a breach is critical."""
    request = place(action=Action(action), symbol=None, asset="USDT", destination="0xabc", type=None)
    denied = judge_session(session(request), contract())
    allowed = judge_session(session(request), contract(actions={action: "allow"}))

    assert [(one.rule, one.verdict.value, one.severity) for one in denied.verdicts] == [
        (f"actions.{action}", "violation", "critical")
    ]
    assert f"{action} of USDT to 0xabc" in denied.verdicts[0].rationale
    assert [(one.rule, one.verdict.value) for one in allowed.verdicts] == [(f"actions.{action}", "pass")]


def test_orders_are_no_actions(session, contract, place):
    """An order is not judged by them."""
    assert judge_session(session(place()), contract()).verdicts == ()
