"""Recordings become sessions whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.errors import UserError
from deploy.imports import record as module
from deploy.imports.har import exchange_of
from deploy.imports.record import Recorded, facts_of, record
from deploy.locks import held
from deploy.workspace import Workspace, WorkspaceError
from proxy.journal.events import ChainLinked, ExchangeSeen, LlmCalled, OrderFact, ToolCalled
from proxy.journal.numbering import Numbering
from proxy.journal.read import read
from proxy.journal.store import JournalError
from proxy.wire.catalogue import load_catalogue
from proxy.wire.reader import Reader

CATALOGUE = load_catalogue()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w")


@pytest.fixture
def told(har) -> list[Recorded]:
    """Two orders."""
    return [exchange_of(har.entry(body=har.placed(f"c{n}"), answer=har.order(f"c{n}")), n, Path("x")) for n in (1, 2)]


def files(workspace: Workspace) -> list[str]:
    return sorted(path.name for path in workspace.sessions.iterdir())


def test_whole(workspace, told) -> None:
    """One file, closed, with where it came from."""
    assert 2 == record(told, "s", "x.har", workspace, CATALOGUE, replace=False)
    found = read(workspace.session("s"))

    assert ("closed", (("import", "x.har"),)) == (found.meta.status, found.meta.options)
    assert [1, 2, 3, 4] == [fact.seq for fact in found.orders]
    assert ["s.db"] == files(workspace)


@pytest.mark.parametrize("error", [UserError("cut"), ValueError("bug"), KeyboardInterrupt()])
@pytest.mark.parametrize("replace", [False, True])
def test_nothing_is_left_of_half(workspace, told, error: BaseException, replace: bool) -> None:
    """A recording that breaks off, and an older session of that name stays as it was."""
    if replace:
        record(told[:1], "s", "old.har", workspace, CATALOGUE, replace=False)

    def broken() -> Iterator[Recorded]:
        yield told[0]
        raise error

    with pytest.raises(type(error)):
        record(broken(), "s", "new.har", workspace, CATALOGUE, replace=replace)
    assert (["s.db"] if replace else []) == files(workspace)
    if replace:
        assert (("import", "old.har"),) == read(workspace.session("s")).meta.options


def test_disk_that_fails(workspace, told, monkeypatch: pytest.MonkeyPatch) -> None:
    """Says so, and leaves nothing that looks like evidence."""
    import proxy.journal.store as store

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "insert", full)
    with pytest.raises(JournalError, match="No space left on device"):
        record(told, "s", "x.har", workspace, CATALOGUE, replace=False)
    assert [] == files(workspace)


def test_a_name_that_is_taken(workspace, told) -> None:
    """Before anything is read; and when it was taken meanwhile."""
    record(told[:1], "s", "old.har", workspace, CATALOGUE, replace=False)

    def unread() -> Iterator[Recorded]:
        pytest.fail("was read")
        yield from told

    with pytest.raises(UserError, match="session s exists"):
        record(unread(), "s", "new.har", workspace, CATALOGUE, replace=False)

    def slow() -> Iterator[Recorded]:
        yield told[0]
        record(told, "u", "quick.har", workspace, CATALOGUE, replace=False)
        workspace.session("u").rename(workspace.session("t"))

    with pytest.raises(UserError, match="session t exists"):
        record(slow(), "t", "slow.har", workspace, CATALOGUE, replace=False)
    assert (("import", "quick.har"),) == read(workspace.session("t")).meta.options
    assert ["s.db", "t.db"] == files(workspace)


def test_a_session_that_is_being_recorded(workspace, told) -> None:
    """Is not replaced."""
    with held(workspace.ensure().session("s")), pytest.raises(UserError, match="session s is in use by process"):
        record(told, "s", "x.har", workspace, CATALOGUE, replace=True)
    assert [] == files(workspace)


@pytest.mark.parametrize("name", ["../s", "", "a b"])
def test_a_name_that_leads_elsewhere(workspace, told, name: str) -> None:
    """No file outside of the workspace."""
    with pytest.raises(WorkspaceError):
        record(told, name, "x.har", workspace, CATALOGUE, replace=True)


def test_processes_that_import_at_once(workspace, tmp_path: Path, har, spawn) -> None:
    """One wins, the others are told; nobody's half is taken for a whole."""
    file = har.write(
        tmp_path / "a.har", *(har.entry(body=har.placed(f"c{n}"), answer=har.order(f"c{n}")) for n in range(20))
    )
    started = [spawn("--workspace", workspace.path, "import", file) for _ in range(3)]
    said = [process.communicate(timeout=60)[1] for process in started]

    assert [0, 2, 2] == sorted(process.returncode for process in started), said
    assert 20 == len(read(workspace.session("a")).exchanges)
    assert ["a.db"] == files(workspace)


def test_facts_of_a_model_call(har) -> None:
    """A model call, its tool call, the intent that this is, and the wire order that it became: one chain."""
    call = {"name": "place_order", "arguments": '{"symbol":"AAPL","qty":10,"side":"buy","type":"market"}'}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "t1", "type": "function", "function": call}]}
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    answer = {
        "id": "x",
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": usage,
    }
    asked = {"model": "m", "messages": [{"role": "user", "content": "buy"}]}
    model = har.entry("POST", "https://api.openai.com/v1/chat/completions", asked, answer)
    wire = har.entry(body=har.placed(), answer=har.order(), at="2026-11-25T15:00:01Z")
    reader, numbering = Reader(CATALOGUE), Numbering()
    facts = [
        fact
        for n, one in enumerate((model, wire), 1)
        for fact in facts_of(exchange_of(one, n, Path("x"))[0], reader, numbering)
    ]

    (llm,) = (fact for fact in facts if isinstance(fact, LlmCalled))
    (tool,) = (fact for fact in facts if isinstance(fact, ToolCalled))
    assert ("m-1", 12, 3, False) == (llm.model, llm.prompt_tokens, llm.completion_tokens, llm.streamed)
    orders = [fact for fact in facts if isinstance(fact, OrderFact)]
    assert [("requested", "llm"), ("requested", "wire"), ("acked", None)] == [
        (fact.event.kind, getattr(fact.event, "source", None)) for fact in orders
    ]
    assert ("place_order", orders[0].seq) == (tool.name, tool.order)
    assert {(1, 1), (2, 1)} == {(fact.seq, fact.chain) for fact in facts if isinstance(fact, ChainLinked)}


def test_facts_of_an_unknown_exchange(har) -> None:
    """Kept, and nothing is read into it."""
    (fact,) = facts_of(
        exchange_of(har.entry("GET", "https://example.com/"), 1, Path("x"))[0], Reader(CATALOGUE), Numbering()
    )

    assert isinstance(fact, ExchangeSeen)
    assert ("passed", None, None, None, ()) == (fact.outcome, fact.endpoint, fact.venue, fact.role, fact.marks)


def test_facts_of_an_unreadable_order(har) -> None:
    """Still an order; marked, with an answer that settles nothing."""
    facts = list(
        facts_of(
            exchange_of(har.entry(body='{"symbol": ', answer="{"), 1, Path("x"))[0], Reader(CATALOGUE), Numbering()
        )
    )

    assert ["requested", "unknown"] == [fact.event.kind for fact in facts if isinstance(fact, OrderFact)]
    assert isinstance(facts[-1], ExchangeSeen)
    assert ("unreadable",) == facts[-1].marks
    assert module.record is record
