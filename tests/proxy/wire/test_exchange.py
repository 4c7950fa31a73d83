"""Requests and responses as the wire had them; lookups that fold case."""

from __future__ import annotations

import pytest

from proxy.wire.exchange import Headers
from tests.proxy.wire.support import request

HEADERS = Headers(
    (
        (b"Set-Cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
        (b"X-Odd", b"caf\xe9"),
        (b"CONTENT-TYPE", b" Text/HTML ; charset=x"),
    )
)


def test_lookups_fold_case_and_keep_order() -> None:
    assert "a=1" == HEADERS.get("SET-COOKIE")
    assert ("a=1", "b=2") == HEADERS.get_all("Set-Cookie")
    assert "café" == HEADERS.get("x-odd")
    assert HEADERS.get("absent") is None
    assert "-" == HEADERS.get("absent", "-")
    assert () == HEADERS.get_all("absent")


def test_the_media_type_has_no_parameters() -> None:
    assert "text/html" == HEADERS.media_type()
    assert "" == Headers().media_type()


@pytest.mark.parametrize(
    ("path", "bare", "query"),
    [
        ("/a", "/a", ""),
        ("/a?b=1", "/a", "b=1"),
        ("/a?b=1?c", "/a", "b=1?c"),
        ("/a?b=1#c", "/a", "b=1"),
        ("/a?", "/a", ""),
    ],
)
def test_a_path_without_its_query(path: str, bare: str, query: str) -> None:
    asked = request("GET", "https://h.test/x")
    asked = type(asked)(asked.method, asked.scheme, asked.host, 443, path, asked.headers, b"", 1)
    assert (bare, query) == (asked.bare_path, asked.query)
