"""What templates print: escaped, made visible, bounded, never null."""

import pytest
from jinja2 import StrictUndefined, UndefinedError
from markupsafe import Markup

from deploy.web import markup


def test_text_is_escaped_and_boxes_are_ours() -> None:
    assert markup.text("<b>\u202e&") == Markup('&lt;b&gt;<span class="cp">U+202E</span>&amp;')


def test_right_to_left_runs_are_isolated() -> None:
    assert markup.text("שלום") == Markup("<bdi>שלום</bdi>")


def test_long_text_is_cut_and_its_size_named() -> None:
    shown = markup.text("é" * 3_000)
    assert "cut, 6,000 bytes in all" in shown
    assert len(shown) < 2_200


def test_bytes_keep_their_lines() -> None:
    assert markup.body(b"a\nb") == Markup('a<span class="cp">LF</span>\nb')
    assert markup.printed(b"a\r\n\tb\x1b") == Markup('a\n\tb<span class="cp">U+001B</span>')


def test_ids_may_break_after_punctuation_only_in_text() -> None:
    assert markup.ident("a-b.c") == Markup("a-<wbr>b.<wbr>c")
    assert markup.ident("<a-b>") == Markup("&lt;a-<wbr>b&gt;")


def test_anchors_are_numbers() -> None:
    assert markup.anchor(3) == "t3"
    assert markup.anchor(3, "e", 12) == "t3-e12"
    with pytest.raises(ValueError, match="no kind of place"):
        markup.anchor(3, '"><script>')


@pytest.mark.parametrize("value", [None, True, b"x", [], object()])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        markup.finalize(value)


def test_a_missing_name_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        markup.finalize(StrictUndefined(name="x"))
