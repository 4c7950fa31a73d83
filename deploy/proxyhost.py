"""
mitmproxy embedded in this process: a bare Master, the four add-ons it needs, and two of ours.

Start and stop; nothing here decides anything about traffic. One host a process at a time: mitmproxy keeps
its master in module globals.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

import certifi
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master

from deploy.errors import cannot_listen
from proxy.addons.fast import FastProxyserver, fast_master
from proxy.addons.interim import install
from proxy.addons.resume import Resume
from proxy.addons.session import Session
from proxy.addons.stack import Log, Stack


class HostError(RuntimeError):
    """The proxy could not be started; says why."""


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Where to listen, and which certificates to use and trust."""

    listen_host: str
    listen_port: int
    ca_folder: Path
    upstream_ca: Path | None = None
    insecure_upstream: bool = False


class ProxyHost:
    """One running proxy."""

    def __init__(self, options_: HostOptions, session: Session, log: Log) -> None:
        self._options = options_
        self._session = session
        self._stack = Stack(session, log)
        self._master: Master | None = None
        self._task: asyncio.Task[None] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """What to put into HTTPS_PROXY."""
        host = self._options.listen_host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    async def start(self) -> None:
        """
        Listen.

        Raises:
            HostError: The address can't be bound, or mitmproxy did not come up.
        """
        given = self._options
        await _probe(given.listen_host, given.listen_port)
        install()
        master = self._master = fast_master()
        for noisy in ("mitmproxy", "asyncio"):
            logging.getLogger(noisy).setLevel(logging.CRITICAL)
        servers = FastProxyserver()
        master.addons.add(core.Core(), servers, next_layer.NextLayer(), tlsconfig.TlsConfig(), Resume(), self._stack)
        master.options.update(
            confdir=str(given.ca_folder),
            listen_host=given.listen_host,
            listen_port=given.listen_port,
            mode=["regular"],
            # Never connect before a request was read and allowed.
            connection_strategy="lazy",
            upstream_cert=False,
            # A protocol that is not HTTP is closed, not tunnelled unseen.
            rawtcp=False,
            # With lazy connections an HTTP/2 client would cost one upstream connection a request.
            http2=False,
            http3=False,
            ssl_insecure=given.insecure_upstream,
            ssl_verify_upstream_trusted_ca=str(_trusted(given)),
        )
        self._task = asyncio.create_task(master.run(), name="mitmproxy")
        try:
            await asyncio.wait_for(self._listening(servers), 15)
        except TimeoutError:
            await self.stop()
            raise HostError(f"the proxy did not start listening on {given.listen_host}:{given.listen_port}") from None
        if not gc.get_freeze_count():
            # Code and catalogue stay as long as the process: never look through them again.
            gc.collect()
            gc.freeze()

    async def _listening(self, servers: proxyserver.Proxyserver) -> None:
        while not servers.listen_addrs():
            if self._task is not None and self._task.done():
                raise HostError(f"the proxy stopped while starting: {self._task.exception()!r}")
            await asyncio.sleep(0.01)
        self.port = servers.listen_addrs()[0][1]

    async def stop(self) -> None:
        """Stop listening and close connections. Idempotent."""
        master, task = self._master, self._task
        self._master = self._task = None
        if master is None or task is None:
            return
        servers = master.addons.get("proxyserver")
        if servers is not None:
            with contextlib.suppress(Exception):
                await servers.servers.update([])
        master.should_exit.set()
        with contextlib.suppress(asyncio.CancelledError, TimeoutError):
            await asyncio.wait_for(task, 10)


async def check_host(given: HostOptions) -> None:
    """
    What a start would need, without starting: the address is free, the roots can be read.

    Raises:
        HostError: It would not start.
    """
    await _probe(given.listen_host, given.listen_port)
    _trusted(given)


async def _probe(host: str, port: int) -> None:
    """Fail with a clear word when the address is taken: mitmproxy only logs it."""
    if port == 0:
        return
    try:
        server = await asyncio.start_server(lambda _r, w: w.close(), host, port, reuse_address=True)
    except OSError as error:
        raise HostError(cannot_listen(host, port, error)) from None
    server.close()
    await server.wait_closed()


def _trusted(given: HostOptions) -> Path:
    """The system's roots, the public ones, and the user's own, in one file beside the CA."""
    parts = [Path(certifi.where()).read_bytes()]
    system = ssl.get_default_verify_paths().cafile
    if (
        system is not None
        and Path(system).is_file()
        and not Path(system).resolve().is_relative_to(given.ca_folder.resolve())
    ):
        parts.append(Path(system).read_bytes())
    if given.upstream_ca is not None:
        try:
            parts.append(given.upstream_ca.read_bytes())
        except OSError as error:
            raise HostError(f"--upstream-ca {given.upstream_ca} can't be read: {error.strerror}") from None
    path = given.ca_folder / "upstream.pem"
    data = b"\n".join(part.rstrip() for part in parts) + b"\n"
    if not path.exists() or path.read_bytes() != data:
        temporary = path.with_name(f".upstream.{id(given)}")
        temporary.write_bytes(data)
        temporary.replace(path)
    return path
