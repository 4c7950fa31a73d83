"""Reading evidence: open sessions, read-only folders, damaged and newer files; and never a write."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from proxy.journal.events import BlockedRequest, ChainLinked, Ingested, InjectionApplied, LlmCalled, ToolCalled
from proxy.journal.read import read, read_body
from proxy.journal.schema import VERSION
from proxy.journal.store import JournalError
from tests.proxy.journal.support import noted, ordered, seen, writer

CALL = LlmCalled(
    at_ns=1, end_ns=2, exchange=1, api="a", model=None, prompt_tokens=5, cached_tokens=None, completion_tokens=0,
    finish_reason="stop", streamed=True, text="hello",
)  # fmt: skip
TOOL = ToolCalled(at_ns=1, exchange=1, source="llm", name="n", call_id="c", arguments='{"qty": 1.50}', order=3)
INJECTION = InjectionApplied(
    at_ns=1, exchange=1, attack="a", attack_version=2, kind="attack", view="news", leg="response", item="i", mode="append",
    disguise="plain", needle="n", edits=(), reason="does not fit",
)  # fmt: skip
FACTS = (
    ordered(3), ChainLinked(seq=3, chain=3, how="start"), INJECTION, CALL, TOOL,
    Ingested(at_ns=1, exchange=1, attack="a", item="i", how="whole"),
    BlockedRequest(at_ns=1, exchange=2, host="h", method="POST", path="/p?q=1", rule="real_orders", status=403),
    noted("text", exchange=None, data=(("a", "b"),)),
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = writer(tmp_path / "s.db")
    made.put(*FACTS, seen(1, sent=b"sent", came=b"came", marks=("unreadable",), shown_body=b"shown"))
    made.close(at_ns=9)
    return tmp_path / "s.db"


def test_every_fact_comes_back(path: Path) -> None:
    got = read(path)
    tables = (
        got.orders,
        got.chains,
        got.injections,
        got.llm_calls,
        got.tool_calls,
        got.ingested,
        got.blocked,
        got.notes,
    )
    assert [(fact,) for fact in FACTS] == list(tables)
    assert ("s", 1, 9, "closed") == (got.meta.id, got.meta.created_ns, got.meta.closed_ns, got.meta.status)
    (row,) = got.exchanges
    assert (1, "POST", "https", "api.alpaca.markets", 443, "/v2/orders", 200, "l", ("unreadable",)) == (
        row.id, row.method, row.scheme, row.host, row.port, row.path, row.status, row.label, row.marks,
    )  # fmt: skip
    assert [b"sent", b"came", b"shown"] == [
        read_body(path, digest or "") for digest in (row.request_body, row.response_body, row.shown_body)
    ]
    assert (None, None, None) == (row.forwarded_body, row.shown_headers, row.shown_status)


def test_reading_writes_nothing(path: Path) -> None:
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))
    read(path)
    assert before == (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))


def test_an_open_session_is_read_at_one_moment(tmp_path: Path) -> None:
    """Every chain has its order and every note its twin, however much is written meanwhile."""
    made = writer(tmp_path / "s.db")
    stop = threading.Event()

    def work() -> None:
        seq = 0
        while not stop.is_set() and seq < 3000:
            seq += 1
            made.commit_now(ordered(seq), ChainLinked(seq=seq, chain=seq, how="start"), noted(str(seq)))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(25):
            got = read(tmp_path / "s.db")
            assert (
                [one.seq for one in got.orders]
                == [one.seq for one in got.chains]
                == [int(one.text) for one in got.notes]
            )
    finally:
        stop.set()
        thread.join()
        made.close()


AS_NOBODY = """
import os, sys
from pathlib import Path
from proxy.journal.read import read
if os.geteuid() == 0:
    os.setgroups([])
    os.setegid(65534)
    os.seteuid(65534)
path = Path(sys.argv[1])
assert not os.access(path.parent, os.W_OK, effective_ids=True)
print(len(read(path).orders))
"""


def test_a_folder_that_may_not_be_written(path: Path) -> None:
    folder = path.parent
    path.chmod(0o444)
    folder.chmod(0o555)
    root = Path(__file__).parents[3]
    parents = [one for one in folder.parents if one.stat().st_uid == os.geteuid() and not one.stat().st_mode & 0o001]
    for one in parents:
        one.chmod(one.stat().st_mode | 0o011)
    try:
        command = [sys.executable, "-c", AS_NOBODY, str(path)]
        env = {**os.environ, "PYTHONPATH": str(root)}
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=root, check=False)
    finally:
        folder.chmod(0o700)
        for one in parents:
            one.chmod(one.stat().st_mode & ~0o011)
    assert ("1\n", "") == (done.stdout, done.stderr)


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all, but long enough to look like one" * 20, b"SQLite format 3\0" + bytes(500)]
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"x\.db"):
        read(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for missing in (tmp_path / "none.db", tmp_path):
        with pytest.raises(JournalError, match="no such session file"):
            read(missing)


@pytest.mark.parametrize("size", [1, 100, 3000, 5000, 20_000])
def test_a_file_that_was_cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(JournalError):
        read(path)


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def test_a_newer_file_says_to_upgrade(path: Path) -> None:
    change(path, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(
        JournalError, match=rf"newer Redtape \(schema {VERSION + 1}, this one knows {VERSION}\); upgrade"
    ):
        read(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE order_events SET quantity = 'garbage'",
        "UPDATE order_events SET side = 'sideways'",
        "UPDATE order_events SET legs = '[[}'",
        "UPDATE order_events SET legs = '[5]'",
        "UPDATE order_events SET kind = 'quote', data = '5'",
        "UPDATE order_events SET kind = 'quote', data = NULL",
        "UPDATE exchanges SET request_headers = '[1]'",
        "UPDATE exchanges SET marks = NULL",
        "UPDATE injections SET edits = '{}x'",
        "UPDATE injections SET edits = '[5]'",
        "UPDATE notes SET data = '{\"a\": 1}'",
        "UPDATE session SET seed = 'x'",
        "ALTER TABLE notes RENAME COLUMN kind TO sort",
        "ALTER TABLE chains ADD COLUMN more TEXT",
        "DROP TABLE blocked",
        "DELETE FROM session",
    ],
)
def test_rows_that_another_program_changed(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(JournalError, match=r"s\.db"):
        read(path)


def test_bodies_are_checked(path: Path) -> None:
    digest = read(path).exchanges[0].request_body or ""
    with pytest.raises(JournalError, match="holds no body"):
        read_body(path, "0" * 64)
    bomb = zstandard.ZstdCompressor().compress(bytes(50_000_000))
    for data in (b"junk", b"", None, "text", bomb, zstandard.ZstdCompressor().compress(b"forged")):
        change(path, "UPDATE bodies SET data = ? WHERE hash = ?", data, digest)
        with pytest.raises(JournalError):
            read_body(path, digest)


def test_equal_bodies_are_kept_once(tmp_path: Path) -> None:
    made = writer(tmp_path / "s.db")
    made.put(*(seen(n, sent=b"same", came=b"same") for n in range(1, 6)), seen(6, sent=b"", came=None))
    made.close()
    rows = read(tmp_path / "s.db").exchanges
    assert (
        {hashlib.sha256(b"same").hexdigest()}
        == {row.request_body for row in rows[:5]}
        == {r.response_body for r in rows[:5]}
    )
    assert (b"", None) == (read_body(tmp_path / "s.db", rows[5].request_body or ""), rows[5].response_body)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        assert 2 == connection.execute("SELECT count(*) FROM bodies").fetchone()[0]


def test_names_with_odd_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%20d é"
    made = writer(folder / "s.db")
    made.put(noted("x"))
    made.close()
    assert "x" == read(folder / "s.db").notes[0].text


def test_an_unfinished_session_of_a_killed_process(tmp_path: Path) -> None:
    """Its WAL still lies beside it: what was committed is there."""
    made = writer(tmp_path / "s.db")
    made.commit_now(ordered(1))
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("s.db", "s.db-wal"):
        (copy / name).write_bytes((tmp_path / name).read_bytes())
    made.close()
    assert [1] == [fact.seq for fact in read(copy / "s.db").orders]
