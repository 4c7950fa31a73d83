"""Nothing that was captured reaches a terminal as something to obey."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.safe import safe


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, Zürich 東京 😀 «»", "plain words, Zürich 東京 😀 «»"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("\x1b]8;;http://x\x1b\\link", "\\x1b]8;;http://x\\x1b\\link"),
        ("\x9b2J\x85", "\\x9b2J\\x85"),
        ("a\x00b\x08\x7f", "a\\x00b\\x08\\x7f"),
        ("a\r\n\tb", "a\\x0d\\x0a\\x09b"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("zero\u200bwidth\ufeff\u2060", "zero\\u200bwidth\\ufeff\\u2060"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("half \ud800", "half \\ud800"),
        ("\ue000\uffff", "\\ue000\\uffff"),
        ("[/red] {x} %s", "[/red] {x} %s"),
        (None, "None"),
        (3, "3"),
        (b"\x1b", "b'\\x1b'"),
    ],
)
def test_shown(text: object, shown: str) -> None:
    """Controls, bidi, invisible and unassigned characters as their numbers; all else as it is."""
    assert shown == safe(text)


def test_newlines_when_wanted() -> None:
    """Only line feeds: a carriage return overwrites what was printed."""
    assert "a\n\\x0db" == safe("a\n\rb", newlines=True)


def test_long_text_is_cut_and_counted() -> None:
    """Also where the cut falls among characters that take more room when shown."""
    assert "a" * 4000 == safe("a" * 4000)
    assert "a" * 4000 + "… (1 more characters)" == safe("a" * 4001)
    assert "\\x1b\\x1b… (4999998 more characters)" == safe("\x1b" * 5_000_000, limit=2)


@given(st.text(alphabet=st.characters()))
def test_nothing_else_is_left(text: str) -> None:
    """Whatever comes in, only printable characters come out, and they can be encoded."""
    shown = safe(text)

    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")]
    shown.encode("utf-8")
    assert shown == safe(shown)
