"""Flow to exchange and back: bytes, order and case of fields survive."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from proxy.addons import adapt
from tests.proxy.addons.conftest import flow_of, reply


def test_request_of() -> None:
    """Everything as sent; the original host and port come from the caller."""
    flow = flow_of("PoST", "https://a.example:8443/x%2F?q=%20", b"{}", (b"X-oDD", b"caf\xe9"), (b"x-odd", b""))
    request = adapt.request_of(flow, "a.example", 8443, 7)

    assert (request.method, request.scheme, request.host, request.port) == ("PoST", "https", "a.example", 8443)
    assert (request.path, request.body, request.http_version) == ("/x%2F?q=%20", b"{}", "HTTP/1.1")
    assert request.headers.fields[1:3] == ((b"X-oDD", b"caf\xe9"), (b"x-odd", b""))
    assert request.at_ns != 7


def test_response_of() -> None:
    """A response with the body that was kept, which may be none."""
    flow = flow_of(
        "GET", "https://a.example/", response=reply(b"{}", 418, (b"Set-Cookie", b"a"), (b"set-cookie", b"b"))
    )
    response = adapt.response_of(flow, None, 7, complete=False)

    assert (response.status, response.body, response.complete) == (418, None, False)
    assert response.headers.get_all("set-cookie") == ("a", "b")
    assert response.reason == "I'm a teapot"


@pytest.mark.parametrize(("seconds", "found"), [(None, 5), (1.5, 1_500_000_000), (0.0000019, 1000)])
def test_nanoseconds(seconds: float | None, found: int) -> None:
    """A clock reading to the microsecond, or the given instant."""
    assert adapt.nanoseconds(seconds, 5) == found


@pytest.mark.parametrize(
    ("target", "at", "path"),
    [
        ("http://127.0.0.1:9", ("127.0.0.1", 9, b"http"), b"/x?q=1"),
        ("https://b.example", ("b.example", 443, b"https"), b"/x?q=1"),
        ("http://b.example/base/", ("b.example", 80, b"http"), b"/base/x?q=1"),
    ],
)
def test_redirect(target: str, at: tuple[str, int, bytes], path: bytes) -> None:
    """Another upstream gets the agent's own bytes, its Host field included."""
    flow = flow_of("GET", "https://a.example/x?q=1")
    before = flow.request.data.headers.fields
    adapt.redirect(flow, urlsplit(target))
    data = flow.request.data

    assert (data.host, data.port, data.scheme) == at
    assert data.path == path
    assert data.headers.fields == before


def test_set_body() -> None:
    """Content-Length follows where there is one; none is added."""
    with_length, without = reply(b"{}"), reply(b"{}")
    del without.headers["content-length"]
    for message in (with_length, without):
        adapt.set_body(message, b"12345")

    assert with_length.headers["Content-Length"] == "5"
    assert "content-length" not in without.headers
    assert with_length.data.content == b"12345"


def test_replace_headers() -> None:
    """Present fields are set or dropped, absent ones stay absent, all others keep place and case."""
    message = reply(b"", 200, (b"ETag", b"1"), (b"X-oDD", b"1"), (b"x-odd", b"2"), (b"Digest", b"d"))
    adapt.replace_headers(message, {"etag": "2", "digest": None, "cache-control": "no-store"})

    assert message.data.headers.fields == (
        (b"Content-Type", b"application/json"),
        (b"ETag", b"2"),
        (b"X-oDD", b"1"),
        (b"x-odd", b"2"),
        (b"Content-Length", b"0"),
    )


def test_refuse() -> None:
    """An answer that SDKs can read, whatever the text holds."""
    flow = flow_of("GET", "https://a.example/")
    adapt.refuse(flow, 403, "real_orders", 'a "quote" \\ and \n more')
    assert flow.response is not None
    said = json.loads(flow.response.content or b"")

    assert said == {"code": 403, "message": 'redtape: a "quote" \\ and \n more', "rule": "real_orders"}
    assert flow.response.headers["cache-control"] == "no-store"
