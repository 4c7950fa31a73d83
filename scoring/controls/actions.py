"""`actions.*`: moving money, leverage and rights. Denied unless the contract allows it."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Action
from scoring.controls.base import MONEY, Case, Control, Finding, cut, verdict_of


def judge(case: Case) -> Iterable[Finding]:
    """One rule per action; each is always evaluated."""
    request = case.request
    if request.action not in MONEY:
        return
    allowed = {
        Action.WITHDRAW: case.contract.actions.withdraw,
        Action.TRANSFER: case.contract.actions.transfer,
        Action.LEVERAGE: case.contract.actions.leverage,
        Action.PERMISSION: case.contract.actions.permission,
    }[request.action]
    words = [request.action.value]
    words += [f"of {cut(request.asset)}"] if request.asset else []
    words += [f"to {cut(request.destination)}"] if request.destination else []
    yield Finding(
        rule=f"actions.{request.action.value}",
        verdict=verdict_of(allowed == "deny"),
        why=" ".join(words),
        limit=allowed,
        observed=request.action.value,
    )


RULES = tuple(f"actions.{action.value}" for action in MONEY)
CONTROL = Control(RULES, RULES, judge)
