"""The single writer: order events are on disk when a commit returns, and a failure is never silent."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from proxy.journal import store
from proxy.journal.read import read
from proxy.journal.redact import Redactor
from proxy.journal.store import JournalError, Writer
from tests.proxy.journal.support import META, noted, ordered, seen, writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "s.db"


async def test_facts_are_kept_in_order(path: Path) -> None:
    made = writer(path)
    for seq in range(1, 60):
        made.put(noted(str(seq)))
        if seq % 7 == 0:
            await made.commit(ordered(seq))
    made.close(at_ns=5)
    evidence = read(path)
    assert [str(seq) for seq in range(1, 60)] == [note.text for note in evidence.notes]
    assert [seq for seq in range(1, 60) if seq % 7 == 0] == [fact.seq for fact in evidence.orders]


async def test_a_commit_is_on_disk_when_it_returns(path: Path) -> None:
    """Also what was put before it: the journal has no holes."""
    made = writer(path)
    try:
        made.put(noted("before"))
        await made.commit(ordered(1))
        evidence = read(path)
        assert ["before"] == [note.text for note in evidence.notes]
        assert [1] == [fact.seq for fact in evidence.orders]
        assert "open" == evidence.meta.status
    finally:
        made.close()


def test_commit_without_a_loop(path: Path) -> None:
    made = writer(path)
    made.commit_now(ordered(1))
    assert 1 == len(read(path).orders)
    made.close()


async def test_many_commits_share_few_transactions(path: Path) -> None:
    made = writer(path)
    try:
        async with asyncio.TaskGroup() as group:
            for seq in range(300):
                group.create_task(made.commit(ordered(seq)))
        assert list(range(300)) == [fact.seq for fact in read(path).orders]
    finally:
        made.close()


def test_threads_may_share_a_writer(path: Path) -> None:
    made = writer(path)

    def work(start: int) -> None:
        for seq in range(start, start + 40):
            made.put(noted(str(seq)))
            made.commit_now(ordered(seq))

    threads = [threading.Thread(target=work, args=(n * 1000,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made.close()
    evidence = read(path)
    assert {n * 1000 + m for n in range(1, 5) for m in range(40)} == {fact.seq for fact in evidence.orders}
    for n in range(1, 5):
        mine = [int(note.text) for note in evidence.notes if note.text.startswith(str(n)) and len(note.text) == 4]
        assert mine == sorted(mine)


def test_facts_that_nobody_waits_for_are_written_soon(path: Path) -> None:
    """A trickle must not put the writing off for ever."""
    made = writer(path)
    try:
        began = time.monotonic()
        while time.monotonic() - began < 1.2:
            made.put(noted("x"))
            time.sleep(0.05)
        assert len(read(path).notes) > 5
    finally:
        made.close()


async def test_a_caller_that_gave_up_stops_nobody(path: Path) -> None:
    """An agent hangs up while its order is being written."""
    made = writer(path)
    try:
        for seq in range(1, 40):
            waiting = asyncio.ensure_future(made.commit(ordered(seq)))
            await asyncio.sleep(0)
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await waiting
        await asyncio.wait_for(made.commit(ordered(99)), 10)
        assert made.failure is None
    finally:
        made.close()
    assert {*range(1, 40), 99} == {fact.seq for fact in read(path).orders}


def fill(made: Writer) -> None:
    """No page more: like a disk that is full."""
    pages = made._connection.execute("PRAGMA page_count").fetchone()[0]
    made._connection.execute(f"PRAGMA max_page_count = {pages}")


async def test_a_full_disk_fails_everyone_who_waits_and_everything_after(path: Path) -> None:
    made = writer(path)
    fill(made)
    big = noted("x" * 200_000)
    results = await asyncio.gather(*(made.commit(ordered(seq), big) for seq in range(5)), return_exceptions=True)
    assert [JournalError] * 5 == [type(one) for one in results]
    assert all(str(path) in str(one) for one in results)
    assert made.failure is not None
    with pytest.raises(JournalError, match="no longer written"):
        made.put(noted("later"))
    with pytest.raises(JournalError, match="no longer written"):
        await made.commit(ordered(9))
    with pytest.raises(JournalError):
        made.commit_now(ordered(9))
    made.close()
    evidence = read(path)
    assert ((), ()) == (evidence.orders, evidence.notes)
    assert "open" == evidence.meta.status, "a session with a hole is not closed in good order"


async def test_what_was_acknowledged_before_a_failure_stays(path: Path) -> None:
    made = writer(path)
    await made.commit(ordered(1))
    fill(made)
    with pytest.raises(JournalError):
        await made.commit(noted("x" * 500_000))
    made.close()
    assert [1] == [fact.seq for fact in read(path).orders]


async def test_a_closed_writer_takes_nothing(path: Path) -> None:
    made = writer(path)
    made.put(noted("last"))
    made.close(status="interrupted", at_ns=7)
    made.close()
    with pytest.raises(JournalError, match="closed"):
        made.put(noted("later"))
    evidence = read(path)
    assert ("interrupted", 7) == (evidence.meta.status, evidence.meta.closed_ns)
    assert ["last"] == [note.text for note in evidence.notes]


def test_a_closed_session_is_one_plain_file(path: Path) -> None:
    made = writer(path)
    made.put(noted("x"))
    made.close()
    assert ["s.db"] == sorted(one.name for one in path.parent.iterdir())
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_an_existing_file_is_never_touched(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"evidence")
    with pytest.raises(JournalError, match="exists; choose another --session name or give --replace"):
        writer(path)
    assert b"evidence" == path.read_bytes()


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file")
    with pytest.raises(JournalError, match="can't be written"):
        writer(tmp_path / "sessions" / "s.db")


def test_a_file_that_could_not_be_begun_does_not_stay(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(store, "migrate", fail)
    with pytest.raises(JournalError, match="disk I/O error"):
        writer(path)
    assert not path.exists()


def test_a_queue_that_grows_too_long_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_QUEUED_BYTES", 10_000)
    monkeypatch.setattr(store, "MAX_WAIT_S", 30)
    made = writer(path)
    made.put(seen(sent=b"x" * 5000))
    with pytest.raises(JournalError, match="too slow"):
        made.put(seen(sent=b"x" * 5000))
    assert made.failure is None
    made.close()


def test_the_settings_that_make_it_safe(path: Path) -> None:
    made = writer(path)
    try:
        assert "wal" == made._connection.execute("PRAGMA journal_mode").fetchone()[0]
        assert 2 == made._connection.execute("PRAGMA synchronous").fetchone()[0]
    finally:
        made.close()


KILLED = """
import sys
from pathlib import Path
from proxy.journal.redact import Redactor
from proxy.journal.store import Writer
from tests.proxy.journal.support import META, noted, ordered, seen
made = Writer(Path(sys.argv[1]), META, Redactor(b"k" * 32))
seq = 0
while True:
    seq += 1
    made.put(noted("x" * 300), seen(seq, sent=b"body %d" % seq))
    made.commit_now(ordered(seq, client_order_id=f"c-{seq}"))
    sys.stdout.write(f"{seq}\\n")
    sys.stdout.flush()
"""


def acknowledged_before_a_kill(path: Path, after_s: float) -> list[int]:
    """Kill -9 a process that writes as fast as it can; what it had told us was on disk."""
    root = Path(__file__).parents[3]
    env = {**os.environ, "PYTHONPATH": str(root)}
    done: list[int] = []
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, env=env, cwd=root
    ) as process:
        assert process.stdout is not None
        done.append(int(process.stdout.readline()))
        timer = threading.Timer(after_s, process.send_signal, [signal.SIGKILL])
        timer.start()
        for line in process.stdout:
            if line.endswith(b"\n"):
                done.append(int(line))
        timer.join()
    return done


def check_after_a_kill(path: Path, after_s: float) -> None:
    done = acknowledged_before_a_kill(path, after_s)
    evidence = read(path)
    seqs = [fact.seq for fact in evidence.orders]
    assert done == list(range(1, len(done) + 1))
    assert done == seqs[: len(done)], "an acknowledged order is lost"
    assert seqs == list(range(1, len(seqs) + 1)), "there is a hole"
    assert [f"c-{seq}" for seq in seqs] == [fact.event.client_order_id for fact in evidence.orders]  # type: ignore[union-attr]
    # What was handed over before an order is there with it.
    assert len(evidence.exchanges) >= len(seqs)
    assert len(evidence.notes) >= len(seqs)


def test_a_kill_loses_no_acknowledged_order(path: Path) -> None:
    check_after_a_kill(path, 0.3)


@pytest.mark.heavy
def test_many_kills_lose_no_acknowledged_order(tmp_path: Path) -> None:
    for n in range(40):
        check_after_a_kill(tmp_path / f"{n}.db", 0.01 + n * 0.017)


def test_numbers_and_options_of_the_session(path: Path) -> None:
    Writer(path, META, Redactor(b"k" * 32)).close()
    meta = read(path).meta
    assert (2**70, (("map", "a=b"),), "live") == (meta.seed, meta.options, meta.broker)
