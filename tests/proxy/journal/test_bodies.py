"""Decoded bodies of kept exchanges, as sent and as the other side got them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from proxy.journal.bodies import edited_body, plain_body
from proxy.journal.events import ExchangeRow, ExchangeSeen
from proxy.journal.read import read
from tests.proxy.journal.support import seen, writer

GZIP = {"Content-Encoding": "gzip"}


def kept(folder: Path, fact: ExchangeSeen) -> tuple[Path, ExchangeRow]:
    made = writer(folder / "s.db")
    made.put(fact)
    made.close()
    return folder / "s.db", read(folder / "s.db").exchanges[0]


def test_codings_are_undone(tmp_path: Path) -> None:
    path, row = kept(
        tmp_path, seen(sent=gzip.compress(b"sent"), sent_head=GZIP, came=gzip.compress(b"came"), came_head=GZIP)
    )
    assert (b"sent", b"came") == (plain_body(path, row, "request"), plain_body(path, row, "response"))
    assert (b"sent", b"came") == (edited_body(path, row, "request"), edited_body(path, row, "response"))


def test_edited_bodies_are_what_the_other_side_got(tmp_path: Path) -> None:
    fact = seen(
        sent=b"sent",
        forwarded_body=b"forwarded",
        came=gzip.compress(b"came"),
        came_head=GZIP,
        shown_body=gzip.compress(b"shown"),
    )
    path, row = kept(tmp_path, fact)
    assert (b"sent", b"forwarded") == (plain_body(path, row, "request"), edited_body(path, row, "request"))
    assert (b"came", b"shown") == (plain_body(path, row, "response"), edited_body(path, row, "response"))


@pytest.mark.parametrize("leg", ["request", "response"])
def test_what_was_not_kept_is_not_there(tmp_path: Path, leg: str) -> None:
    path, row = kept(tmp_path, seen(sent=None, came=None))
    assert plain_body(path, row, leg) is None
    assert edited_body(path, row, leg) is None


def test_bytes_that_were_damaged_on_the_wire_are_given_as_they_are(tmp_path: Path) -> None:
    path, row = kept(tmp_path, seen(came=b"no gzip", came_head=GZIP))
    assert b"no gzip" == plain_body(path, row, "response")


def test_a_body_that_was_decoded_because_of_a_secret(tmp_path: Path) -> None:
    body = gzip.compress(b'{"api_key": "abcdefgh", "a": 1}')
    path, row = kept(tmp_path, seen(sent=body, sent_head=GZIP))
    plain = plain_body(path, row, "request")
    assert plain is not None
    assert plain.startswith(b'{"api_key": "[secret:')
    assert plain.endswith(b'"a": 1}')
