"""The tables of a session's file, and how older files are brought up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database
from sqlite_utils.db import Table

VERSION: Final = 1

_TEXT, _INT = "TEXT", "INTEGER"

ORDER_COLUMNS: Final = [
    "seq",
    "at_ns",
    "exchange",
    "seen",
    "kind",
    "retry_of",
    "source",
    "venue",
    "action",
    "item",
    "answers",
    "account",
    "client_order_id",
    "venue_order_id",
    "symbol",
    "symbol_code",
    "instrument",
    "side",
    "type",
    "tif",
    "quantity",
    "unit",
    "limit_price",
    "stop_price",
    "reduce_only",
    "post_only",
    "group_kind",
    "legs",
    "asset",
    "destination",
    "body_key",
    "extra",
    "filled_quantity",
    "average_price",
    "fill_quantity",
    "fill_price",
    "execution_id",
    "replaces",
    "replaced_by",
    "status",
    "code",
    "reason",
    "data",
]

_INTEGERS: Final = frozenset(["seq", "at_ns", "exchange", "retry_of", "item", "answers", "reduce_only", "post_only"])


def _columns(names: str, integers: str = "") -> dict[str, str]:
    return {name: _INT if name in integers.split() else _TEXT for name in names.split()}


def _table(db: Database, name: str) -> Table:
    found = db[name]
    assert isinstance(found, Table)
    return found


def _first(db: Database) -> None:
    _table(db, "session").create(
        _columns(
            "id created_ns closed_ns version seed broker corpus_version contract_hash options status",
            "created_ns closed_ns",
        ),
        pk="id",
    )
    _table(db, "exchanges").create(
        _columns(
            "id at_ns response_at_ns end_ns label endpoint venue role method scheme host port path http_version "
            "request_headers request_body forwarded_body forwarded_headers status reason response_headers response_body "
            "shown_status shown_headers shown_body outcome error upstream marks",
            "id at_ns response_at_ns end_ns port status shown_status",
        ),
        pk="id",
    )
    _table(db, "bodies").create({"hash": str, "size": int, "data": bytes}, pk="hash")
    _table(db, "messages").create(
        _columns("seq exchange number direction kind at_ns body shown meta", "seq exchange number at_ns"), pk="seq"
    )
    _table(db, "order_events").create({name: _INT if name in _INTEGERS else _TEXT for name in ORDER_COLUMNS}, pk="seq")
    _table(db, "order_events").create_index(["kind"])
    _table(db, "chains").create(_columns("seq chain how", "seq chain"), pk="seq")
    _table(db, "injections").create(
        _columns(
            "seq at_ns exchange attack attack_version kind view leg item mode disguise needle edits again reason",
            "seq at_ns exchange attack_version again",
        ),
        pk="seq",
    )
    _table(db, "ingested").create(_columns("seq at_ns exchange attack item how", "seq at_ns exchange"), pk="seq")
    _table(db, "leaks").create(
        _columns("seq at_ns exchange endpoint field value ahead_ns verdict", "seq at_ns exchange ahead_ns"), pk="seq"
    )
    _table(db, "llm_calls").create(
        _columns(
            "seq at_ns end_ns exchange api model prompt_tokens cached_tokens completion_tokens finish_reason streamed text",
            "seq at_ns end_ns exchange prompt_tokens cached_tokens completion_tokens streamed",
        ),
        pk="seq",
    )
    _table(db, "tool_calls").create(
        _columns("seq at_ns exchange source name call_id arguments order_seq", "seq at_ns exchange order_seq"), pk="seq"
    )
    _table(db, "claims").create(_columns("seq at_ns exchange text kind value", "seq at_ns exchange"), pk="seq")
    _table(db, "blocked").create(
        _columns("seq at_ns exchange host method path rule status", "seq at_ns exchange status"), pk="seq"
    )
    _table(db, "notes").create(_columns("seq at_ns kind text exchange data", "seq at_ns exchange"), pk="seq")


MIGRATIONS: Final[tuple[Callable[[Database], None], ...]] = (_first,)
"""Step n brings a file of version n to n + 1."""


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open file; 0 is an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the current version, each step in a transaction of its own."""
    db = Database(connection)
    for number in range(version_of(connection), VERSION):
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            MIGRATIONS[number](db)
            connection.execute(f"PRAGMA user_version = {number + 1}")
