"""Facts into a session's tables, redacted on the way. Runs on the writer's thread."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import zstandard

from proxy.journal.events import (
    BlockedRequest,
    ChainLinked,
    ExchangeSeen,
    Fact,
    Ingested,
    InjectionApplied,
    LlmCalled,
    MessageSeen,
    Noted,
    OrderFact,
    SessionMeta,
    ToolCalled,
)
from proxy.journal.redact import Redactor
from proxy.journal.rows import edits_json, order_row, to_json
from proxy.journal.scrub import blanked
from proxy.wire.codecs import content
from proxy.wire.edit import Unreadable
from proxy.wire.exchange import Headers


def insert_meta(connection: sqlite3.Connection, meta: SessionMeta, redactor: Redactor) -> None:
    """What the session was started with, in a transaction of its own."""
    values = (
        meta.id,
        meta.created_ns,
        meta.closed_ns,
        meta.version,
        None if meta.seed is None else str(meta.seed),
        meta.broker,
        meta.corpus_version,
        meta.contract_hash,
        redactor.text(json.dumps(meta.options)),
        meta.status,
    )
    with connection:
        connection.execute(f"INSERT INTO session VALUES ({','.join('?' * len(values))})", values)  # noqa: S608


def _row(connection: sqlite3.Connection, table: str, values: Sequence[Any], verb: str = "INSERT") -> None:
    connection.execute(_statement(verb, table, len(values)), [_storable(value) for value in values])


def _storable(value: Any) -> Any:
    """
    A value that SQLite takes.

    Models stream half a surrogate pair at times, and JSON may name one: it is no text in UTF-8, and must not
    end the writing of evidence.
    """
    if type(value) is str and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


def insert(connection: sqlite3.Connection, fact: Fact, redactor: Redactor) -> None:
    """One fact, within the caller's transaction."""
    match fact:
        case ExchangeSeen():
            _insert_exchange(connection, fact, redactor)
        case OrderFact():
            row = order_row(fact)
            _row(connection, "order_events", [redactor.text(v) if isinstance(v, str) else v for v in row])
        case ChainLinked():
            _row(connection, "chains", (fact.seq, fact.chain, fact.how), "INSERT OR REPLACE")
        case InjectionApplied():
            _row(
                connection,
                "injections",
                (None, fact.at_ns, fact.exchange, fact.attack, fact.attack_version, fact.kind, fact.view, fact.leg)
                + (
                    redactor.text(fact.item),
                    fact.mode,
                    fact.disguise,
                    fact.needle,
                    redactor.text(edits_json(fact.edits)),
                )
                + (int(fact.again), fact.reason),
            )
        case LlmCalled():
            _row(
                connection,
                "llm_calls",
                (None, fact.at_ns, fact.end_ns, fact.exchange, fact.api, fact.model, fact.prompt_tokens)
                + (fact.cached_tokens, fact.completion_tokens, fact.finish_reason, int(fact.streamed))
                + (redactor.text(fact.text) if fact.text else fact.text,),
            )
        case ToolCalled():
            _row(
                connection,
                "tool_calls",
                (None, fact.at_ns, fact.exchange, fact.source, fact.name, fact.call_id)
                + (_arguments(fact.arguments, redactor), fact.order),
            )
        case Ingested():
            _row(connection, "ingested", (None, fact.at_ns, fact.exchange, fact.attack, fact.item, fact.how))
        case BlockedRequest():
            path = redactor.url(fact.path)
            _row(
                connection,
                "blocked",
                (None, fact.at_ns, fact.exchange, fact.host, fact.method, path, fact.rule, fact.status),
            )
        case Noted():
            text, data = redactor.text(fact.text), redactor.text(to_json(fact.data))
            _row(connection, "notes", (None, fact.at_ns, fact.kind, text, fact.exchange, data))
        case MessageSeen():
            _insert_message(connection, fact, redactor)


def _arguments(text: str, redactor: Redactor) -> str:
    return redactor.body(text.encode("utf-8", "surrogatepass"), "").decode("utf-8", "surrogatepass")


def _insert_message(connection: sqlite3.Connection, fact: MessageSeen, redactor: Redactor) -> None:
    message = fact.message
    body = redactor.body(message.body, "application/json") if message.direction == "to_server" else message.body
    shown = _store_body(connection, fact.shown) if fact.shown is not None else None
    _row(
        connection,
        "messages",
        (None, message.exchange, message.number, message.direction, message.kind, message.at_ns)
        + (_store_body(connection, body), shown, to_json(message.meta)),
    )


_own = threading.local()


def _compressor() -> zstandard.ZstdCompressor:
    """One for each writer's thread: making it costs more than compressing a short body."""
    found: zstandard.ZstdCompressor | None = getattr(_own, "compressor", None)
    if found is None:
        found = _own.compressor = zstandard.ZstdCompressor(level=1)
    return found


@cache
def _statement(verb: str, table: str, width: int) -> str:
    return f"{verb} INTO {table} VALUES ({','.join('?' * width)})"


def _store_body(connection: sqlite3.Connection, body: bytes | None) -> str | None:
    if body is None:
        return None
    digest = hashlib.sha256(body).hexdigest()
    if connection.execute("SELECT 1 FROM bodies WHERE hash = ?", (digest,)).fetchone() is None:
        data = _compressor().compress(body)
        connection.execute("INSERT INTO bodies VALUES (?, ?, ?)", (digest, len(body), data))
    return digest


def _request_body(body: bytes | None, headers: Headers, redactor: Redactor, granting: bool) -> bytes | None:
    """A request body fit to be kept: as on the wire when nothing in it is secret, else decoded and redacted."""
    if not body:
        return body
    try:
        decoded = content.decode(body, content.codings(headers.get_all("content-encoding")))
    except Unreadable:
        return redactor.body(body, "", granting=granting)
    redacted = redactor.body(decoded, headers.media_type(), granting=granting)
    return body if redacted is decoded or redacted == decoded else redacted


def _response_body(body: bytes | None, headers: Headers, secret: bool) -> bytes | None:
    """A response body fit to be kept: as on the wire, unless it hands out a token; then decoded and blanked."""
    if not body or not secret:
        return body
    try:
        body = content.decode(body, content.codings(headers.get_all("content-encoding")))
    except Unreadable:
        pass
    return blanked(body)


def _insert_exchange(connection: sqlite3.Connection, fact: ExchangeSeen, redactor: Redactor) -> None:
    before = redactor.learned
    values = _exchange_values(fact, redactor)
    if redactor.learned != before:
        # What the last part taught may stand in the first.
        values = _exchange_values(fact, redactor)
    row = [_store_body(connection, value.body) if isinstance(value, _Body) else value for value in values]
    _row(connection, "exchanges", row, "INSERT OR REPLACE")


class _Body(NamedTuple):
    """A body in a row's place, not yet stored."""

    body: bytes | None


def _exchange_values(fact: ExchangeSeen, redactor: Redactor) -> tuple[Any, ...]:
    exchange = fact.exchange
    request, response = exchange.request, exchange.response
    # Headers first: they teach the secrets that bodies may repeat.
    request_headers = redactor.headers(request.headers.fields)
    response_headers = redactor.headers(response.headers.fields, response=True) if response else []
    shown_headers = redactor.headers(fact.shown_headers.fields, response=True) if fact.shown_headers else None
    answered = response.headers if response else Headers()
    granting = fact.secret_response
    return (
        exchange.id,
        request.at_ns,
        response.at_ns if response else None,
        response.end_ns if response else None,
        exchange.label,
        fact.endpoint,
        fact.venue,
        fact.role,
        request.method,
        request.scheme,
        request.host,
        request.port,
        redactor.url(request.path, granting=granting),
        request.http_version,
        json.dumps(request_headers),
        _Body(_request_body(request.body, request.headers, redactor, granting)),
        _Body(_request_body(fact.forwarded_body, request.headers, redactor, granting)),
        json.dumps(redactor.headers(fact.forwarded_headers.fields)) if fact.forwarded_headers else None,
        response.status if response else None,
        response.reason if response else None,
        json.dumps(response_headers),
        _Body(_response_body(response.body if response else None, answered, fact.secret_response)),
        fact.shown_status,
        json.dumps(shown_headers) if shown_headers is not None else None,
        _Body(_response_body(fact.shown_body, answered, fact.secret_response)),
        fact.outcome,
        redactor.text(exchange.error) if exchange.error else exchange.error,
        redactor.url(fact.upstream) if fact.upstream else None,
        to_json(fact.marks),
    )
