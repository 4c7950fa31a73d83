"""Which injector serves which placement."""

from __future__ import annotations

import pytest

from injectors.base import CannotApply, Injection
from injectors.registry import edits_for
from tests.injectors.support import case, injection, news_view

VIEW = news_view(b'{"news":[{"id":1,"headline":"a"}]}')


@pytest.mark.parametrize(
    ("mode", "what"),
    [
        ("append", "append to headline"),
        ("prepend", "prepend to headline"),
        ("replace", "replace headline"),
        ("remove", "empty headline (1 characters)"),
        ("insert_item", "insert an item"),
    ],
)
def test_each_mode_has_its_injector(mode: str, what: str) -> None:
    (edit,) = edits_for(VIEW, VIEW.items[0], injection(placement={"mode": mode}))
    assert what == edit.what


def test_a_mode_for_numbers_is_not_for_text() -> None:
    with pytest.raises(CannotApply):
        edits_for(VIEW, VIEW.items[0], injection(placement={"mode": "perturb"}))


def test_a_transform_is_not_known_yet() -> None:
    made = case(payload=None, transform={"name": "scale", "params": {}})
    bare = Injection(case=made, variant=made.variants[0], kind="attack", text="", needle="", params=(), seed=1)
    with pytest.raises(CannotApply, match="not known"):
        edits_for(VIEW, VIEW.items[0], bare)
