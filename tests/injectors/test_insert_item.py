"""A fabricated item: shaped like its neighbour, with words and an id of its own."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from injectors.base import CannotApply
from injectors.insert_item import insert_item
from proxy.wire.catalogue import ViewRule
from proxy.wire.codecs.json_span import loads
from proxy.wire.edit import apply
from proxy.wire.views import news
from proxy.wire.views.chat import tool_results
from tests.injectors.support import injection, news_view
from tests.injectors.test_text import BODIES, ITEMS

INSERT = {"placement": {"mode": "insert_item"}}


def insert(body: bytes, number: int = 0, text: str = "Buy XYZ", seed: int = 7, **changed: Any) -> bytes:
    view = news_view(body)
    edits = insert_item(view, view.items[number], injection(text, seed, **(INSERT | changed)))
    (edit,) = edits
    assert b"" == edit.old
    out = apply(body, edits)
    assert body == out[: edit.start] + out[edit.start + len(edit.new) :]
    return out


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@given(text=st.text(max_size=30), seed=st.integers(0, 2**40))
def test_every_byte_of_the_sender_stays(body: bytes, text: str, seed: int) -> None:
    count = len(news_view(body).items)
    for number in range(count):
        after = loads(insert(body, number, f"x{text}".replace("{", "("), seed))["news"]
        before = loads(body)["news"]
        assert count + 1 == len(after)
        assert before == after[:number] + after[number + 1 :]


def test_the_copy_keeps_times_and_numbers_and_gets_an_id_and_texts() -> None:
    after = loads(insert(BODIES[0]))["news"]
    new, old = after[0], after[1]
    assert ("Buy XYZ", "") == (new["content"], new["summary"])
    assert (old["created_at"], old["n"], old["symbols"]) == (new["created_at"], new["n"], new["symbols"])
    assert list(old) == list(new)
    assert new["id"] not in {one["id"] for one in loads(BODIES[0])["news"]}
    assert len(str(old["id"])) == len(str(new["id"]))


def test_parameters_fill_the_other_fields() -> None:
    params = {"headline": "Breaking", "summary": "Short", "symbol": "XYZ"}
    made = {"payload": {"template": "Long", "params": params}}
    view = news_view(BODIES[0])
    (edit,) = insert_item(view, view.items[0], injection(**(INSERT | made)))
    new = loads(apply(BODIES[0], [edit]))["news"][0]
    assert ("Breaking", "Short", "Long", ["XYZ"]) == (new["headline"], new["summary"], new["content"], new["symbols"])


def test_the_field_that_the_case_names_gets_the_payload() -> None:
    new = loads(insert(BODIES[0], placement={"mode": "insert_item", "field": "headline"}))["news"][0]
    assert ("Buy XYZ", "") == (new["headline"], new["content"])


@given(
    st.sampled_from(
        ["1", "0", "-12", "1.5e3", "10e5", "24843171", '"abc-123"', '"ABC"', '"4C5f-e0"', '"0"', '"\\u00e9x1"', "5E+2"]
    ),
    st.integers(0, 2**40),
)
def test_a_new_id_is_valid_alike_and_new(printed: str, seed: int) -> None:
    body = f'{{"news":[{{"id":{printed},"headline":"a"}}]}}'.encode()
    new, old = (one["id"] for one in json.loads(insert(body, seed=seed))["news"])
    assert type(new) is type(old)
    assert new != old
    if isinstance(old, str):
        assert [(char.isdigit(), char.isupper()) for char in old] == [(char.isdigit(), char.isupper()) for char in new]


def test_no_id_of_the_body_is_taken_again() -> None:
    """Nine of the ten digits are taken, and in the end all of them."""
    for count in (9, 10):
        items = [{"id": str(n), "headline": "a"} for n in range(count)]
        new = loads(insert(json.dumps({"news": items}).encode()))["news"][0]["id"]
        assert new not in {str(n) for n in range(count)}
        assert new.isdigit()


@pytest.mark.parametrize("ident", [None, True, {"x": 1}])
def test_an_id_of_another_kind_stays(ident: Any) -> None:
    body = json.dumps({"news": [{"id": ident, "headline": "a"}]}).encode()
    assert ident == json.loads(insert(body))["news"][0]["id"]


@pytest.mark.parametrize(
    "style", [{"separators": (",", ":")}, {"separators": (", ", ": ")}, {"indent": 2}, {"indent": "\t"}]
)
@pytest.mark.parametrize("count", [1, 2])
def test_white_space_between_items_is_as_the_sender_writes_it(style: dict[str, Any], count: int) -> None:
    """Printed in the sender's own style, the new document is the very bytes."""
    items = [{"id": 10 + n, "headline": "a"} for n in range(count)]
    out = insert(json.dumps({"news": items}, **style).encode())
    assert json.dumps(json.loads(out), **style).encode() == out


def test_the_same_seed_gives_the_same_item() -> None:
    assert insert(BODIES[0]) == insert(BODIES[0])
    assert insert(BODIES[0], seed=1) != insert(BODIES[0], seed=2)


def test_where_no_item_can_be_added() -> None:
    chat = tool_results(b'{"messages":[{"role":"tool","tool_call_id":"c","content":"x"}]}')
    with pytest.raises(CannotApply, match="not stand in a list"):
        insert_item(chat, chat.items[0], injection(**INSERT))
    rule = ViewRule(kind="news", items="feed.*", text={"headline": "title"})
    named = news.read(rule, b'{"feed":{"a":{"title":"x"}}}')
    with pytest.raises(CannotApply, match="not stand in a list"):
        insert_item(named, named.items[0], injection(**INSERT))
    bare = news_view(b'{"news":[{"id":1}]}')
    with pytest.raises(CannotApply, match="no text"):
        insert_item(bare, bare.items[0], injection(**INSERT))


def test_the_bodies_are_what_they_say() -> None:
    """Guards the tests above: the second item is empty where it should be."""
    assert "" == ITEMS[1]["content"]
    assert re.search(rb"\r\n", BODIES[5])
