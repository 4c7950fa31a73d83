"""A session's rules and counters."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from proxy.addons.session import Rules
from proxy.journal.events import Noted
from proxy.journal.store import JournalError
from tests.proxy.addons.conftest import Bench


@pytest.mark.parametrize(
    ("host", "port", "found"),
    [
        ("a.example", 443, "x"),
        ("A.Example.", 443, "x"),
        ("a.example", 8443, "y"),
        ("b.example", 443, None),
        ("a.example.evil", 443, None),
        ("sub.a.example", 443, None),
    ],
)
def test_mapped(host: str, port: int, found: str | None) -> None:
    """By host, or by host and port, which wins; never by a part of a name."""
    rules = Rules(maps={"a.example": urlsplit("http://x"), "a.example:8443": urlsplit("http://y")})
    target = rules.mapped(host, port)

    assert (target.hostname if target else None) == found


def test_exchanges_count_from_one(bench: Bench) -> None:
    """Numbers never repeat."""
    assert [bench.session.next_exchange() for _ in range(3)] == [1, 2, 3]


def test_a_note(bench: Bench) -> None:
    """Kept, cut to a sane length."""
    bench.session.note("kind", "x" * 5000, 3)
    (note,) = bench.evidence().notes

    assert (note.kind, len(note.text), note.exchange) == ("kind", 2000, 3)


def test_a_failed_journal_is_remembered(bench: Bench) -> None:
    """A fact that can't be kept raises; a note does not; both mark the session."""
    bench.session.writer.close()

    bench.session.note("kind", "text")
    assert bench.session.storage_failed
    with pytest.raises(JournalError):
        bench.session.put(Noted(at_ns=1, kind="k", text="t"))
