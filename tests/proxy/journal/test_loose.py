"""Secrets in running text, found by what stands before them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.journal.loose import spans
from proxy.journal.names import kind_of

S = "Canary048zq1f2e3d"


def secrets(text: str) -> list[str]:
    return [text[one.start : one.end] for one in spans(text, kind_of)]


@pytest.mark.parametrize(
    "text",
    [
        f"see https://h/?token={S}&a=1",
        f"https://h/#id_token={S}",
        f"/go?redirect=https%3A%2F%2Fh%2F%3Ftoken%3D{S}",
        f"/go?redirect=https%3A%2F%2Fh%2F%3Fa%3D1%26token%3D{S}%26b%3D2",
        f"/go?u=https%253A%252F%252Fh%252F%253Ftoken%253D{S}%2526b",
        f"http://h/%3Ftoken={S}",
        f"https://h/?a%5Btoken%5D={S}",
        f"curl -H 'Authorization: Bearer {S}' https://h",
        f'curl -H "X-Api-Key: {S}" https://h',
        f"Authorization: {S}\r\nHost: h",
        f"use bearer {S}, please",
        f"{{'token': '{S}'}}",
        f'{{token:"{S}"}}',
        f'{{"a": {{"token" : "{S}", }}',
        f'\\"password\\":\\"{S}\\"',
        f'login(password: "{S}")',
        f"token: {S}\nuser: x",
        f"API_KEY={S} ./run",
        f'cmd = "API_KEY={S} ./run"',
        f"Note:token={S}",
        f"secret: 'token': '{S}'",
        f"passcode:{S}\n\n\0",
        f"text/plain; token={S}",
        f"<r><password>{S}</password></r>",
        f"proxy http://user:{S}@h:8080 is used",
        f"my api key is {S}, keep it",
    ],
)
def test_found(text: str) -> None:
    """The value alone: not its name, its quotes or what follows."""
    assert [S] == secrets(text)


def test_whole_cookies() -> None:
    assert [f"a={S}; b={S}"] == secrets(f"curl -H 'Cookie: a={S}; b={S}' x")


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_private_keys(kind: str) -> None:
    """Whole or cut."""
    key = f"-----BEGIN {kind}PRIVATE KEY-----\n{S}\n-----END {kind}PRIVATE KEY-----"
    assert [key] == secrets(f"a {key} b")
    assert [key[:-5]] == secrets(key[:-5])
    assert [] == secrets("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the token: USDC is up 5%",
        "Your secret: always buy low",
        "api_key=os.environ['KEY']",
        "max_tokens=1000 and next_page_token=abc123def456",
        "https://h/?page_token=abc12345678&symbol=AAPL&side=buy",
        "if token == 'x1234567890': pass",
        "Authorization: required for orders",
        "bearer of bad news",
        '"what is the token:", "b12345678"',
        "the password is required",
        "http://h:8080/a@b",
        "tokenId: 71321045679252212594626385532706912750332728571942532289631379312455583992563",
        "session: 2026-11-30T15:00:00Z",
    ],
)
def test_let_stand(text: str) -> None:
    assert [] == secrets(text)


@given(st.text(st.sampled_from("tokenkey=:&?%35Dd\"'\\ \n;#@/<>-"), max_size=80) | st.text(max_size=60))
def test_spans_are_in_order(text: str) -> None:
    at = 0
    for one in spans(text, kind_of):
        assert at <= one.start < one.end <= len(text)
        at = one.end


@pytest.mark.parametrize(
    "piece",
    "secret: ?token= ?session= session:' token= token: 'token':' token:\" ? &token= %25 %253Ftoken%253D a://b:c a://b:c@ Bearer_x <token>x </ /bot /bota:bcd/ ;a \\\" "
    'Authorization: -----BEGIN_PRIVATE_KEY----- cookie:x token:\\"'.split(),
)
def test_a_megabyte_of_anything_ends_soon(piece: str) -> None:
    """Far from its square, that is."""
    piece = piece.replace("_", " ")
    began = time.process_time()
    spans(piece * (1_000_000 // len(piece)) + "://@= PRIVATE KEY", kind_of)
    assert time.process_time() - began < 30
