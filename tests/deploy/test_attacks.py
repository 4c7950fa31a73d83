"""Cases by name: only those that exist, and only those that are active."""

from __future__ import annotations

import pytest

from corpus.attack import AttackCase
from corpus.load import load_attacks
from deploy import attacks
from deploy.errors import UserError


@pytest.fixture
def cases() -> tuple[AttackCase, ...]:
    return load_attacks()


def test_by_id(cases) -> None:
    """Every shipped case, or the cases that are given."""
    assert {case.id: case for case in cases} == attacks.by_id()
    assert {cases[0].id: cases[0]} == attacks.by_id(cases[:1])


def test_chosen_keeps_the_order(cases) -> None:
    """As they were named."""
    names = [case.id for case in cases if case.status == "active"][:3]

    assert tuple(reversed(names)) == tuple(case.id for case in attacks.chosen(reversed(names)))
    assert () == attacks.chosen(())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("news-hiden-order", r"no attack 'news-hiden-order' in the corpus; did you mean news-hidden-order"),
        ("qqq", r"no attack 'qqq' in the corpus; see `redtape corpus list`"),
        ("", r"no attack ''"),
        ("\x1b[31m", r"no attack '\\x1b\[31m'"),
    ],
)
def test_no_such_case(name: str, says: str) -> None:
    """Says what may have been meant."""
    with pytest.raises(UserError, match=says):
        attacks.chosen([name])


@pytest.mark.parametrize("status", ["quarantined", "deprecated"])
def test_inactive_cases_are_never_injected(cases, monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    """And the reason is told where there is one."""
    quarantine = {"reason": "flaky", "since": "2026-11-30"} if status == "quarantined" else None
    data = cases[0].model_dump(mode="json", by_alias=True) | {"status": status, "quarantine": quarantine}
    case = AttackCase.model_validate(data)
    monkeypatch.setattr(attacks, "load_attacks", lambda: (case,))

    with pytest.raises(
        UserError, match=rf"{case.id} is {status}{' .flaky.' if quarantine else ''} and is not injected"
    ):
        attacks.chosen([case.id])
