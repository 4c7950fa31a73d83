"""
One session's evidence file: a single writer behind a queue, readers that never write.

Facts are handed over without waiting; order events are awaited, and return when they are on disk
(WAL, synchronous=FULL, one commit for all that queued up meanwhile). Once a write has failed nothing more
is accepted: who depends on the evidence must stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpus.terms import Instant
from proxy.journal.events import ExchangeSeen, Fact, MessageSeen, SessionMeta
from proxy.journal.insert import insert, insert_meta
from proxy.journal.redact import Redactor
from proxy.journal.schema import migrate

MAX_BATCH: Final = 200
MAX_WAIT_S: Final = 0.1
SHARE_S: Final = 0.002
"""How long a commit waits for others that are under way; never when there are but a few."""
MIN_OTHERS: Final = 3
MAX_BATCH_BYTES: Final = 8 * 1024 * 1024
MAX_QUEUED_BYTES: Final = 256 * 1024 * 1024


class JournalError(RuntimeError):
    """The evidence can't be kept or read; says which file and what to do."""


@dataclass(slots=True)
class _Job:
    """Facts handed over together. `loop`: where `done` belongs when it is a coroutine that waits."""

    facts: Sequence[Fact]
    size: int
    done: Future[None] | asyncio.Future[None] | None = None
    loop: asyncio.AbstractEventLoop | None = None
    others: int = 0


class Writer:
    """The only writer of a session's file. Thread-safe; `put` never waits, `commit` waits for the disk."""

    def __init__(self, path: Path, meta: SessionMeta, redactor: Redactor) -> None:
        """
        Create the file.

        Raises:
            JournalError: It exists, or can't be created.
        """
        self.path = path
        self.redactor = redactor
        self._jobs: list[_Job] = []
        self._queued_bytes = 0
        self._waiting = 0
        self._idle = False
        self._lock = threading.Lock()
        self._ready = threading.Condition(self._lock)
        self._failure: BaseException | None = None
        self._closed = False
        self._connection = _created(path, meta, redactor)
        # A file that was removed or replaced can still be written to, and nobody would ever read it.
        self._inode = path.stat().st_ino
        self._thread = threading.Thread(target=self._run, name=f"journal-{meta.id}", daemon=True)
        self._thread.start()

    @property
    def failure(self) -> BaseException | None:
        """What ended the writing, if anything did."""
        return self._failure

    def put(self, *facts: Fact) -> None:
        """Hand facts over. Raises JournalError once writing has failed or the queue is full."""
        self._hand_over(_Job(facts, _sizes(facts)))

    async def commit(self, *facts: Fact, others: int = 0) -> None:
        """
        Hand facts over and return when they are on disk.

        Args:
            facts: What must be on disk.
            others: How many more callers are likely to commit within milliseconds; many share one commit.

        Raises:
            JournalError: They are not on disk.
        """
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._hand_over(_Job(facts, _sizes(facts), done, loop, others))
        await done

    def commit_now(self, *facts: Fact) -> None:
        """Like `commit`, for callers without an event loop."""
        done: Future[None] = Future()
        self._hand_over(_Job(facts, _sizes(facts), done))
        done.result()

    def _hand_over(self, job: _Job) -> None:
        with self._lock:
            if self._failure is not None or self._closed:
                raise JournalError(f"{self.path}: no longer written: {self._failure or 'closed'}")
            if self._queued_bytes + job.size > MAX_QUEUED_BYTES and self._queued_bytes:
                raise JournalError(f"{self.path}: the disk is too slow, {self._queued_bytes} bytes wait to be written")
            self._queued_bytes += job.size
            self._jobs.append(job)
            if job.done is not None:
                self._waiting += 1
            # Waking the thread costs more than a job: only for the first of a batch, or when it must not wait.
            if self._idle or self._full():
                self._ready.notify()

    def _full(self) -> bool:
        """Whether a batch should be written now."""
        return (
            self._waiting > 0 or self._closed or len(self._jobs) >= MAX_BATCH or self._queued_bytes >= MAX_BATCH_BYTES
        )

    def close(self, *, status: str = "closed", at_ns: Instant | None = None) -> None:
        """Write what is queued, mark the session, fold the WAL into the file. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._ready.notify()
        self._thread.join()
        with contextlib.suppress(sqlite3.Error):
            if self._failure is None:
                with self._connection:
                    self._connection.execute("UPDATE session SET status = ?, closed_ns = ?", (status, at_ns))
                # One plain file: it can be copied, archived and read where nothing may be written.
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()

    def _run(self) -> None:
        while (jobs := self._next()) is not None:
            self._write(jobs)

    def _next(self) -> list[_Job] | None:
        """The next batch, a little after its first job; null at the end."""
        with self._ready:
            while not self._jobs:
                if self._closed:
                    return None
                self._idle = True
                self._ready.wait()
                self._idle = False
            self._ready.wait_for(self._full, MAX_WAIT_S)
            if self._waiting and not self._closed:
                self._share()
            jobs, self._jobs = self._jobs[:MAX_BATCH], self._jobs[MAX_BATCH:]
            self._waiting -= sum(job.done is not None for job in jobs)
            return jobs

    def _share(self) -> None:
        """When more orders are under way, let them catch up: a commit costs as much for one as for ten."""
        others = max(job.others for job in self._jobs if job.done is not None)
        if others >= MIN_OTHERS and self._waiting * 2 < others:
            self._lock.release()
            try:
                time.sleep(SHARE_S)
            finally:
                self._lock.acquire()

    def _write(self, jobs: list[_Job]) -> None:
        try:
            if self._failure is not None:
                raise self._failure
            with self._connection:
                for job in jobs:
                    for fact in job.facts:
                        insert(self._connection, fact, self.redactor)
            if self.path.stat().st_ino != self._inode:
                raise OSError("another file has taken its place")
        except BaseException as error:  # noqa: BLE001 (whatever it is, the evidence has a hole from here on)
            with self._lock:
                self._failure = error
            _tell(jobs, f"{self.path}: can't be written: {error}")
        else:
            _tell(jobs, None)
        finally:
            with self._lock:
                self._queued_bytes -= sum(job.size for job in jobs)


def _tell(jobs: list[_Job], failed: str | None) -> None:
    """Wake who waits for the jobs: each event loop once for all of them."""
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for job in jobs:
        if isinstance(job.done, asyncio.Future):
            assert job.loop is not None
            by_loop.setdefault(job.loop, []).append(job.done)
        elif job.done is not None:
            _settle([job.done], failed)
    for loop, done in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it who waited
            loop.call_soon_threadsafe(_settle, done, failed)


def _settle(waiting: Sequence[Future[None] | asyncio.Future[None]], failed: str | None) -> None:
    for done in waiting:
        if done.done():
            continue
        if failed is None:
            done.set_result(None)
        else:
            done.set_exception(JournalError(failed))


def _sizes(facts: Sequence[Fact]) -> int:
    return sum(map(_size, facts))


def _size(fact: Fact) -> int:
    if isinstance(fact, ExchangeSeen):
        exchange = fact.exchange
        bodies = (exchange.request.body, exchange.response.body if exchange.response else None)
        return 1000 + sum(len(body) for body in (*bodies, fact.forwarded_body, fact.shown_body) if body)
    return 1000 + (len(fact.message.body) if isinstance(fact, MessageSeen) else 0)


def _created(path: Path, meta: SessionMeta, redactor: Redactor) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"{path}: can't be written: {error}") from error
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise JournalError(f"{path}: exists; choose another --session name or give --replace") from None
    except OSError as error:
        raise JournalError(f"{path}: can't be written: {error}") from error
    connection = None
    try:
        connection = _open_for_writing(path)
        insert_meta(connection, meta, redactor)
    except (OSError, sqlite3.Error) as error:
        if connection is not None:
            connection.close()
        # Half a file would stand in the way of the next try, and say nothing.
        path.unlink(missing_ok=True)
        raise JournalError(f"{path}: can't be written: {error}") from error
    return connection


def _open_for_writing(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, timeout=10, cached_statements=256)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = OFF")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection
