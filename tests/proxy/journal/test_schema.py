"""The tables, and bringing a file to the current version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlite_utils import Database

from proxy.journal import schema
from proxy.journal.schema import MIGRATIONS, ORDER_COLUMNS, VERSION, migrate, version_of

# DESIGN section 4, and `ingested`.
TABLES = {"session", "exchanges", "bodies", "messages", "order_events", "chains", "injections", "leaks", "llm_calls",
          "tool_calls", "claims", "blocked", "notes", "ingested"}  # fmt: skip


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as made:
        yield made


def tables(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_a_new_file_has_every_table(connection: sqlite3.Connection) -> None:
    assert 0 == version_of(connection)
    migrate(connection)
    assert VERSION == version_of(connection) == len(MIGRATIONS)
    assert tables(connection) == TABLES


def test_migrating_again_changes_nothing(connection: sqlite3.Connection) -> None:
    migrate(connection)
    before = list(connection.iterdump())
    migrate(connection)
    assert before == list(connection.iterdump())


def test_order_columns_are_the_table(connection: sqlite3.Connection) -> None:
    migrate(connection)
    rows = connection.execute("PRAGMA table_info(order_events)").fetchall()
    assert ORDER_COLUMNS == [row[1] for row in rows]
    # Money is text: SQLite would turn it into floats.
    assert {"TEXT"} == {
        row[2] for row in rows if row[1] in ("quantity", "limit_price", "filled_quantity", "average_price")
    }


def test_a_step_that_fails_leaves_the_file_as_it_was(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(connection)
    before = list(connection.iterdump())

    def half(db: Database) -> None:
        db.execute("ALTER TABLE notes ADD COLUMN extra TEXT")
        db.execute("CREATE TABLE more (id INTEGER)")
        raise RuntimeError("power cut")

    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, half))
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    with pytest.raises(RuntimeError, match="power cut"):
        migrate(connection)
    assert VERSION == version_of(connection)
    assert before == list(connection.iterdump())


def test_the_first_step_is_one_transaction(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill while the file is made must not leave tables that stand in the way of the next try."""

    def cut(db: Database) -> None:
        MIGRATIONS[0](db)
        raise RuntimeError("power cut")

    monkeypatch.setattr(schema, "MIGRATIONS", (cut,))
    with pytest.raises(RuntimeError, match="power cut"):
        migrate(connection)
    assert (0, set()) == (version_of(connection), tables(connection))
