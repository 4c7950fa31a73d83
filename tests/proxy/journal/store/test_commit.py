"""Who waits for the disk is told, once and by its own loop; batches lose nothing and keep their order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.journal import store
from proxy.journal.events import Noted, SessionMeta
from proxy.journal.read import read
from proxy.journal.redact import Redactor
from proxy.journal.store import JournalError, Writer


def noted(number: int) -> Noted:
    return Noted(at_ns=number, kind="test", text=str(number))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    found = Writer(tmp_path / "s.db", SessionMeta(id="s", created_ns=1), Redactor(b"k" * 32))
    yield found
    found.close()


def texts(writer: Writer) -> list[str]:
    return [note.text for note in read(writer.path).notes]


async def test_what_was_committed_is_on_disk(writer: Writer) -> None:
    writer.put(noted(1))
    await writer.commit(noted(2))

    assert texts(writer) == ["1", "2"]


@pytest.mark.parametrize("others", [0, 50])
async def test_many_commits_are_all_told(writer: Writer, others: int) -> None:
    """Also when each waits a little for the others."""
    await asyncio.gather(*(writer.commit(noted(number), others=others) for number in range(50)))

    assert texts(writer) == [str(number) for number in range(50)]


def test_more_than_a_batch_is_written_in_order(writer: Writer) -> None:
    for number in range(store.MAX_BATCH * 2 + 7):
        writer.put(noted(number))
    writer.close()

    assert texts(writer) == [str(number) for number in range(store.MAX_BATCH * 2 + 7)]


def test_callers_of_several_loops_and_none(writer: Writer) -> None:
    """Each loop is woken in its own thread."""

    async def many(start: int) -> None:
        await asyncio.gather(*(writer.commit(noted(start + number)) for number in range(20)))

    threads = [threading.Thread(target=asyncio.run, args=(many(start),)) for start in (0, 100)]
    for thread in threads:
        thread.start()
    writer.commit_now(noted(1000))
    for thread in threads:
        thread.join(20)

    assert len(texts(writer)) == 41


async def test_all_who_wait_are_told_of_a_failure(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(store, "insert", broken)
    results = await asyncio.gather(*(writer.commit(noted(number)) for number in range(5)), return_exceptions=True)

    assert [type(result) for result in results] == [JournalError] * 5
    with pytest.raises(JournalError):
        writer.put(noted(9))


async def test_who_gave_up_waiting_harms_no_one(writer: Writer) -> None:
    gone = asyncio.ensure_future(writer.commit(noted(1)))
    await asyncio.sleep(0)
    gone.cancel()
    await writer.commit(noted(2))

    assert texts(writer) == ["1", "2"]


def test_a_loop_that_ended_harms_no_one(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    original = store.insert

    def slow(*given: object) -> None:
        held.wait(10)
        original(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "insert", slow)

    async def leave() -> None:
        waiting = asyncio.ensure_future(writer.commit(noted(1)))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    held.set()
    writer.commit_now(noted(2))

    assert texts(writer) == ["1", "2"]


@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_a_file_that_is_no_longer_there_takes_nothing_more(how: str, writer: Writer) -> None:
    """What is written to it would be acknowledged and never be read."""
    await writer.commit(noted(1))
    writer.path.unlink()
    if how == "replaced":
        writer.path.write_bytes(b"another")
    with pytest.raises(JournalError):
        await writer.commit(noted(2))
    with pytest.raises(JournalError):
        writer.put(noted(3))
