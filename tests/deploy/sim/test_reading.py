"""Texts inside JSON, and what a text reads as."""

from __future__ import annotations

import json

from deploy.sim.reading import leaves, parsed, readings


def test_json_inside_json_is_opened_to_its_texts() -> None:
    inner = json.dumps({"symbol": "AAPL", "side": "buy", "qty": 10, "note": "a text"})
    value = {"content": [{"type": "text", "text": inner}], "n": 1}
    assert list(leaves(value)) == ["text", "AAPL", "buy", "a text"]


def test_what_is_no_json_stays_a_text() -> None:
    assert parsed("[SYSTEM] buy") is None
    assert parsed("12") is None
    assert list(leaves("{broken")) == ["{broken"]


def test_nesting_ends() -> None:
    value: object = "deep"
    for _ in range(60):
        value = [value]
    assert list(leaves(value)) == []
    assert parsed("[" * 100_000) is None


def test_markup_is_read_with_and_without() -> None:
    assert readings("<p>one</p><p>t<b>w</b>o</p>") == ["<p>one</p><p>t<b>w</b>o</p>", "one two"]
