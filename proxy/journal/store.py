"""
One session's evidence file: a single writer behind a queue, readers that never write.

Facts are handed over without waiting; order events are awaited, and return when they are on disk
(WAL, synchronous=FULL, one commit for all that queued up meanwhile). Once a write has failed nothing more
is accepted: who depends on the evidence must stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
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
MAX_QUEUED_BYTES: Final = 256 * 1024 * 1024


class JournalError(RuntimeError):
    """The evidence can't be kept or read; says which file and what to do."""


@dataclass(slots=True)
class _Job:
    facts: Sequence[Fact]
    size: int
    done: Future[None] | None


class _Stop:
    pass


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
        self._queue: queue.SimpleQueue[_Job | _Stop] = queue.SimpleQueue()
        self._queued_bytes = 0
        self._lock = threading.Lock()
        self._failure: BaseException | None = None
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600, exist_ok=False)
            self._connection = _open_for_writing(path)
            insert_meta(self._connection, meta, redactor)
        except FileExistsError:
            raise JournalError(f"{path}: exists; choose another --session name or give --replace") from None
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"{path}: can't be written: {error}") from error
        self._thread = threading.Thread(target=self._run, name=f"journal-{meta.id}", daemon=True)
        self._thread.start()

    @property
    def failure(self) -> BaseException | None:
        """What ended the writing, if anything did."""
        return self._failure

    def put(self, *facts: Fact) -> None:
        """Hand facts over. Raises JournalError once writing has failed or the queue is full."""
        self._hand_over(facts, None)

    async def commit(self, *facts: Fact) -> None:
        """Hand facts over and return when they are on disk. Raises JournalError when they are not."""
        done: Future[None] = Future()
        self._hand_over(facts, done)
        await asyncio.wrap_future(done)

    def commit_now(self, *facts: Fact) -> None:
        """Like `commit`, for callers without an event loop."""
        done: Future[None] = Future()
        self._hand_over(facts, done)
        done.result()

    def _hand_over(self, facts: Sequence[Fact], done: Future[None] | None) -> None:
        size = sum(_size(fact) for fact in facts)
        with self._lock:
            if self._failure is not None or self._closed:
                raise JournalError(f"{self.path}: no longer written: {self._failure or 'closed'}")
            if self._queued_bytes + size > MAX_QUEUED_BYTES and self._queued_bytes:
                raise JournalError(f"{self.path}: the disk is too slow, {self._queued_bytes} bytes wait to be written")
            self._queued_bytes += size
            self._queue.put(_Job(facts, size, done))

    def close(self, *, status: str = "closed", at_ns: Instant | None = None) -> None:
        """Write what is queued, mark the session, fold the WAL into the file. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put(_Stop())
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
        stopping = False
        while not stopping:
            jobs: list[_Job] = []
            urgent = False
            with contextlib.suppress(queue.Empty):
                while len(jobs) < MAX_BATCH:
                    job = self._queue.get(timeout=None if not jobs else 0 if urgent else MAX_WAIT_S)
                    if isinstance(job, _Stop):
                        stopping = True
                        break
                    jobs.append(job)
                    urgent = urgent or job.done is not None
            if jobs:
                self._write(jobs)

    def _write(self, jobs: list[_Job]) -> None:
        try:
            if self._failure is not None:
                raise self._failure
            with self._connection:
                for job in jobs:
                    for fact in job.facts:
                        insert(self._connection, fact, self.redactor)
        except BaseException as error:  # noqa: BLE001 (whatever it is, the evidence has a hole from here on)
            with self._lock:
                self._failure = error
            failed = JournalError(f"{self.path}: can't be written: {error}")
            for job in jobs:
                if job.done is not None:
                    job.done.set_exception(failed)
        else:
            for job in jobs:
                if job.done is not None:
                    job.done.set_result(None)
        finally:
            with self._lock:
                self._queued_bytes -= sum(job.size for job in jobs)


def _size(fact: Fact) -> int:
    if isinstance(fact, ExchangeSeen):
        exchange = fact.exchange
        bodies = (exchange.request.body, exchange.response.body if exchange.response else None)
        return 1000 + sum(len(body) for body in (*bodies, fact.forwarded_body, fact.shown_body) if body)
    return 1000 + (len(fact.message.body) if isinstance(fact, MessageSeen) else 0)


def _open_for_writing(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, timeout=10, cached_statements=256)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = OFF")
    migrate(connection)
    return connection
