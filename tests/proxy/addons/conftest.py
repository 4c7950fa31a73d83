"""A session with a journal of its own, and flows as mitmproxy makes them; no network."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mitmproxy import http
from mitmproxy.test import tflow

from injectors.schedule import Schedule
from proxy.addons.session import Rules, Session
from proxy.addons.stack import Stack
from proxy.journal.events import Evidence, SessionMeta
from proxy.journal.read import read
from proxy.journal.redact import Redactor
from proxy.journal.store import Writer
from proxy.wire.catalogue import Catalogue, load_catalogue
from proxy.wire.reader import Reader


class Lines:
    """A log that keeps what it is told."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, dict[str, Any]]] = []

    def _keep(self, event: str, **values: Any) -> None:
        self.kept.append((event, values))

    info = warning = error = _keep


def flow_of(
    method: str, url: str, body: bytes = b"", *fields: tuple[bytes, bytes], response: http.Response | None = None
) -> http.HTTPFlow:
    """A flow as it stands when its request was read."""
    to = urlsplit(url)
    flow = tflow.tflow(resp=response or False)
    data = flow.request.data
    data.method, data.scheme, data.host = method.encode(), to.scheme.encode(), to.hostname or ""
    data.port = to.port or (443 if to.scheme == "https" else 80)
    data.path = ((to.path or "/") + (f"?{to.query}" if to.query else "")).encode()
    data.content = body
    length = ((b"Content-Length", str(len(body)).encode()),) if body else ()
    data.headers = http.Headers([(b"Host", (to.hostname or "").encode()), *fields, *length])
    flow.server_conn = tflow.tserver_conn()
    return flow


def reply(body: bytes, status: int = 200, *fields: tuple[bytes, bytes]) -> http.Response:
    """A response as an upstream sends it."""
    head = [(b"Content-Type", b"application/json"), *fields, (b"Content-Length", str(len(body)).encode())]
    response = http.Response.make(status, b"")
    response.data.headers, response.data.content = http.Headers(head), body
    return response


@dataclass(slots=True)
class Bench:
    """A stack under test."""

    session: Session
    stack: Stack
    log: Lines = field(default_factory=Lines)

    async def exchange(self, flow: http.HTTPFlow, response: http.Response) -> http.HTTPFlow:
        """A whole exchange, as mitmproxy would drive it."""
        await self.stack.request(flow)
        if flow.response is None:
            flow.response = response
            self.stack.responseheaders(flow)
        await self.stack.response(flow)
        return flow

    def evidence(self) -> Evidence:
        self.session.writer.close()
        return read(self.session.writer.path)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture
def bench(tmp_path: Path, catalogue: Catalogue) -> Iterator[Bench]:
    writer = Writer(tmp_path / "s.db", SessionMeta(id="s", created_ns=time.time_ns()), Redactor(b"key" * 8))
    session = Session("s", writer, Reader(catalogue), Schedule(0), Rules())
    log = Lines()
    yield Bench(session, Stack(session, log), log)
    writer.close()
