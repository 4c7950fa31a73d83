"""Captured text made visible: nothing hidden, nothing lost, nothing invented."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.web.visible import flat, right_to_left, segments, whole_characters


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a\u200bb", "a[U+200B]b"),
        ("\u202eevil\u202c", "[U+202E]evil[U+202C]"),
        ("\x00\x1b[31m", "[U+0000][U+001B][31m"),
        ("a\r\nb\tc", "a[CR][LF]b[TAB]c"),
        ("no\u00a0break", "no[U+00A0]break"),
        ("\u2060" * 9, "[U+2060 × 9]"),
        ("\n\n", "[LF][LF]"),
        ("\U000e0041\U000e0042", "[U+E0041][U+E0042]"),
        ("heart\ufe0f", "heart[U+FE0F]"),
        ("\u3164\u115f", "[U+3164][U+115F]"),
        ("\ud800", "[U+D800]"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 6, "e\u0301\u0301[U+0301 × 4]"),
        (b"ok \xff\xfe", "ok [\\xFF][\\xFE]"),
        (b"\xc3", "[\\xC3]"),
        ("Größe 値".encode(), "Größe 値"),
        (b"\xed\xa0\x80", "[\\xED][\\xA0][\\x80]"),
    ],
)
def test_unseen_characters_become_boxes(value: str | bytes, shown: str) -> None:
    assert flat(value) == shown


@given(st.text())
def test_no_unseen_character_stays_in_text_and_no_seen_one_is_lost(value: str) -> None:
    parts = segments(value)
    for part in parts:
        assert all(
            char == " " or unicodedata.category(char)[0] not in "CZ" for char in part.text if part.kind == "text"
        )
    seen = "".join(part.text for part in parts if part.kind == "text")
    rest = iter(value)
    assert all(char in rest for char in seen)
    boxes = sum(part.count for part in parts if part.kind != "text")
    assert len(seen) + boxes == len(value)


@given(st.binary())
def test_any_bytes_can_be_shown(value: bytes) -> None:
    flat(value)


def test_right_to_left_is_told_from_controls() -> None:
    assert right_to_left("שלום")
    assert not right_to_left("plain \u202e")


@given(st.text(min_size=1, max_size=40), st.integers(0, 60), st.integers(0, 60))
def test_a_window_never_invents_broken_bytes(text: str, one: int, other: int) -> None:
    body = text.encode("utf-8", "ignore")
    low, high = sorted((min(one, len(body)), min(other, len(body))))
    window = body[low:high]
    start, end = whole_characters(window, head=low > 0, tail=high < len(body))
    window[start:end].decode()
    assert len(window) - (end - start) <= 6


def test_ends_of_a_body_are_not_trimmed() -> None:
    assert whole_characters(b"\x80a\xc3", head=False, tail=False) == (0, 3)
    assert whole_characters(b"\x80a\xc3", head=True, tail=True) == (1, 2)
