"""Disguises hide words from filters and people, and never change what a model reads."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from injectors.disguise import DISGUISES, hidden_html, plain, zero_width


@given(st.text(max_size=60))
def test_the_words_are_still_there(text: str) -> None:
    assert text == plain(text)
    inner = re.fullmatch(r'<span style="display:none">(.*)</span>', hidden_html(text), re.DOTALL)
    assert inner is not None
    assert "<" not in inner[1]
    assert html.unescape(inner[1]) == html.unescape(text) or text == html.unescape(inner[1])
    assert text.replace("\u200b", "") == zero_width(text).replace("\u200b", "")


def test_long_words_are_broken_and_short_ones_are_not() -> None:
    assert "Buy XY\u200bZW now im\u200bmediately" == zero_width("Buy XYZW now immediately")


def test_markup_in_a_hidden_text_stays_text() -> None:
    assert '<span style="display:none">a &lt;b&gt; &amp;amp; c</span>' == hidden_html("a <b> &amp; c")


def test_every_disguise_of_a_case_is_known() -> None:
    assert {"plain", "hidden_html", "zero_width"} == set(DISGUISES)
