"""One session while it runs: its journal, its readers, its plan, and the counters that number its facts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult

from corpus.terms import Instant
from injectors.schedule import Schedule
from proxy.journal.events import Fact, Noted
from proxy.journal.numbering import Numbering
from proxy.journal.store import JournalError, Writer
from proxy.wire.reader import Reader


@dataclass(frozen=True, slots=True)
class Rules:
    """What this session may do. `maps` sends a host to another upstream, by host or host:port."""

    maps: Mapping[str, SplitResult] = field(default_factory=dict)
    attacking: bool = False
    accept_real_orders: bool = False
    own_ports: frozenset[int] = frozenset()

    def mapped(self, host: str, port: int) -> SplitResult | None:
        """Where a host is sent instead, if it is."""
        host = host.lower().rstrip(".")
        return self.maps.get(f"{host}:{port}") or self.maps.get(host)


@dataclass(slots=True)
class Needle:
    """A payload that was delivered and not yet seen by a model."""

    attack: str
    item: str
    text: str


@dataclass(slots=True)
class Session:
    """State of one session; lives on the event loop."""

    id: str
    writer: Writer
    reader: Reader
    schedule: Schedule
    rules: Rules
    numbering: Numbering = field(default_factory=Numbering)
    needles: list[Needle] = field(default_factory=list)
    exchanges: int = 0
    injections: int = 0
    blocked: int = 0
    hook_failures: int = 0
    storage_failed: bool = False

    def now(self) -> Instant:
        """The clock, read once a fact."""
        return time.time_ns()

    def next_exchange(self) -> int:
        """A number for the next exchange."""
        self.exchanges += 1
        return self.exchanges

    def put(self, *facts: Fact) -> None:
        """Hand facts to the journal; a failure is remembered, since who depends on it must stop."""
        try:
            self.writer.put(*facts)
        except JournalError:
            self.storage_failed = True
            raise

    def note(self, kind: str, text: str, exchange: int | None = None) -> None:
        """A note in the journal; never raises."""
        try:
            self.put(Noted(at_ns=self.now(), kind=kind, text=text[:2000], exchange=exchange))
        except JournalError:
            self.storage_failed = True
