"""Secrets never survive, wherever they stand; and nothing else changes."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlencode

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from proxy.journal.redact import Redactor, secret_values

KEY = b"k" * 32
SECRET = "s3cr3t/Va+lue=="
# A secret that is spelt like a name in these tests' own messages is found there too, and rightly goes.
SPELT = Path(__file__).read_text("utf-8")
SECRETS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40).filter(
    lambda text: text == text.strip() and text not in SPELT
)
NAMES = st.sampled_from(
    ["api_key", "apiKey", "API-KEY", "clientSecret", "access_token", "password", "X-Api-Key", "privateKey"]
)
AROUND = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def redactor(**values: Any) -> Redactor:
    return Redactor(KEY, **values)


def fields(**values: str) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.replace("_", "-").encode(), value.encode("utf-8")) for name, value in values.items())


def nest(value: Any, depth: int) -> Any:
    for n in range(depth):
        value = {"a": [value, n]} if n % 2 else {"b": value}
    return value


@given(SECRETS, NAMES, st.sampled_from([0, 1, 7, 100]), st.sampled_from([{}, {"indent": 1}, {"ensure_ascii": False}]))
def test_json_at_any_depth(secret: str, name: str, depth: int, style: dict[str, Any]) -> None:
    body = json.dumps(nest({"x": 1.5, name: secret}, depth), **style).encode()
    out = redactor().body(body, "application/json")
    expected = nest({"x": 1.5, name: redactor().stand_in(secret)}, depth)
    assert expected == json.loads(out)


@given(SECRETS, NAMES, st.data())
def test_json_that_is_cut_anywhere(secret: str, name: str, pick: st.DataObject) -> None:
    body = json.dumps({name: secret, "x": 1}, ensure_ascii=False).encode()
    out = redactor().body(body[: pick.draw(st.integers(0, len(body)))], "application/json")
    assert json.dumps(secret, ensure_ascii=False).encode()[1:-1] not in out


@given(SECRETS, NAMES, AROUND)
def test_json_inside_json(secret: str, name: str, text: str) -> None:
    """A model's tool arguments and a tool's result are JSON in strings, and in strings of those."""
    inner = json.dumps({name: secret, "note": text})
    body = json.dumps({"messages": [{"content": json.dumps({"arguments": inner})}]}).encode()
    out = json.loads(json.loads(json.loads(redactor().body(body, ""))["messages"][0]["content"])["arguments"])
    assert redactor().stand_in(secret) == out[name]
    if secret not in text:
        assert text == out["note"]


@given(SECRETS, NAMES)
def test_escapes_hide_nothing(secret: str, name: str) -> None:
    def escaped(text: str) -> str:
        units = text.encode("utf-16-be").hex()
        return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))

    body = f'{{"{escaped(name)}": "{escaped(secret)}", "elsewhere": "{escaped(secret)}"}}'.encode()
    made = redactor()
    assert {name: made.stand_in(secret), "elsewhere": made.stand_in(secret)} == json.loads(made.body(body, ""))


@given(SECRETS, NAMES, AROUND.map(lambda text: text.replace("&", "")))
def test_forms(secret: str, name: str, text: str) -> None:
    body = urlencode([("a", text), (name, secret), ("b", "1")])
    for sent in (body, body.replace("+", "%20")):
        out = dict(
            parse_qsl(
                redactor().body(sent.encode(), "application/x-www-form-urlencoded").decode(), keep_blank_values=True
            )
        )
        assert redactor().stand_in(secret) == out[name]
        assert "1" == out["b"]


@given(SECRETS, NAMES)
def test_queries_and_fragments(secret: str, name: str) -> None:
    value = quote(secret, safe="")
    for url in (f"/v2/x?a=1&{name}={value}&b=2", f"https://h.test/x#{name}={value}&b=2", f"/x?filter[{name}]={value}"):
        out = redactor().url(url)
        assert value not in out
        assert redactor().stand_in(secret) in out
        assert url.partition(name)[0] == out.partition(name)[0]


@given(SECRETS, st.sampled_from(["Authorization", "X-Api-Key", "Cookie", "APCA-API-SECRET-KEY", "X-Whatever"]))
def test_request_headers(secret: str, name: str) -> None:
    sent = ((b"User-Agent", secret.encode()), (name.encode(), secret.encode()))
    out = redactor().headers(sent)
    assert ["User-Agent", name] == [one for one, _ in out]
    text = secret.encode().decode("latin-1")
    assert text not in out[1][1]
    if name not in ("Cookie", "X-Whatever"):
        # It stood in a public field before its own.
        assert text not in out[0][1]


TOKENS = st.text(st.sampled_from([chr(n) for n in range(33, 127) if chr(n) not in ";=,"]), min_size=8, max_size=40)


@given(TOKENS)
@example("[secrets:")
def test_what_a_header_taught_is_found_in_every_form(secret: str) -> None:
    # The placeholder's own letters can't be told from a secret that is spelt like them.
    assume(secret not in "[secret:0123456789ab]")
    made = redactor()
    made.headers(fields(Authorization=f"Bearer {secret}"))
    for form in (
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        base64.b64encode(secret.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
        json.dumps(secret)[1:-1],
    ):
        assert form not in made.text(f"see {form} there")
        assert form.encode() not in made.body(f"see {form} there".encode(), "text/plain")
        assert form not in made.url(f"/x/{form}?y={form}")
    for prefix in ("", "a", "ab", "user:"):
        whole = base64.b64encode(f"{prefix}{secret}tail".encode()).decode()
        start, end = (len(prefix) * 8 + 5) // 6, (len(prefix) + len(secret)) * 8 // 6
        assert whole[start:end] not in made.text(whole)


def test_multipart() -> None:
    body = (
        b'--B\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
        b'--B\r\nContent-Disposition: form-data; name="api_key"\r\nContent-Type: text/plain\r\n\r\n'
        + SECRET.encode()
        + b"\r\n--B--\r\n"
    )
    assert body.replace(SECRET.encode(), redactor().stand_in(SECRET).encode()) == redactor().body(
        body, "multipart/form-data"
    )


def test_equal_secrets_stay_equal_and_nothing_can_be_read_back() -> None:
    one, other = redactor(), Redactor(b"x" * 32)
    in_json = json.loads(one.body(json.dumps({"token": SECRET}).encode(), ""))["token"]
    in_form = one.body(urlencode({"token": SECRET}).encode(), "application/x-www-form-urlencoded").decode()
    in_url = one.url("/?" + urlencode({"token": SECRET}))
    ((_, in_header),) = one.headers(fields(Authorization=f"Bearer {SECRET}"))
    assert f"token={in_json}" == in_form
    assert f"/?token={in_json}" == in_url
    assert f"Bearer {in_json}" == in_header
    assert in_json != one.stand_in(SECRET + "x")
    assert in_json != other.stand_in(SECRET)


def test_duplicates_and_numbers() -> None:
    body = b'{"token": "first-token-1", "token": 123456789, "token": null, "n": 1.50}'
    made = redactor()
    expected = f'{{"token": "{made.stand_in("first-token-1")}", "token": "{made.stand_in("123456789")}", "token": null, "n": 1.50}}'
    assert expected.encode() == made.body(body, "application/json")


def test_an_object_under_a_secret_name_loses_its_scalars() -> None:
    out = json.loads(redactor().body(b'{"credentials": {"user": "u", "pass": ["p", 5, true]}, "x": "y"}', ""))
    made = redactor()
    assert {
        "credentials": {"user": made.stand_in("u"), "pass": [made.stand_in("p"), made.stand_in("5"), True]},
        "x": "y",
    } == out


def test_a_tool_that_wants_a_token_is_no_secret() -> None:
    body = b'{"tools": [{"parameters": {"properties": {"token": {"type": "string", "description": "Which token to buy"}}}}]}'
    made = redactor()
    assert made.body(body, "application/json") is body
    assert "Which token to buy" == made.text("Which token to buy")


CANARY = "Canary048zq1f2e3d"


@pytest.mark.parametrize(
    "body",
    [
        b'{"tokens":["%s"]}',
        b'[["token","%s"]]',
        b'{"name":"token","value":"%s"}',
        b'{"headers":[{"name":"Authorization","value":"%s"}]}',
        b'{"url":"https://h/?a=1&token=%s&b=2"}',
        b"""{"cmd":"curl -H 'Authorization: Bearer %s' https://h"}""",
        b"{'token': '%s'}",
        b'{token:"%s"}',
        b'{"auth":"%s"}',
        b'{"key":"%s"}',
        b'{"id":1,"method":"auth","params":["%s"]}',
        b'42["auth",{"token":"%s"}]',
        b"CONNECT\nlogin:u\npasscode:%s\n\n\0",
        b"token: %s\nuser: x\n",
        b"<r><password>%s</password></r>",
        b"a=1\nb=2&token=%s",
        b"grant_type=password&username=a b&password=%s",
        b"grant_type=authorization_code&code=%s",
        b'{"grant_type":"authorization_code","code":"%s"}',
        b'{"query":"mutation { login(password: \\"%s\\") { token } }"}',
        b'{"note":"say \\"hi\\" with {\\"token\\": \\"%s\\"}"}',
        b"a=1;token=%s",
        b"to=https%%3A%%2F%%2Fh%%2F%%3Ftoken%%3D%s&x=%%2f+%%7e",
        b"json=%%7B%%22a%%22:+1,%%22token%%22%%3A%%22%s%%22%%7d",
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", ""])
def test_the_value_goes_and_every_other_byte_stays(body: bytes, kind: str) -> None:
    sent = body.replace(b"%%", b"%").replace(b"%s", CANARY.encode())
    made = redactor()
    out = made.body(sent, kind)
    stand_in = made.stand_in(CANARY).encode()
    assert stand_in in out
    assert sent.replace(CANARY.encode(), stand_in) == out
    assert out == made.body(out, kind)


@pytest.mark.parametrize(
    "value",
    [
        {"token": {"type": "bearer", "value": CANARY}},
        {"secret": {"title": "x", "value": CANARY}},
        {"secret": {"default": CANARY}},
        {"credentials": {"type": "service_account", "private": CANARY}},
        {"op": "login", "args": ["key", CANARY]},
        {"pem": f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----"},
    ],
)
def test_more_than_the_value_goes(value: Any) -> None:
    out = redactor().body(json.dumps(value).encode(), "application/json")
    assert CANARY.encode() not in out
    assert list(value) == list(json.loads(out))


@pytest.mark.parametrize(
    "head",
    [
        b'form-data; name="token"',
        b"form-data; name=token",
        b"form-data; name='token'",
        b'form-data; filename="x; name=y"; name="token"',
        b'form-data; name="user[password]"',
        b"form-data; name*=UTF-8''token",
        b'form-data; name="token"\r\nContent-Type: text/plain',
    ],
)
@pytest.mark.parametrize("value", [b"%s", b"line1\r\n--%s", b"%s\r\n\r\nmore"])
def test_parts(head: bytes, value: bytes) -> None:
    whole = value.replace(b"%s", CANARY.encode())
    body = b"--b\r\nContent-Disposition: " + head + b"\r\n\r\n" + whole + b"\r\n--b\r\n"
    body += b'Content-Disposition: form-data; name="note"\r\n\r\n\xff token\r\n--b--\r\n'
    made = redactor()
    assert body.replace(whole, made.stand_in(whole.decode()).encode()) == made.body(body, "multipart/form-data")


def test_json_in_a_part() -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n{"token":"%s"}\r\n--b--\r\n' % CANARY.encode()
    made = redactor()
    assert body.replace(CANARY.encode(), made.stand_in(CANARY).encode()) == made.body(body, "multipart/form-data")


@pytest.mark.parametrize(
    "url",
    [
        "/q?a=1;token=%s&b=2",
        "/q;token=%s/x",
        "/q?redirect=https%3A%2F%2Fh%2F%3Ftoken%3D%s%26x%3D1&y=%2f",
        "/q?u=https%253A%252F%252Fh%252F%253Ftoken%253D%s",
        "/q?key=%s",
        "/q?session=%s",
        "/q?AWSAccessKeyId=%s",
        "/q?client_assertion=%s",
        "/q?grant_type=x&code=%s",
        "/bot123456:%s/sendMessage",
        "http://h/%3Ftoken=%s",
    ],
)
def test_urls(url: str) -> None:
    made = redactor()
    out = made.url(url.replace("%s", CANARY))
    assert CANARY not in out
    before, _, after = url.partition("%s")
    assert out.startswith(before.replace("123456:", ""))
    assert out.endswith(after)


def test_codes_are_secret_where_tokens_are_handed_out() -> None:
    made = redactor()
    assert f"/cb?code={CANARY}" == made.url(f"/cb?code={CANARY}")
    assert CANARY not in made.url(f"/cb?code={CANARY}", granting=True)
    made = redactor()
    body = b'{"code":"%s"}' % CANARY.encode()
    assert body is made.body(body, "application/json")
    assert CANARY.encode() not in made.body(body, "application/json", granting=True)


PUBLIC = {
    "max_tokens": 100, "tokenId": "71321045679252212594", "key": "AAPL261218C00150000", "next_page_token": "MTIzNDU2Nzg5MA12",
    "keywords": ["a"], "author": "me", "pinned": "x", "client_order_id": "id-1234567890abcdef", "side": "buy", "code": "ABC12345678901234",
    "cursor": "abc123abc123abc123", "token_type": "bearer", "expires_in": 5, "tokens": 7, "usage": {"tokens": 5},
    "tools": [{"input_schema": {"properties": {"token": {"type": "string"}}, "required": ["token", "password"]}}],
}  # fmt: skip


def test_what_replay_needs_stays() -> None:
    body = json.dumps(PUBLIC).encode()
    made = redactor(names=["X-Venue"])
    assert body is made.body(body, "application/json")
    query = urlencode(
        {
            name: str(value)
            for name, value in PUBLIC.items()
            if not isinstance(value, dict | list) and name not in ("key", "tokens")
        }
    )
    assert f"/x?{query}" == made.url(f"/x?{query}")


@pytest.mark.parametrize(
    "field",
    [
        "Accept: text/plain; token=%s",
        "Content-Disposition: x; token=%s",
        "Warning: 199 - token=%s",
        "Referer: http://h/%3Ftoken=%s",
    ],
)
def test_secrets_in_public_headers(field: str) -> None:
    name, _, value = field.replace("%s", CANARY).partition(": ")
    ((_, out),) = redactor().headers(((name.encode(), value.encode()),))
    assert out == value.replace(CANARY, redactor().stand_in(CANARY))


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "symbol", "q"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSONS, st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}]))
def test_a_body_without_secrets_is_the_same_object(value: Any, style: dict[str, Any]) -> None:
    body = json.dumps(value, **style).encode()
    made = redactor(values=["a-secret-that-is-nowhere"])
    assert made.body(body, "application/json") is body


@given(
    st.binary(max_size=200),
    st.sampled_from(["application/json", "application/x-www-form-urlencoded", "multipart/form-data", ""]),
)
def test_random_bodies_raise_nothing(body: bytes, kind: str) -> None:
    made = redactor(values=["a-secret-that-is-nowhere"])
    out = made.body(body, kind)
    if not made.learned and out == body:
        assert out is body


@given(st.text(max_size=60))
def test_random_urls_raise_nothing_and_keep_their_bytes(url: str) -> None:
    made = redactor()
    out = made.url(url)
    if "[secret:" not in out:
        assert url == out


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/v2/orders?status=open&limit=5", "/v2/orders?status=open&limit=5"),
        ("/x?a=%41+b&&=&c", "/x?a=%41+b&&=&c"),
        ("http://[x@y", "http://[x@y"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
    ],
)
def test_other_urls_stay(url: str, expected: str) -> None:
    out = redactor().url(url)
    assert expected == out or ("@y" in url and out.startswith("http://[secret:"))


def test_a_password_in_a_url() -> None:
    made = redactor()
    out = made.url("https://user:correct-horse@h.test/x?y=1")
    assert f"https://{made.stand_in('user:correct-horse')}@h.test/x?y=1" == out
    assert "correct-horse" not in made.text("correct-horse")


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("Accept", "*/*", True),
        ("Content-Type", "application/json", True),
        ("X-Stainless-Lang", "python", True),
        ("traceparent", "00-abc", False),
        ("X-Custom", "value", False),
        ("Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key.sk-1", False),
        ("Proxy-Authorization", "Basic dTpwYXNz", False),
    ],
)
def test_only_public_request_headers_keep_their_value(name: str, value: str, kept: bool) -> None:
    ((_, out),) = redactor().headers(((name.encode(), value.encode()),))
    assert kept is (value == out)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("Set-Cookie", "sid=abcdefghijk; Path=/; HttpOnly", False),
        ("X-Auth-Token", "abcdefghijk", False),
        ("X-Request-Id", "abc", True),
        ("x-ratelimit-remaining-tokens", "149984", True),
        ("Access-Control-Allow-Credentials", "true", True),
        ("Content-Type", "text/html", True),
    ],
)
def test_response_headers_lose_what_sounds_secret(name: str, value: str, kept: bool) -> None:
    made = redactor()
    ((_, out),) = made.headers(((name.encode(), value.encode()),), response=True)
    assert kept is (value == out)
    assert 'price 149984 "HttpOnly" Path=/' == made.text('price 149984 "HttpOnly" Path=/')


def test_a_cookie_is_known_by_its_value() -> None:
    made = redactor()
    made.headers(
        ((b"Set-Cookie", b"sid=cookie-value-1; Path=/; Expires=Wed, 01 Jan 2027 00:00:00 GMT"),), response=True
    )
    assert "cookie-value-1" not in made.text("x=cookie-value-1")
    made.headers(((b"Cookie", b"theme=dark; other=cookie-value-2"),))
    assert "cookie-value-2" not in made.text("x=cookie-value-2")
    assert "01 Jan 2027 00:00:00 GMT" == made.text("01 Jan 2027 00:00:00 GMT")


def test_the_password_of_basic_authentication_is_known() -> None:
    made = redactor()
    token = base64.b64encode(b"user:correct-horse").decode()
    made.headers(fields(Authorization=f"Basic {token}"))
    assert "correct-horse" not in made.text("correct-horse")
    made.headers(fields(Authorization="Basic %%%not-base64"))


def test_names_of_the_venue_and_values_of_the_environment() -> None:
    made = redactor(names=["X-Venue", "Memo"], values=["known-from-the-start"])
    assert made.stand_in("abc") == made.headers(((b"x-venue", b"abc"),), response=True)[0][1]
    assert "abc" not in made.url("/?memo=abc")
    assert "known-from-the-start" not in made.text("known-from-the-start")


def test_a_redirect_loses_its_token() -> None:
    made = redactor()
    ((_, out),) = made.headers(
        fields(Location="https://h.test/cb?code=1&access_token=abcdefgh#id_token=ijklmnop"), response=True
    )
    assert "abcdefgh" not in out
    assert "ijklmnop" not in out
    assert out.startswith("https://h.test/cb?code=1&access_token=")


def test_half_a_surrogate_pair_in_a_secret() -> None:
    """JSON can name one; it must not end the writing of evidence."""
    made = redactor()
    out = made.body(b'{"api_key": "\\ud800abcdefgh", "x": "?abcdefgh"}', "application/json")
    assert b"\\ud800abcdefgh" not in out
    made.body(b"api_key=%ED%A0%80abcdefgh", "application/x-www-form-urlencoded")
    made.text("\ud800abcdefgh")


def test_signatures_do_not_push_keys_out() -> None:
    made = redactor()
    made.headers(fields(X_MBX_APIKEY="the-key-of-the-agent"))
    for n in range(3000):
        out = made.url(f"/order?timestamp={n}&signature={n:064x}")
        assert f"{n:064x}" not in out
    assert "the-key-of-the-agent" not in made.text("the-key-of-the-agent")
    assert 1 == made.learned


@pytest.mark.parametrize(
    ("kind", "piece"),
    [
        ("application/json", b'{"api_key":"x"},'),
        ("application/json", b'"\\"'),
        ("application/json", b'{"a":['),
        ("application/json", b'"{\\"a\\":1}",'),
        ("application/x-www-form-urlencoded", b"api_key=x&"),
        ("application/x-www-form-urlencoded", b"a=%7B&"),
        ("multipart/form-data", b'name="api_key"\r\n\r\nx\r\n--'),
        ("multipart/form-data", b"name=\r\n"),
        ("", b"a=1&"),
        ("", b"a=" + b"b" * 60 + b" "),
    ],
)
def test_a_megabyte_of_anything_ends_soon(kind: str, piece: bytes) -> None:
    made = redactor(values=[f"environment-secret-{n}" for n in range(20)])
    began = time.process_time()
    made.body(b"[" * (kind == "application/json") + piece * (1_000_000 // len(piece)), kind)
    assert time.process_time() - began < 15


def test_secrets_of_the_environment() -> None:
    given_ = {
        "OPENAI_API_KEY": "sk-abcdefgh",
        "PATH": "/usr/bin",
        "TOKEN": "short",
        "SSH_KEY_FILE": "/etc/ssh/key",
        "MY_SECRET": "abcdefgh",
    }
    assert ("sk-abcdefgh", "abcdefgh") == secret_values(given_)
