"""Redtape running: as a command in a process of its own, or its live session in this one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from deploy import ca
from deploy.attacks import chosen
from deploy.live import LiveOptions, run_session
from deploy.proxyhost import ProxyHost
from deploy.workspace import Workspace
from proxy.addons.session import Session
from proxy.addons.stack import Stack
from proxy.journal.events import Evidence, ExchangeRow
from proxy.journal.read import read, read_body
from proxy.wire.catalogue import load_catalogue
from tests.e2e.support.wire import Got, read_response

ROOT = Path(__file__).parents[3]
REDTAPE = Path(sys.executable).with_name("redtape")
CLIENTS = Path(__file__).parents[1] / "clients"
CATALOGUE = load_catalogue()
TIMEOUT_S = 60


def clients_python() -> str:
    """The interpreter of the clients' own environment, as a user's agent would have it."""
    found = ROOT / ".venv-clients" / "bin" / "python"
    if not found.exists():
        pytest.fail("run make test (it creates .venv-clients)")
    return str(found)


def bare_environment(**more: str) -> dict[str, str]:
    """No proxy, no keys, no settings of ours: what a fresh shell has."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **more}


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that ended."""

    code: int
    out: bytes
    err: str

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.decode().splitlines()]


@contextlib.asynccontextmanager
async def process(
    command: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process in a group of its own; the group is ended with the block."""
    started = await asyncio.create_subprocess_exec(
        *command,
        env=dict(bare_environment() if environment is None else environment),
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=64 * 1024 * 1024,
        start_new_session=True,
    )
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        if started.returncode is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(started.communicate(), 5)


async def run(command: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> Ran:
    """Run a process to its end."""
    async with process(command, environment, cwd) as started:
        out, err = await asyncio.wait_for(started.communicate(), TIMEOUT_S)
        assert started.returncode is not None
        return Ran(started.returncode, out, err.decode("utf-8", "replace"))


async def redtape(workspace: Path, *arguments: str, **environment: str) -> Ran:
    """The command line, as a user types it."""
    return await run(
        [str(REDTAPE), "--workspace", str(workspace), *arguments], bare_environment(**environment), workspace.parent
    )


async def orders(workspace: Path, session: str) -> list[dict[str, Any]]:
    """What `redtape orders --json` prints."""
    done = await redtape(workspace, "orders", "--json", session)
    assert done.code == 0, done.err
    return done.lines()


class Lines:
    """A log that keeps what it is told."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, dict[str, Any]]] = []

    def _keep(self, event: str, **values: Any) -> None:
        self.kept.append((event, values))

    info = warning = error = _keep

    def named(self, event: str) -> list[dict[str, Any]]:
        return [values for name, values in self.kept if name == event]


@dataclass(slots=True)
class Live:
    """A session that runs in this process. Its evidence is whole after the block."""

    host: ProxyHost
    workspace: Workspace
    name: str
    log: Lines

    @property
    def stack(self) -> Stack:
        return self.host._stack

    @property
    def session(self) -> Session:
        return self.host._session

    @property
    def file(self) -> Path:
        return self.workspace.session(self.name)

    @property
    def trust(self) -> Path:
        return self.workspace.ca / ca.BUNDLE_NAME

    def evidence(self) -> Evidence:
        return read(self.file)

    def only(self) -> ExchangeRow:
        (row,) = self.evidence().exchanges
        return row

    def body(self, digest: str | None) -> bytes | None:
        return None if digest is None else read_body(self.file, digest)

    async def ask(self, url: str, method: str = "GET", body: bytes = b"", *fields: str, timeout_s: float = 20) -> Got:
        return await ask(self.host.url, self.trust, url, method, body, *fields, timeout_s=timeout_s)


@contextlib.asynccontextmanager
async def live(
    workspace: Path, *attacks: str, controls: Sequence[str] = (), session: str = "live", **options: Any
) -> AsyncIterator[Live]:
    """A session while the block runs; `attacks` and `controls` are ids of cases."""
    given = LiveOptions(
        session=session,
        workspace=Workspace(workspace),
        catalogue=CATALOGUE,
        attacks=chosen(attacks),
        controls=chosen(controls),
        **options,
    )
    running: asyncio.Future[ProxyHost] = asyncio.get_running_loop().create_future()
    log = Lines()
    task = asyncio.create_task(run_session(given, log, started=running.set_result))
    await asyncio.wait((task, running), return_when=asyncio.FIRST_COMPLETED)
    if not running.done():
        running.cancel()
        await task
    try:
        yield Live(running.result(), given.workspace, session, log)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class Connection:
    """One connection of a client that sends and sees raw bytes; closes with the block."""

    def __init__(self, proxy: str | None, trust: Path | None, url: str) -> None:
        self._proxy, self._trust, self.url = proxy, trust, urlsplit(url)
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def __aenter__(self) -> Connection:
        target, https = self.url, self.url.scheme == "https"
        at = urlsplit(self._proxy) if self._proxy else target
        host, port = at.hostname, at.port or (443 if https else 80)
        self.reader, self.writer = await asyncio.open_connection(host, port, limit=64 * 1024 * 1024)
        try:
            await self._establish()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _establish(self) -> None:
        target = self.url
        if target.scheme == "https":
            if self._proxy:
                where = f"{target.hostname}:{target.port or 443}"
                self.writer.write(f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n\r\n".encode())
                said = await self.reader.readuntil(b"\r\n\r\n")
                if b" 200 " not in said:
                    raise ConnectionRefusedError(said.decode())
            context = ssl.create_default_context(cafile=self._trust)
            context.set_alpn_protocols(["http/1.1"])
            await self.writer.start_tls(context, server_hostname=target.hostname)

    async def __aexit__(self, *_exception: object) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError, OSError, TimeoutError):
            await asyncio.wait_for(self.writer.wait_closed(), 2)

    def head(self, method: str, *fields: str, path: str | None = None) -> bytes:
        """A request's head, in the form that the way to the server asks for."""
        url = self.url
        path = path or (url.path or "/") + (f"?{url.query}" if url.query else "")
        if self._proxy and url.scheme == "http":
            path = f"http://{url.netloc}{path}"
        lines = (f"{method} {path} HTTP/1.1", f"Host: {url.netloc}", *fields, "", "")
        return "\r\n".join(lines).encode("latin-1")

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ask(self, method: str = "GET", body: bytes = b"", *fields: str, path: str | None = None) -> Got:
        length = (f"Content-Length: {len(body)}",) if body or method in ("POST", "PUT", "PATCH") else ()
        await self.send(self.head(method, *fields, *length, path=path) + body)
        return await read_response(self.reader, method)


async def ask(
    proxy: str | None,
    trust: Path | None,
    url: str,
    method: str = "GET",
    body: bytes = b"",
    *fields: str,
    timeout_s: float = 20,
) -> Got:
    """One request on a connection of its own, raw."""
    async with asyncio.timeout(timeout_s), Connection(proxy, trust, url) as connection:
        return await connection.ask(method, body, *fields)
