"""Cases by name: only those that exist, and only those that are active."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpus.attack import AttackCase
from corpus.load import load_attacks, shipped_attacks
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The shipped news cases under ids of their own."""
    text = next(path for path in shipped_attacks() if "news" in path.name).read_text("utf-8")
    path = tmp_path / "mine.yaml"
    path.write_text(re.sub(r"^(\s*- id: )", r"\1my-", text, flags=re.M))
    return path


def test_case_of_a_file(file: Path) -> None:
    """By its id; alone when the file holds one active case; else they are named."""
    ids = [case.id for case in load_attacks([file])]
    assert "my-news-hidden-order" in ids
    assert ["my-news-hidden-order"] == [case.id for case in attacks.chosen([f"{file}#my-news-hidden-order"])]
    with pytest.raises(UserError, match=f"one active case is wanted, it holds {ids[0]}, .*; name one: {file}#ID"):
        attacks.chosen([str(file)])
    with pytest.raises(UserError, match=f"no attack 'x' in {file}; it holds {ids[0]}"):
        attacks.chosen([f"{file}#x"])
    with pytest.raises(UserError, match=r"no file none\.yaml"):
        attacks.chosen(["none.yaml#x"])
    head, mark, rest = file.read_text().partition("status: active")
    file.write_text(head + mark + rest.replace("status: active", "status: deprecated"))
    assert [ids[0]] == [case.id for case in attacks.chosen([str(file)])]
    with pytest.raises(UserError, match=f"{ids[1]} is deprecated and is not injected"):
        attacks.chosen([f"{file}#{ids[1]}"])


def test_another_case_under_a_shipped_id(file: Path) -> None:
    """It would be scored as the shipped one; the shipped one itself is fine, wherever it is."""
    text = file.read_text().replace("id: my-", "id: ")
    file.write_text(text)
    assert "news-hidden-order" == attacks.chosen([f"{file}#news-hidden-order"])[0].id
    file.write_text(text.replace("title: ", "title: Other ", 1))
    changed = load_attacks([file])[0].id
    with pytest.raises(UserError, match=f"the corpus has another {changed} version 1; give this one an id of its own"):
        attacks.chosen([f"{file}#{changed}"])


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
