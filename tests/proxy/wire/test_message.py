"""The two halves of an exchange as documents."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.catalogue import load_catalogue
from proxy.wire.codecs.json_span import AMBIGUOUS, Ambiguous
from proxy.wire.edit import Unreadable
from proxy.wire.message import looks_like_json, plain, request_doc, response_doc
from tests.proxy.wire.support import headers, request, response

CATALOGUE = load_catalogue()
PLACE = CATALOGUE.endpoints["alpaca.place_order"]
CLOSE = CATALOGUE.endpoints["alpaca.close_position"]
URL = "https://api.alpaca.markets/v2/orders"
FORM = "application/x-www-form-urlencoded"


def test_a_body_that_was_not_kept_is_not_empty() -> None:
    with pytest.raises(Unreadable):
        plain(None, headers({}))


def test_codings_are_undone() -> None:
    assert b"x" == plain(gzip.compress(b"x"), headers({"Content-Encoding": "gzip"}))
    with pytest.raises(Unreadable):
        plain(b"x", headers({"content-encoding": "gzip"}))


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b"{}", "application/json", True),
        (b"x", "application/json", True),
        (b"x", "application/problem+json", True),
        (b"\xef\xbb\xbf \n{}", "text/html", True),
        (b"[1]", "", True),
        (b"{}", FORM, True),
        (b"a=1", FORM, False),
        (b"<html>", "text/html", False),
        (b"", "", False),
    ],
)
def test_json_is_known_by_its_type_or_its_first_byte(body: bytes, kind: str, expected: bool) -> None:
    assert expected is looks_like_json(body, kind)


def test_query_form_and_body_are_one_set_of_arguments() -> None:
    sent = request("POST", f"{URL}?a=query&b=2&c=query")
    doc = request_doc(PLACE, sent, b'{"b": 2.0, "d": 1}')
    assert {"a": "query", "b": "2.0", "c": "query", "d": "1"} == doc["args"]
    assert {"a": "query", "b": "2", "c": "query"} == doc["query"]
    assert ({}, "POST", ()) == (doc["form"], doc["method"], doc["ambiguous"])
    sent = request("POST", f"{URL}?a=query&b=x", head={"content-type": FORM})
    doc = request_doc(PLACE, sent, b"b=x&b=x&e=%41+b&f=")
    assert {"a": "query", "b": "x", "e": "A b", "f": ""} == doc["args"]
    assert () == doc["ambiguous"]


@pytest.mark.parametrize(
    ("query", "kind", "body"),
    [
        ("?qty=1", "application/json", b'{"qty": "1000"}'),
        ("?qty=1", "application/json", b'{"Qty": "1"}'),
        ("?qty=1", FORM, b"qty=1000"),
        ("?qty=1&qty=1000", "application/json", b""),
        ("", FORM, b"qty=1&qty=1000"),
        ("", "application/json", b'{"qty": 1, "qty": 1000}'),
        ("", "application/json", b'{"Qty": 1, "qty": 1000}'),
        ("", "application/json", b'{"Qty": 1, "QTY": 1000}'),
        ("", "application/json", b'{"QTY": 1000}'),
        ("", "application/json", b'{"qty": 1, "qty": null}'),
    ],
)
def test_a_field_of_two_values_has_none(query: str, kind: str, body: bytes) -> None:
    """Venues differ in which they take: the field is there, and what it says is not known."""
    doc = request_doc(PLACE, request("POST", URL + query, head={"content-type": kind}), body)
    assert ("qty",) == doc["ambiguous"]
    assert AMBIGUOUS == doc["args"]["qty"]
    assert isinstance(doc["args"]["qty"], Ambiguous)
    for part in ("query", "form"):
        assert isinstance(doc[part].get("qty", AMBIGUOUS), Ambiguous)


def test_reads_may_repeat_a_name() -> None:
    sent = request("GET", "https://api.alpaca.markets/v2/orders?symbols=A&symbols=B")
    doc = request_doc(CATALOGUE.endpoints["alpaca.orders"], sent, b"")
    assert ("B", ()) == (doc["args"]["symbols"], doc["ambiguous"])


@pytest.mark.parametrize(
    "path", ["/v2/positions/BTC%2FUSD", "//v2//positions/BTC%2FUSD/", "/v2/./%70ositions/BTC%2FUSD"]
)
def test_the_path_gives_its_groups(path: str) -> None:
    doc = request_doc(CLOSE, request("DELETE", f"https://api.alpaca.markets{path}"), b"")
    assert {"symbol": "BTC%2FUSD"} == doc["path"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"hello", "text/plain"),
        (b"\xff\xfe=1", FORM),
        (b"\x00\x01", ""),
        (b'--x\r\nContent-Disposition: form-data; name="qty"\r\n\r\n1\r\n--x--', "multipart/form-data"),
        (b"&".join(b"a%d=1" % n for n in range(3000)), FORM),
    ],
)
def test_a_body_that_is_neither_json_nor_a_form_is_told(body: bytes, kind: str) -> None:
    with pytest.raises(Unreadable):
        request_doc(PLACE, request("POST", URL, head={"content-type": kind}), body)


def test_a_query_of_too_many_fields_is_told() -> None:
    with pytest.raises(Unreadable, match="query"):
        request_doc(PLACE, request("POST", URL + "?" + "&".join(f"a{n}=1" for n in range(3000))), b"")


@given(st.binary(max_size=200), st.sampled_from(["application/json", FORM, "text/plain", "multipart/form-data", ""]))
def test_random_bodies_raise_nothing_else(body: bytes, kind: str) -> None:
    sent, came = request("POST", URL, head={"content-type": kind}), response(200, head={"content-type": kind})
    for read in (lambda: request_doc(PLACE, sent, body), lambda: response_doc(came, body, None)):
        try:
            read()
        except Unreadable:
            pass


def test_a_response_as_a_document() -> None:
    came = response(207, head={"Content-Type": "application/json", "X-A": "1"})
    doc = response_doc(came, b'[{"qty": 1.50}]', {"path": {"id": "7"}})
    assert (207, "1", "1.50", "7") == (
        doc["status"],
        doc["headers"]["x-a"],
        doc["body"][0]["qty"],
        doc["request"]["path"]["id"],
    )


@pytest.mark.parametrize("body", [b"", b"  ", b"<html>no</html>", b"plain text"])
def test_an_answer_that_does_not_claim_to_be_json_has_no_body(body: bytes) -> None:
    assert response_doc(response(200, head={"content-type": "text/html"}), body, None)["body"] is None


def test_numbers_keep_their_digits() -> None:
    value = {"a": 1, "b": 0.1}
    doc = response_doc(response(200), json.dumps(value).replace("0.1", "1.10e-7").encode(), None)
    assert "1.10e-7" == doc["body"]["b"]
