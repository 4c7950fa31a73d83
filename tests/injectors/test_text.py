"""Text attacks: one span changes, and everything else keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from injectors.base import CannotApply
from injectors.text import edit_text, field_of
from proxy.wire.edit import apply
from proxy.wire.views.chat import tool_results
from tests.injectors.support import injection, news_view

ITEMS = [
    {"id": 1, "headline": "Up 1.10 %", "created_at": "2026-11-30T13:00:00Z", "summary": "Café \u2013 5", "content": "<p>x</p>", "symbols": ["AAPL"], "n": 1.50},
    {"id": 2, "headline": "Down", "created_at": "2026-11-30T13:05:00Z", "summary": "", "content": "", "symbols": []},
]  # fmt: skip
STYLES: list[dict[str, Any]] = [
    {"separators": (",", ":")},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": (", ", ": ")},
    {"indent": 2},
    {"indent": "\t", "ensure_ascii": False},
]
BODIES = [json.dumps({"news": ITEMS, "next_page_token": None}, **style).encode() for style in STYLES]
BODIES += [BODIES[3].replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + BODIES[0], BODIES[0].replace(b"1.5}", b"1.50e0}")]
BODIES += [b'{"news":[{"id":1,"headline":"a\\/b\\u00e9","headline":"c\\u00e9","content":"d"}],"x":NaN}']

TEXTS = st.text(max_size=40)


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@given(text=TEXTS, mode=st.sampled_from(["append", "prepend"]), field=st.sampled_from(["headline", "content", "text"]))
def test_without_the_inserted_bytes_it_is_the_original(body: bytes, text: str, mode: str, field: str) -> None:
    """Numbers, other members, duplicates, spacing and escapes: not a byte of the sender's changes."""
    view = news_view(body)
    for item in view.items:
        (edit,) = edit_text(
            view, item, injection(f"x{text}".replace("{", "("), placement={"mode": mode, "field": field})
        )
        assert b"" == edit.old
        out = apply(body, [edit])
        assert body == out[: edit.start] + out[edit.start + len(edit.new) :]
        json.loads(out)


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@given(text=TEXTS, mode=st.sampled_from(["append", "prepend", "replace", "remove"]))
def test_the_result_says_what_was_meant(body: bytes, text: str, mode: str) -> None:
    view = news_view(body)
    item = view.items[0]
    made = injection(f"x{text}".replace("{", "("), placement={"mode": mode, "field": "headline"})
    edits = edit_text(view, item, made)
    before, after = json.loads(body), json.loads(apply(body, edits))
    old = before["news"][0]["headline"]
    expected = {"append": f"{old} {made.text}", "prepend": f"{made.text} {old}", "replace": made.text, "remove": ""}
    assert expected[mode].encode("utf-8", "replace") == after["news"][0]["headline"].encode("utf-8", "replace")
    before["news"][0]["headline"] = after["news"][0]["headline"] = None
    assert repr(before) == repr(after)


def test_escapes_are_those_of_the_value() -> None:
    body = b'{"news":[{"id":1,"headline":"caf\\u00e9 \\/","content":"caf\xc3\xa9"}]}'
    view = news_view(body)
    for field, wanted in (("headline", b'"caf\\u00e9 \\/ \\u20ac\\/"'), ("content", '"café €/"'.encode())):
        edits = edit_text(view, view.items[0], injection("€/", placement={"field": field}))
        assert wanted in apply(body, edits)


def test_a_tool_result_gets_a_line_of_its_own() -> None:
    body = b'{"messages":[{"role":"tool","tool_call_id":"c","content":"{\\"px\\": 1.50}"}]}'
    view = tool_results(body)
    edits = edit_text(view, view.items[0], injection("obey", placement={"view": "tool_result"}))
    assert body.replace(b'1.50}"', b'1.50}\\nobey"') == apply(body, edits)


@pytest.mark.parametrize(
    ("fields", "wanted", "expected"),
    [
        ({"headline": "a", "summary": "b", "content": "c"}, "text", "content"),
        ({"headline": "a", "summary": "b"}, "text", "summary"),
        ({"headline": "a"}, "text", "headline"),
        ({"headline": "a", "content": "c"}, "headline", "headline"),
    ],
)
def test_the_field_that_is_meant(fields: dict[str, str], wanted: str, expected: str) -> None:
    view = news_view(json.dumps({"news": [fields]}).encode())
    assert expected == field_of(view.items[0], wanted)


@pytest.mark.parametrize(
    ("item", "placement", "says"),
    [
        ({"id": 1}, {}, "no text"),
        ({"headline": "a"}, {"field": "content"}, "no field content; it has headline"),
        ({"headline": None, "content": 5}, {}, "no text"),
        ({"headline": "a"}, {"mode": "perturb"}, "mode perturb is not for text"),
        ({"headline": "a"}, {"mode": "insert_item"}, "not for text"),
    ],
)
def test_what_can_not_be_applied_says_why(item: dict[str, Any], placement: dict[str, str], says: str) -> None:
    view = news_view(json.dumps({"news": [item]}).encode())
    with pytest.raises(CannotApply, match=says):
        edit_text(view, view.items[0], injection(placement=placement))
