"""Which names mean a secret, and which only sound like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.journal.names import Kind, counts, kind_of, looks_random, plausible

SECRET = """
token secret password passwd passw passwords pwd pass user_pass passphrase passcode mnemonic mnemonic_phrase seed_phrase
seedPhrase seed-phrase seedphrase credential credentials signature signature_v2 sig sign otp totp otp_code pin user_pin jwt
bearer bearer_token session_id sessionId sessionid SESSION-ID cookie cookies authorization Authorization listenKey
listen_key hmac crumb csrf_token
api_key apiKey apikey APIKey API-KEY x-api-key X-API-KEY api.key my_api_key apikey2 api_keys access_key access-key accessKey
accesskey private_key privateKey privKey priv_key secret_key secretKey secretkey secret_access_key aws_secret_access_key
AWSAccessKeyId awsaccesskeyid consumer_key consumer_secret app_key appKey app_secret client_key client_secret clientSecret
wallet_key walletKey signing_key signingKey encryption_key account_key subscription-key license_key licenseKey auth_key
user_key x-functions-key api_key_id APCA-API-KEY-ID APCA-API-SECRET-KEY
access_token accessToken refreshToken id_token oauth_token oauth_verifier code_verifier user_token bot_token apiToken apitoken
authToken session_token X-Amz-Signature x-amz-security-token X-Amz-Credential client_assertion webhook_secret newPassword
user_password password_confirmation login.password user[password] a[token] password[] filter[api_key] token1 ToKeN authorization_code
""".split() + ["access_token ", "api key", "API Key", "seed phrase", "session id"]  # fmt: skip

PUBLIC = """
max_tokens maxTokens max_completion_tokens prompt_tokens completion_tokens total_tokens input_tokens budget_tokens
tokenId token_id tokenID token_ids next_page_token nextPageToken page_token pageToken nextToken page[token] continuation_token cursor
tokenizer token_type tokenType token_count token_address sell_token buyToken base_token expires_in
keyword keywords monkey turkey public_key publicKey primary_key cache_key prompt_cache_key idempotency_key key_name api_key_name
author authority authors authentication_method auth_type passed passenger compass pass_rate passive bypass
pinned spin pin_bar opinion significant sig_figs design sign_side signal signed signer assign side client_order_id symbol
secret_name secretary password_type signature_type signatureType signature_method signature_version code status_code client_id appid
session_type obsession seed seeds phrase cookie_policy credential_type client_assertion_type authorization_url bearish
qty type time_in_force limit_price nonce timestamp recvWindow x a [] . ...
""".split() + ["", " ", "\u0130", "the token of the day"]  # fmt: skip

UNSURE = ["key", "Key", "KEY", "key_id", "session", "sid"]


@pytest.mark.parametrize("name", SECRET)
def test_secret(name: str) -> None:
    assert kind_of(name) in (Kind.YES, Kind.ONCE)


@pytest.mark.parametrize("name", PUBLIC)
def test_public(name: str) -> None:
    assert Kind.NO is kind_of(name)


@pytest.mark.parametrize("name", UNSURE)
def test_unsure(name: str) -> None:
    """The value decides."""
    assert Kind.RANDOM is kind_of(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("auth", Kind.TEXT), ("basic_auth", Kind.TEXT), ("tokens", Kind.STRINGS), ("access_tokens", Kind.STRINGS)],
)
def test_kinds(name: str, kind: Kind) -> None:
    assert kind is kind_of(name)


def test_signatures_are_good_for_once() -> None:
    assert {Kind.ONCE} == {kind_of(name) for name in ("signature", "X-Amz-Signature", "sig", "sign", "hmac")}


@pytest.mark.parametrize(
    ("kind", "text", "string", "expected"),
    [
        (Kind.NO, "S" * 20, True, False),
        (Kind.YES, "s", True, True),
        (Kind.YES, "5", False, True),
        (Kind.TEXT, "s", True, True),
        (Kind.TEXT, "5", False, False),
        (Kind.STRINGS, "abc", True, True),
        (Kind.STRINGS, "5" * 77, True, False),
        (Kind.STRINGS, "5", False, False),
        (Kind.RANDOM, "AAPL", True, False),
        (Kind.RANDOM, "a1b2c3d4e5f6a7b8", True, True),
    ],
)
def test_counts(kind: Kind, text: str, string: bool, expected: bool) -> None:
    assert expected is counts(kind, text, string=string)


@pytest.mark.parametrize("text", ["a1b2c3d4e5f6a7b8", "550e8400-e29b-41d4-a716-446655440000", "AbCd+/0123456789=="])
def test_random(text: str) -> None:
    assert looks_random(text)


@pytest.mark.parametrize(
    "text",
    [
        "AAPL",
        "a1b2c3d4e5f6a7b",
        "abcdefghijklmnopqrst",
        "12345678901234567890",
        "2026-11-30T15:00:00Z",
        "AAPL261218C00150000",
        "0x" + "a1" * 20,
        "https://h.example/a1b2c3d4",
        "some words and 1 number",
        "",
    ],
)
def test_not_random(text: str) -> None:
    """Symbols, times, addresses and words."""
    assert not looks_random(text)


def test_plausible() -> None:
    """Of a word in running text."""
    assert all(map(plausible, ["hunter2x", "AbCdEfGhIjKlMnOpQrSt", "a-b_c.1234"]))
    assert not any(map(plausible, ["required", "os.environ", "12345678", "a1", "self.token", ""]))


@given(st.text(max_size=80))
def test_any_name(name: str) -> None:
    assert kind_of(name) in Kind
