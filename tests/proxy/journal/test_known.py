"""Known secret values: found in every form in which they travel, whatever stands around them."""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.journal.known import MAX_VALUES, MIN_VALUE, Known, forms_of

SECRETS = st.text(min_size=MIN_VALUE, max_size=40)
AROUND = st.text(max_size=30)


def known(*values: str) -> Known:
    made = Known(lambda value: f"[{len(value)}]")
    for value in values:
        made.learn(value)
    return made


def clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@given(SECRETS, AROUND, AROUND)
def test_a_value_is_found_in_text_and_bytes(secret: str, before: str, after: str) -> None:
    found = known(secret)
    assert secret not in found.text(before + secret + after)
    raw = (before + secret + after).encode("utf-8", "surrogatepass")
    assert secret.encode("utf-8", "surrogatepass") not in found.body(raw)


@given(SECRETS.map(clean), AROUND.map(clean), AROUND.map(clean))
def test_the_forms_in_which_it_travels(secret: str, before: str, after: str) -> None:
    """Never from forms_of: each form is made by the standard library."""
    found = known(secret)
    raw = secret.encode()
    for form in (quote(secret, safe=""), quote_plus(secret), quote(secret), json.dumps(secret)[1:-1]):
        if form not in before + after:
            assert form not in found.text(before + form + after)
    whole = base64.b64encode(before.encode() + raw + after.encode()).decode()
    inner = base64.b64encode(raw).decode().rstrip("=")
    assert inner not in found.text(inner)
    for text in (whole, whole.replace("+", "-").replace("/", "_")):
        out = found.text(text)
        assert out != text
        # What is left of it reveals at most the bits that it shares with its neighbours.
        start = (len(before.encode()) * 8 + 5) // 6
        end = (len(before.encode()) + len(raw)) * 8 // 6
        assert text[start:end] not in out


@given(SECRETS, AROUND)
def test_what_holds_no_secret_is_the_same_object(secret: str, text: str) -> None:
    found = known(secret)
    if not any(form in text for form in forms_of(secret)):
        assert found.text(text) is text
    raw = text.encode("utf-8", "replace")
    if not any(form.encode("utf-8", "surrogatepass") in raw for form in forms_of(secret)):
        assert found.body(raw) is raw


@pytest.mark.parametrize("size", [10, 5000, 200_000])
def test_long_texts_are_read_like_short_ones(size: int) -> None:
    found = known("correct-horse", "battery-staple")
    pad = "x" * (size // 2)
    assert f"{pad}[13]{pad}[14]" == found.text(f"{pad}correct-horse{pad}battery-staple")
    assert f"{pad}[13]".encode() == found.body(f"{pad}correct-horse".encode())


def test_the_longest_value_goes_first() -> None:
    assert "[16]" == known("abcdefgh", "abcdefghijklmnop").text("abcdefghijklmnop")


def test_short_values_are_not_remembered() -> None:
    """They would be found in prices and ids."""
    found = known("1234567", "")
    assert "at 1234567 USD" == found.text("at 1234567 USD")


def test_it_says_what_is_new() -> None:
    found = known()
    assert [True, False, False] == [found.learn(value) for value in ("abcdefgh", "abcdefgh", "short")]


def test_the_oldest_go_first_and_pinned_ones_never() -> None:
    found = Known(lambda value: "[x]")
    found.learn("pinned-value", pinned=True)
    found.learn("in-use-every-time")
    for n in range(2 * MAX_VALUES):
        found.learn(f"signature-{n}")
        found.learn("in-use-every-time")
    assert "[x] [x] [x]" == found.text(f"pinned-value in-use-every-time signature-{2 * MAX_VALUES - 1}")
    assert "signature-0 " == found.text("signature-0 ")


def test_half_a_surrogate_pair_is_no_trouble() -> None:
    found = known("\ud800abcdefgh")
    assert "[9]" == found.text("\ud800abcdefgh")
    assert b"?abcdefgh" == found.body(b"?abcdefgh")


def test_hundreds_of_values_and_a_megabyte_end_soon() -> None:
    """One pattern of all forms took minutes here, and was compiled anew for each value learned."""
    found = known(*(f"{n:04d}-secret-value" for n in range(MAX_VALUES)))
    text = "0123-secret-valu " * 60_000
    began = time.process_time()
    assert text is found.text(text)
    assert text.encode() == found.body(text.encode())
    for n in range(50):
        found.learn(f"another-secret-{n}")
        found.text("GET /v2/orders?limit=50")
    assert time.process_time() - began < 8
