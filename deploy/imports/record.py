"""Recorded exchanges as a session: the same reading as live traffic, written to the same journal. No mitmproxy."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from deploy import locks
from deploy.cli import VERSION
from deploy.errors import UserError
from deploy.workspace import Workspace
from proxy.journal.events import ExchangeSeen, Fact, MessageSeen, SessionMeta
from proxy.journal.numbering import Numbering
from proxy.journal.redact import Redactor
from proxy.journal.store import JournalError, Writer
from proxy.wire.catalogue import Catalogue
from proxy.wire.exchange import Exchange, Message
from proxy.wire.reader import Reader

type Recorded = tuple[Exchange, list[Message]]


def record(
    recorded: Iterable[Recorded], name: str, source: str, workspace: Workspace, catalogue: Catalogue, *, replace: bool
) -> int:
    """
    Write exchanges as a session, whole or not at all.

    Args:
        recorded: In their order; may raise UserError while it is read.
        name: The session's name.
        source: The file's name, kept in the session.
        workspace: Where it goes.
        catalogue: How it is read.
        replace: Take an older session of that name away.

    Returns:
        How many exchanges there were.

    Raises:
        UserError: The session exists or is being recorded, or the recording can't be read.
        JournalError: The file can't be written.
    """
    target = workspace.ensure().session(name)
    with locks.held(target):
        return _record(recorded, name, source, workspace, catalogue, target, replace)


def _record(
    recorded: Iterable[Recorded],
    name: str,
    source: str,
    workspace: Workspace,
    catalogue: Catalogue,
    target: Path,
    replace: bool,
) -> int:
    if target.exists() and not replace:
        raise UserError(f"session {name} exists; choose another --session name or give --replace")
    names = [one for v in catalogue.venues for one in (*v.secrets.headers, *v.secrets.query, *v.secrets.body)]
    temporary = target.with_name(f".{name}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    meta = SessionMeta(id=name, created_ns=time.time_ns(), version=VERSION, options=(("import", source),))
    writer = Writer(temporary, meta, Redactor(workspace.redaction_key(), names=names))
    reader, numbering, count = Reader(catalogue), Numbering(), 0
    try:
        try:
            for exchange, messages in recorded:
                # Wait for the disk: a recording may be larger than memory.
                writer.commit_now(*facts_of(exchange, reader, numbering))
                writer.put(*(MessageSeen(message=message) for message in messages))
                count += 1
        finally:
            writer.close(at_ns=time.time_ns())
        if writer.failure is not None:
            raise JournalError(f"{target}: can't be written: {writer.failure}")
        if replace:
            workspace.replace(name)
        try:
            target.hardlink_to(temporary)
        except FileExistsError:
            raise UserError(f"session {name} exists; choose another --session name or give --replace") from None
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)
    return count


def facts_of(exchange: Exchange, reader: Reader, numbering: Numbering) -> Iterator[Fact]:
    """Everything that one recorded exchange says, in the order in which live traffic would say it."""
    request, response = exchange.request, exchange.response
    asked = reader.request(request, exchange.id)
    for order in asked.orders:
        yield from numbering.number(order)
    if response is not None:
        said = reader.response(asked, response, exchange.id)
        for event in said.events:
            yield from numbering.number(event)
        streamed = response.headers.media_type() == "text/event-stream"
        yield from numbering.answer(asked, said, response, request.at_ns, exchange.id, streamed)
        marks = (*asked.marks, *said.marks)
    else:
        for lost in reader.lost(asked, exchange.id, request.at_ns):
            yield from numbering.number(lost)
        marks = asked.marks
    endpoint = asked.endpoint
    yield ExchangeSeen(
        exchange=exchange,
        outcome="passed" if response is not None else "error",
        endpoint=endpoint.id if endpoint else None,
        venue=endpoint.venue if endpoint else asked.host.venue if asked.host else None,
        role=asked.host.role if asked.host else endpoint.role if endpoint else None,
        secret_response=bool(endpoint and endpoint.rule.secret),
        marks=tuple(dict.fromkeys(marks)),
    )
