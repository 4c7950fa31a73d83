"""Facts into a session's tables, redacted on the way. Runs on the writer's thread."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

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
    connection.execute(_statement(verb, table, len(values)), values)


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
                + (redactor.text(fact.item), fact.mode, fact.disguise, fact.needle, edits_json(fact.edits))
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
                + (redactor.text(fact.arguments), fact.order),
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


def _request_body(body: bytes | None, headers: Headers, redactor: Redactor) -> bytes | None:
    """A request body fit to be kept: as on the wire when nothing in it is secret, else decoded and redacted."""
    if not body:
        return body
    try:
        decoded = content.decode(body, content.codings(headers.get_all("content-encoding")))
    except Unreadable:
        return redactor.body(body, "")
    redacted = redactor.body(decoded, headers.media_type())
    return body if redacted is decoded or redacted == decoded else redacted


def _insert_exchange(connection: sqlite3.Connection, fact: ExchangeSeen, redactor: Redactor) -> None:
    exchange = fact.exchange
    request, response = exchange.request, exchange.response
    # Headers first: they teach the secrets that bodies may repeat.
    request_headers = redactor.headers(request.headers.fields)
    response_headers = redactor.headers(response.headers.fields, response=True) if response else []
    shown_headers = redactor.headers(fact.shown_headers.fields, response=True) if fact.shown_headers else None
    forwarded = fact.forwarded_body
    response_body = response.body if response else None
    if fact.secret_response and response_body:
        response_body = redactor.same_length(response_body)
    values = (
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
        redactor.url(request.path),
        request.http_version,
        json.dumps(request_headers),
        _store_body(connection, _request_body(request.body, request.headers, redactor)),
        _store_body(connection, _request_body(forwarded, request.headers, redactor)),
        json.dumps(redactor.headers(fact.forwarded_headers.fields)) if fact.forwarded_headers else None,
        response.status if response else None,
        response.reason if response else None,
        json.dumps(response_headers),
        _store_body(connection, response_body),
        fact.shown_status,
        json.dumps(shown_headers) if shown_headers is not None else None,
        _store_body(connection, fact.shown_body),
        fact.outcome,
        redactor.text(exchange.error) if exchange.error else exchange.error,
        redactor.url(fact.upstream) if fact.upstream else None,
        to_json(fact.marks),
    )
    _row(connection, "exchanges", values, "INSERT OR REPLACE")
