"""Reading a session's file: whole, or one body. Never writes, also not to migrate an older file."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from proxy.journal.events import (
    BlockedRequest,
    ChainLinked,
    Evidence,
    ExchangeRow,
    Ingested,
    LlmCalled,
    Noted,
    SessionMeta,
    ToolCalled,
)
from proxy.journal.rows import injection, order_fact
from proxy.journal.schema import VERSION, migrate, version_of
from proxy.journal.store import JournalError


def _open_for_reading(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise JournalError(f"{path}: no such session file")
    try:
        connection = _current(_read_only(path), path)
    except sqlite3.Error as error:
        raise JournalError(f"{path}: not readable as a session file: {error}") from None
    connection.row_factory = sqlite3.Row
    return connection


def _current(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """The file at the current version: itself, or a copy in memory, since reading evidence never writes it."""
    try:
        version = version_of(connection)
        if version > VERSION:
            raise JournalError(
                f"{path}: written by a newer Redtape (schema {version}, this one knows {VERSION}); upgrade"
            )
        if version == VERSION:
            return connection
        copy = sqlite3.connect(":memory:")
        try:
            connection.backup(copy)
            migrate(copy)
        except BaseException:
            copy.close()
            raise
    except BaseException:
        connection.close()
        raise
    connection.close()
    return copy


def _read_only(path: Path) -> sqlite3.Connection:
    uri = path.resolve().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=10)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        if not isinstance(error, sqlite3.OperationalError):
            raise
        wal = path.with_name(path.name + "-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        # A file in a folder that may not be written: no one can be writing it either.
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True)
    return connection


def _all(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    order = {"exchanges": "id", "session": "created_ns"}.get(table, "seq")
    for row in connection.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608
        yield dict(row)


def _pairs(text: str | None) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(value)) for name, value in json.loads(text)) if text else ()


def _meta(row: dict[str, Any]) -> SessionMeta:
    seed = None if row["seed"] is None else int(row["seed"])
    return SessionMeta(**{**row, "seed": seed, "options": _pairs(row["options"])})


def _exchange(row: dict[str, Any]) -> ExchangeRow:
    dropped = ("reason", "forwarded_headers")
    kept = {name: value for name, value in row.items() if name not in dropped}
    return ExchangeRow(
        **{
            **kept,
            "request_headers": _pairs(row["request_headers"]),
            "response_headers": _pairs(row["response_headers"]),
            "shown_headers": _pairs(row["shown_headers"]) if row["shown_headers"] is not None else None,
            "marks": tuple(json.loads(row["marks"])),
        }
    )


def _bare(row: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "seq"} | changed


def read(path: Path) -> Evidence:
    """
    A session's file, whole but for its bodies. Never writes; an open session can be read.

    Raises:
        JournalError: Missing, damaged, or of a newer version.
    """
    connection = _open_for_reading(path)
    try:
        # One moment of an open session: no chain or call without its order.
        connection.execute("BEGIN")
        metas = [_meta(row) for row in _all(connection, "session")]
        if not metas:
            raise JournalError(f"{path}: holds no session")
        tools = [_bare(row, order=row["order_seq"]) for row in _all(connection, "tool_calls")]
        return Evidence(
            meta=metas[0],
            exchanges=tuple(_exchange(row) for row in _all(connection, "exchanges")),
            orders=tuple(order_fact(row) for row in _all(connection, "order_events")),
            chains=tuple(ChainLinked(**row) for row in _all(connection, "chains")),
            injections=tuple(injection(row) for row in _all(connection, "injections")),
            llm_calls=tuple(
                LlmCalled(**_bare(row, streamed=bool(row["streamed"]))) for row in _all(connection, "llm_calls")
            ),
            tool_calls=tuple(ToolCalled(**{k: v for k, v in row.items() if k != "order_seq"}) for row in tools),
            ingested=tuple(Ingested(**_bare(row)) for row in _all(connection, "ingested")),
            blocked=tuple(BlockedRequest(**_bare(row)) for row in _all(connection, "blocked")),
            notes=tuple(Noted(**_bare(row, data=_pairs(row["data"]))) for row in _all(connection, "notes")),
        )
    except _DAMAGED as error:
        raise JournalError(f"{path}: damaged: {error}") from error
    finally:
        connection.close()


_DAMAGED = (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What reading a row raises that another program wrote: columns are missing, or hold something else."""


def read_body(path: Path, digest: str) -> bytes:
    """One body by its hash. Raises JournalError when it is not there or is damaged."""
    connection = _open_for_reading(path)
    try:
        row = connection.execute("SELECT size, data FROM bodies WHERE hash = ?", (digest,)).fetchone()
        if row is None:
            raise JournalError(f"{path}: holds no body {digest}")
        if zstandard.frame_content_size(row["data"]) > row["size"]:
            # As much memory would be taken as the frame says.
            raise JournalError(f"{path}: body {digest} is damaged")
        body = zstandard.ZstdDecompressor().decompress(row["data"], max_output_size=row["size"] or 1)
        if hashlib.sha256(body).hexdigest() != digest:
            raise JournalError(f"{path}: body {digest} is damaged")
        return body
    except (*_DAMAGED, zstandard.ZstdError, MemoryError) as error:
        raise JournalError(f"{path}: damaged: {error}") from error
    finally:
        connection.close()
