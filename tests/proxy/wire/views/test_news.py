"""News items of Alpaca's shape: whole, with holes, and in other places."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.catalogue import ViewRule, load_catalogue
from proxy.wire.codecs.json_span import Node
from proxy.wire.edit import Unreadable
from proxy.wire.views import news
from proxy.wire.views.text import TextItem, TextView

RULE = load_catalogue().endpoints["alpaca.news"].rule.views[0]
ITEM = {
    "id": 24843171,
    "headline": "Apple leads \"the\" gains",
    "author": "Ben",
    "created_at": "2026-11-30T13:00:00Z",
    "updated_at": "2026-11-30T13:01:00Z",
    "summary": "Summary",
    "content": "<p>Café</p>",
    "url": "https://x.example/1",
    "images": [],
    "symbols": ["AAPL", "TSLA"],
    "source": "benzinga",
}  # fmt: skip


def view(*items: Any, **style: Any) -> TextView:
    return news.read(RULE, json.dumps({"news": list(items), "next_page_token": None}, **style).encode())


def texts(found: TextView, item: TextItem) -> dict[str, str]:
    return {name: json.loads(found.body[node.start : node.end]) for name, node in item.fields}


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_a_whole_item(style: dict[str, Any]) -> None:
    found = view(ITEM, ITEM | {"id": 2}, **style)
    assert ("news", True, 2) == (found.kind, found.insertable, len(found.items))
    item = found.items[0]
    assert "24843171" == item.key
    assert {"headline": 'Apple leads "the" gains', "summary": "Summary", "content": "<p>Café</p>"} == texts(found, item)
    assert ("AAPL", "TSLA") == item.symbols
    assert 1_796_043_600 * 10**9 == item.published_ns
    assert frozenset({"content"}) == item.html
    assert ITEM == json.loads(found.body[item.node.start : item.node.end])
    assert isinstance(item.id, Node)
    assert b"24843171" == found.body[item.id.start : item.id.end]


@pytest.mark.parametrize(
    ("changed", "key", "names", "symbols", "timed"),
    [
        ({"id": None}, 'Apple leads "the" gains', ["headline", "summary", "content"], ("AAPL", "TSLA"), True),
        ({"id": "abc"}, "abc", ["headline", "summary", "content"], ("AAPL", "TSLA"), True),
        ({"headline": None}, "24843171", ["summary", "content"], ("AAPL", "TSLA"), True),
        ({"content": 5, "summary": []}, "24843171", ["headline"], ("AAPL", "TSLA"), True),
        ({"symbols": None}, "24843171", ["headline", "summary", "content"], (), True),
        ({"symbols": "AAPL, TSLA,"}, "24843171", ["headline", "summary", "content"], ("AAPL", "TSLA"), True),
        ({"symbols": ["AAPL", 5, None]}, "24843171", ["headline", "summary", "content"], ("AAPL",), True),
        ({"created_at": None}, "24843171", ["headline", "summary", "content"], ("AAPL", "TSLA"), False),
        ({"created_at": "yesterday"}, "24843171", ["headline", "summary", "content"], ("AAPL", "TSLA"), False),
    ],
)
def test_items_with_holes(
    changed: dict[str, Any], key: str, names: list[str], symbols: tuple[str, ...], timed: bool
) -> None:
    item = view(ITEM | changed).items[0]
    assert (key, names, symbols) == (item.key, [name for name, _ in item.fields], item.symbols)
    assert timed is (item.published_ns is not None)


def test_an_item_without_anything() -> None:
    item = view({}).items[0]
    assert ("", (), (), None, None) == (item.key, item.fields, item.symbols, item.published_ns, item.id)


@pytest.mark.parametrize(
    "body", [b'{"news": []}', b'{"news": null}', b'{"news": 5}', b"{}", b"[]", b"5", b'{"news": [null, 5, "x", []]}']
)
def test_no_items(body: bytes) -> None:
    assert () == news.read(RULE, body).items


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b'{"news": [}', b"\xff\xfe"])
def test_no_document_no_view(body: bytes) -> None:
    with pytest.raises(Unreadable):
        news.read(RULE, body)


def test_members_of_an_object_are_items_to_edit_but_none_can_be_added() -> None:
    rule = ViewRule(kind="news", items="feed.*", text={"headline": "title"})
    found = news.read(rule, b'{"feed": {"a": {"title": "x"}, "b": {"title": "y"}}}')
    assert (2, False) == (len(found.items), found.insertable)
    listed = ViewRule(kind="news", items="[*]", text={"headline": "title"})
    assert news.read(listed, b'[{"title": "x"}]').insertable
    single = ViewRule(kind="news", items="story", text={"headline": "title"})
    assert not news.read(single, b'{"story": {"title": "x"}}').insertable


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_but_unreadable(body: bytes) -> None:
    try:
        news.read(RULE, body)
    except Unreadable:
        pass


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*ITEM, "news"]), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_odd_shapes_are_read_as_far_as_they_go(value: Any) -> None:
    body = json.dumps({"news": value}).encode()
    for item in news.read(RULE, body).items:
        for _, node in item.fields:
            assert isinstance(json.loads(body[node.start : node.end]), str)
