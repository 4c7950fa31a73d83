"""What is written holds no secret, and no fact ends the writing."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.journal.events import (
    BlockedRequest,
    EditMade,
    Fact,
    Ingested,
    InjectionApplied,
    LlmCalled,
    MessageSeen,
    SessionMeta,
    ToolCalled,
)
from proxy.journal.insert import insert, insert_meta
from proxy.journal.read import read, read_body
from proxy.journal.redact import Redactor
from proxy.journal.schema import migrate
from proxy.wire.exchange import Message
from tests.proxy.journal.support import META, headers, noted, ordered, seen, writer

SECRET = "correct-horse-battery"
GZIP = {"content-encoding": "gzip"}


def bytes_of(folder: Path, *facts: Fact, redactor: Redactor | None = None) -> bytes:
    """Everything in the file: its rows and, decompressed, its bodies."""
    path = folder / "s.db"
    made = writer(path, redactor)
    made.put(*facts)
    made.close()
    assert made.failure is None
    with closing(sqlite3.connect(path)) as connection:
        dump = "\n".join(connection.iterdump()).encode()
        hashes = [row[0] for row in connection.execute("SELECT hash FROM bodies")]
    return dump + b"\n".join(read_body(path, digest) for digest in hashes)


def injected(old: bytes) -> InjectionApplied:
    return InjectionApplied(
        at_ns=1, exchange=1, attack="a", attack_version=1, kind="attack", view="v", leg="request", item=SECRET, mode="replace",
        disguise="plain", needle="n", edits=(EditMade(start=0, old=old, new=b""),),
    )  # fmt: skip


PLACES: dict[str, Fact] = {
    "header": seen(sent_head={"Authorization": f"Bearer {SECRET}"}),
    "earlier header": seen(sent_head={"User-Agent": SECRET, "X-Api-Key": SECRET}),
    "query": seen(url=f"https://h.test/x?api_key={SECRET}"),
    "query, known from the body": seen(url=f"https://h.test/x/{SECRET}?y={SECRET}", sent=json.dumps({"password": SECRET}).encode()),
    "header, known from the query": seen(url=f"https://h.test/?token={SECRET}", sent_head={"Referer": f"https://h.test/{SECRET}"}),
    "json": seen(sent=json.dumps({"a": [{"clientSecret": SECRET}]}).encode()),
    "cut json": seen(sent=b'{"secret": "' + SECRET.encode()),
    "gzip json": seen(sent=gzip.compress(json.dumps({"secret": SECRET}).encode()), sent_head=GZIP),
    "form": seen(sent=urlencode({"a": "1", "api_secret": SECRET}).encode(), sent_head={"content-type": "application/x-www-form-urlencoded"}),
    "json that curl calls a form": seen(sent=json.dumps({"secret": SECRET}).encode(), sent_head={"content-type": "application/x-www-form-urlencoded"}),
    "forwarded body": seen(forwarded_body=json.dumps({"secret": SECRET}).encode()),
    "forwarded header": seen(forwarded_headers=headers({"Authorization": SECRET})),
    "response header": seen(came_head={"Set-Cookie": f"sid={SECRET}; Path=/"}),
    "shown header": seen(shown_headers=headers({"X-Auth-Token": SECRET})),
    "redirect": seen(came_head={"Location": f"https://h.test/#access_token={SECRET}"}),
    "token response": seen(came=json.dumps({"access_token": SECRET}).encode(), secret_response=True),
    "gzip token response": seen(came=gzip.compress(json.dumps({"t": [SECRET]}).encode()), came_head=GZIP, secret_response=True),
    "form token response": seen(came=f"access_token={SECRET}".encode(), secret_response=True),
    "shown token response": seen(came=b"{}", shown_body=json.dumps({"access_token": SECRET}).encode(), secret_response=True),
    "upstream": seen(upstream=f"https://user:{SECRET}@h.test/"),
    "tool arguments": ToolCalled(at_ns=1, exchange=1, source="llm", name="n", call_id=None, arguments=json.dumps({"password": SECRET})),
    "frame": MessageSeen(message=Message(1, 1, "to_server", "text", json.dumps({"op": "auth", "secret": SECRET}).encode(), 1)),
    "code at a token endpoint": seen(url=f"https://h.test/token?code={SECRET}", sent=f"a=1&code={SECRET}".encode(), secret_response=True),
    "login frame": MessageSeen(message=Message(1, 1, "to_server", "text", json.dumps({"op": "login", "args": ["k", SECRET]}).encode(), 1)),
    "url in a frame": MessageSeen(message=Message(1, 1, "to_server", "text", f"GET https://h.test/?token={SECRET}".encode(), 1)),
    "blocked path": BlockedRequest(at_ns=1, exchange=1, host="h", method="GET", path=f"/x?token={SECRET}", rule="r", status=403),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_never_written(tmp_path: Path, place: str) -> None:
    assert SECRET.encode() not in bytes_of(tmp_path, PLACES[place])


KNOWN: dict[str, Fact] = {
    "order": ordered(1, client_order_id=f"c-{SECRET}", extra=(("note", SECRET),)),
    "answer": LlmCalled(at_ns=1, end_ns=2, exchange=1, api="a", model="m", text=f"the key is {SECRET}"),
    "note": noted(SECRET, data=(("a", SECRET),)),
    "edits": injected(SECRET.encode()),
    "error": seen(),
    "frame": MessageSeen(message=Message(1, 1, "to_server", "binary", SECRET.encode(), 1)),
}


@pytest.mark.parametrize("place", KNOWN)
def test_a_known_value_is_found_anywhere(tmp_path: Path, place: str) -> None:
    made = Redactor(b"k" * 32, values=[SECRET])
    assert SECRET.encode() not in bytes_of(tmp_path, KNOWN[place], redactor=made)


def test_options_of_a_session(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        migrate(connection)
        meta = SessionMeta(id="s", created_ns=1, options=(("proxy", f"http://u:{SECRET}@h"),))
        insert_meta(connection, meta, Redactor(b"k", values=[SECRET]))
        assert SECRET not in "\n".join(connection.iterdump())


def test_a_body_without_secrets_keeps_its_wire_bytes(tmp_path: Path) -> None:
    wire = gzip.compress(b'{"qty": 1.50}')
    bytes_of(tmp_path, seen(sent=wire, sent_head=GZIP, came=wire, came_head=GZIP))
    row = read(tmp_path / "s.db").exchanges[0]
    assert [wire, wire] == [
        read_body(tmp_path / "s.db", digest or "") for digest in (row.request_body, row.response_body)
    ]


def test_a_token_response_keeps_its_length(tmp_path: Path) -> None:
    bytes_of(tmp_path, seen(came=b'{"access_token": "abc", "expires_in": 3600}', secret_response=True))
    row = read(tmp_path / "s.db").exchanges[0]
    assert b'{"access_token": "xxx", "expires_in": 3600}' == read_body(tmp_path / "s.db", row.response_body or "")


HALF = "\ud83d"


@pytest.mark.parametrize(
    "fact",
    [
        ordered(1, client_order_id=HALF, extra=(("a", HALF),)),
        LlmCalled(at_ns=1, end_ns=2, exchange=1, api="a", model=HALF, text=f"{HALF} x"),
        ToolCalled(
            at_ns=1, exchange=1, source="llm", name=HALF, call_id=HALF, arguments=f'{{"api_key": "{HALF}abcdefgh"}}'
        ),
        noted(HALF, data=((HALF, HALF),)),
        Ingested(at_ns=1, exchange=1, attack="a", item=HALF, how="whole"),
        injected(b"\xff\xfe"),
        seen(sent=b'{"token": "\\ud83dabcdefgh"}'),
        seen(sent=b"\xff" * 50, sent_head={"content-type": "application/x-www-form-urlencoded"}),
        seen(sent_head={"Referer": "http://[x@y", "Origin": "https://\u2100@h"}),
        seen(url="https://h.test/%ED%A0%80?token=%ED%A0%80abcdefgh"),
        BlockedRequest(at_ns=1, exchange=1, host="h", method="GET", path=HALF, rule="r", status=403),
        noted("a\0b"),
    ],
)
def test_odd_text_does_not_end_the_writing(tmp_path: Path, fact: Fact) -> None:
    """Half of a surrogate pair is no text for SQLite; models stream one now and then."""
    bytes_of(tmp_path, fact, ordered(2))
    evidence = read(tmp_path / "s.db")
    assert 2 in [one.seq for one in evidence.orders]
    if evidence.notes:
        assert evidence.notes[0].text in ("\\ud83d", "a\0b")


@given(
    st.binary(max_size=80), st.dictionaries(st.text(max_size=8), st.text(max_size=12), max_size=3), st.text(max_size=30)
)
def test_no_exchange_ends_the_writing(body: bytes, head: dict[str, str], path: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        migrate(connection)
        clean: dict[str, Any] = {
            k.encode("utf-8", "replace").decode(): v.encode("utf-8", "replace").decode() for k, v in head.items()
        }
        fact = seen(sent=body, sent_head=clean, came=body, came_head=clean, secret_response=True)
        request = type(fact.exchange.request)("GET", "https", "h", 1, path, fact.exchange.request.headers, body, 1)
        insert(connection, seen(sent=body), Redactor(b"k"))
        insert(connection, fact, Redactor(b"k"))
        insert(connection, type(fact)(exchange=type(fact.exchange)(3, request), outcome="error"), Redactor(b"k"))
        assert 2 <= connection.execute("SELECT count(*) FROM exchanges").fetchone()[0]


def test_the_last_word_on_an_exchange_counts(tmp_path: Path) -> None:
    """A WebSocket exchange is written when it opens and again when it ends."""
    bytes_of(tmp_path, seen(1, outcome="passed"), seen(1, outcome="error"))
    assert ["error"] == [row.outcome for row in read(tmp_path / "s.db").exchanges]


def test_meta_is_one_row(tmp_path: Path) -> None:
    bytes_of(tmp_path)
    assert META.id == read(tmp_path / "s.db").meta.id
