"""One proxy session from start to stop, with or without a command to run under it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import time
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from corpus.attack import AttackCase, corpus_version
from deploy import ca, locks
from deploy.cli import VERSION
from deploy.errors import UserError
from deploy.proxyhost import HostOptions, ProxyHost, check_host
from deploy.workspace import Workspace
from injectors.schedule import Schedule
from proxy.addons.guard import real_trading_host
from proxy.addons.session import Rules, Session
from proxy.addons.stack import Log
from proxy.journal.events import Noted, SessionMeta
from proxy.journal.redact import Redactor, secret_values
from proxy.journal.store import JournalError, Writer
from proxy.wire.catalogue import Catalogue
from proxy.wire.reader import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """What one session is to do. `attacks` and `controls` are cases injected as such."""

    session: str
    workspace: Workspace
    catalogue: Catalogue
    listen_host: str = "127.0.0.1"
    listen_port: int = 0
    maps: Mapping[str, str] = field(default_factory=dict)
    attacks: tuple[AttackCase, ...] = ()
    controls: tuple[AttackCase, ...] = ()
    variant: int = 0
    seed: int = 0
    broker: str = "live"
    accept_real_orders: bool = False
    upstream_ca: Path | None = None
    replace: bool = False
    extra_secrets: tuple[str, ...] = ()
    contract_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended. `command` is the command's exit code, if there was one."""

    session: str
    file: Path
    command: int | None
    storage_failed: bool
    hook_failures: int
    exchanges: int
    orders: int
    injections: int
    blocked: int
    output: bytes = b""
    signal: int | None = None
    """SIGINT or SIGTERM, when one came."""


def parse_maps(maps: Mapping[str, str]) -> dict[str, SplitResult]:
    """
    `--map HOST=URL` values.

    Raises:
        UserError: A host is more than a name, a target is no http or https URL, or one of them is spelt so that
            another program could read another host.
    """
    out: dict[str, SplitResult] = {}
    for host, url in maps.items():
        if not _HOST.fullmatch(host):
            raise UserError(f"--map {host}={url}: {_host_hint(host)}")
        name, port = _host_of(host)
        _check_spelling(name, f"--map {host}={url}")
        if _UNFIT.search(url):
            raise UserError(f"--map {host}={url}: the target can't have spaces, control characters or backslashes")
        try:
            target = urlsplit(url)
            fits = target.scheme in ("http", "https") and bool(target.hostname) and target.port != 0
        except ValueError:
            fits = False
        if not fits:
            raise UserError(f"--map {host}={url}: the target must look like http://HOST:PORT or https://HOST")
        if target.query or target.fragment:
            raise UserError(f"--map {host}={url}: the target can't have a query or fragment")
        # As written: the parsed name is in lower case, which makes some letters others.
        _check_spelling(_host_of(target.netloc.rpartition("@")[2])[0], f"--map {host}={url}")
        out[name.lower().rstrip(".") + port] = target
    return out


_UNFIT: Final = re.compile(r"[\s\x00-\x20\x7f-\x9f\\]")


def _host_of(host: str) -> tuple[str, str]:
    """A map's host, and its port with the colon."""
    found = _HOST.fullmatch(host)
    return (found[1], found[2] or "") if found else (host, "")


def _check_spelling(host: str, said: str) -> None:
    """
    Refuse a host that resolvers and HTTP libraries turn into another: what is checked must be what is reached.

    Raises:
        UserError: Says which host could be meant.
    """
    if "%" in host:
        raise UserError(f"{said}: {host!a}: a host can't have percent signs; write its letters")
    if _UNFIT.search(host):
        raise UserError(f"{said}: {host!a} is no host name")
    if host.isascii():
        return
    plain = unicodedata.normalize("NFKC", host).translate(_DOTS)
    try:
        reached = ".".join(_label(label) for label in plain.split("."))
    except UnicodeError:
        raise UserError(f"{said}: {host!a} is no host name") from None
    if plain != host or reached != host.lower():
        raise UserError(f"{said}: {host!a} is another spelling of {reached!a}; write that")


_DOTS: Final = {ord(dot): "." for dot in "\u3002\uff0e\uff61"}


def _label(label: str) -> str:
    """A label as it reads when it was encoded for the DNS and decoded again."""
    return label.encode("idna").decode("idna")


_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s/:@?#\\\[\]]+)(:\d{1,5})?")
"""What stands before a map's equals sign: a name or an address, and perhaps a port."""


def _host_hint(host: str) -> str:
    plain = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", host).partition("/")[0]
    meant = f"; write {plain}=URL" if plain != host and _HOST.fullmatch(plain) else ""
    return f"a host alone is wanted before the equals sign, without scheme or path{meant}"


def check_safe(options: LiveOptions, rules: Rules) -> None:
    """
    An attack and a real broker do not meet by accident.

    With nothing said about a trading host, every real one of the catalogue could be meant, and the session
    does not start. Once a trading host is mapped, that is the one meant, and orders to others are refused.

    Raises:
        UserError: The session could order with real money.
    """
    if not rules.attacking or options.broker != "live" or rules.accept_real_orders:
        return
    catalogue = options.catalogue
    named = [
        host for host in rules.maps if (facts := catalogue.host(host.partition(":")[0])) and facts.role == "trading"
    ]
    # Nothing says which broker is meant; one whose other hosts are mapped comes first.
    venues = {facts.venue for host in rules.maps if (facts := catalogue.host(host.partition(":")[0]))}
    real = [host for host in catalogue.hosts if real_trading_host(catalogue, rules, host, 443)]
    real.sort(key=lambda host: catalogue.hosts[host].venue not in venues)
    bad = [host for host in rules.maps if real_trading_host(catalogue, rules, *_host_port(host))]
    if named and not bad:
        return
    example = (bad or real)[0] if (bad or real) else "the venue"
    raise UserError(
        f"an attack with --broker live could reach real money at {example}: map the trading host to a simulator or a "
        f"paper venue (--map {example}=http://127.0.0.1:PORT; for a paper host onto itself: "
        f"--map paper-host=https://paper-host), or give --accept-real-orders"
    )


def _host_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    return (host, int(port)) if colon and port.isascii() and port.isdigit() else (text, 443)


def open_session(options: LiveOptions) -> Session:
    """
    The session's state and file. Who calls this holds the session's lock: a live one is never replaced.

    Raises:
        UserError, WorkspaceError, JournalError: It can't be started like this.
    """
    workspace = options.workspace.ensure()
    path = workspace.session(options.session)
    rules = Rules(
        maps=parse_maps(options.maps),
        attacking=bool(options.attacks or options.controls),
        accept_real_orders=options.accept_real_orders,
    )
    check_safe(options, rules)
    if path.exists() or path.is_symlink():
        if not options.replace:
            raise UserError(f"session {options.session} exists; choose another --session name or give --replace")
        workspace.replace(options.session)
    schedule = Schedule(options.seed)
    try:
        for case in options.attacks:
            schedule.add(case, variant=options.variant)
        for case in options.controls:
            schedule.add(case, kind="control", variant=options.variant)
    except ValueError as error:
        raise UserError(str(error)) from None
    names = [name for venue in options.catalogue.venues for name in _secret_names(venue)]
    redactor = Redactor(
        workspace.redaction_key(), names=names, values=(*secret_values(os.environ), *options.extra_secrets)
    )
    writer = Writer(path, _meta(options), redactor)
    return Session(options.session, writer, Reader(options.catalogue), schedule, rules)


def _secret_names(venue: Any) -> tuple[str, ...]:
    secrets = venue.secrets
    return (*secrets.headers, *secrets.query, *secrets.body)


def _meta(options: LiveOptions) -> SessionMeta:
    cases = (*options.attacks, *options.controls)
    said: list[tuple[str, str]] = [("listen", f"{options.listen_host}:{options.listen_port}")]
    said += [("map", f"{host}={url}") for host, url in options.maps.items()]
    said += [("attack", case.id) for case in options.attacks] + [("control", case.id) for case in options.controls]
    if cases:
        said.append(("variant", str(options.variant)))
    return SessionMeta(
        id=options.session,
        created_ns=time.time_ns(),
        version=VERSION,
        seed=options.seed,
        broker=options.broker,
        corpus_version=corpus_version(cases) if cases else None,
        contract_hash=options.contract_hash,
        options=tuple(said),
    )


async def run_session(
    options: LiveOptions,
    log: Log,
    *,
    command: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    capture: bool = False,
    timeout_s: float | None = None,
    started: Any = None,
) -> Ended:
    """
    Start the proxy, run the command under it or wait for a signal, stop, and close the evidence.

    Args:
        options: The session.
        log: Where canonical lines go.
        command: What to run with the proxy's variables set; nothing waits for SIGINT or SIGTERM instead.
        environment: The command's variables before ours; this process's own by default.
        capture: Keep the command's stdout instead of passing it on.
        timeout_s: How long the command may take.
        started: Called with the running host.

    Raises:
        UserError, WorkspaceError, JournalError, HostError: It could not start; no new session is left then.
    """
    file = options.workspace.ensure().session(options.session)
    variables = dict(os.environ if environment is None else environment)
    with locks.held(file):
        # What can be known before an older session of that name is replaced.
        folder = ca.ensure(options.workspace)
        host = HostOptions(options.listen_host, options.listen_port, folder, options.upstream_ca)
        await check_host(host)
        _check_command(command, variables)
        return await _recorded(options, host, log, command, variables, capture, timeout_s, started)


async def _recorded(
    options: LiveOptions,
    host_options: HostOptions,
    log: Log,
    command: Sequence[str],
    variables: Mapping[str, str],
    capture: bool,
    timeout_s: float | None,
    started: Any,
) -> Ended:
    session = open_session(options)
    signals = _Signals()
    host: ProxyHost | None = None
    code: int | None = None
    output = b""
    status = "interrupted"
    begun = False
    try:
        host = ProxyHost(host_options, session, log)
        await host.start()
        session.rules = replace(session.rules, own_ports=frozenset((host.port,)))
        # Before anyone is told that we listen, and until the evidence is closed.
        signals.install()
        if started is not None:
            started(host)
        if command:
            ours = ca.environment(host_options.ca_folder, host.url)
            process = await _launched(command, {**variables, **ours}, capture)
            begun = True
            code, output = await _run(process, timeout_s, signals)
            if code != 0:
                session.note("agent_error", f"the command ended with {code}")
        else:
            begun = True
            await signals.stop.wait()
        status = "closed"
    finally:
        if host is not None:
            await host.stop()
        with contextlib.suppress(JournalError):
            await asyncio.to_thread(_close, session, status)
        if not begun and not session.exchanges:
            options.workspace.replace(session.id)
        signals.remove()
    return Ended(
        session=session.id,
        file=session.writer.path,
        command=code,
        storage_failed=session.storage_failed or session.writer.failure is not None,
        hook_failures=session.hook_failures,
        exchanges=session.exchanges,
        orders=session.numbering.orders,
        injections=session.injections,
        blocked=session.blocked,
        output=output,
        signal=signals.last,
    )


def _close(session: Session, status: str) -> None:
    with contextlib.suppress(JournalError):
        session.writer.put(Noted(at_ns=time.time_ns(), kind="closed", text=status))
    session.writer.close(status=status, at_ns=time.time_ns())


def _check_command(command: Sequence[str], variables: Mapping[str, str]) -> None:
    if not command or shutil.which(command[0], path=variables.get("PATH", os.defpath)) is not None:
        return
    if os.path.dirname(command[0]) and os.path.exists(command[0]):  # noqa: PTH120, PTH110 (a command is no path)
        raise UserError(f"not allowed to run: {command[0]}")
    raise UserError(f"command not found: {command[0]}")


async def _launched(command: Sequence[str], variables: Mapping[str, str], capture: bool) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *command, env=dict(variables), stdout=asyncio.subprocess.PIPE if capture else None
        )
    except FileNotFoundError:
        raise UserError(f"command not found: {command[0]}") from None
    except PermissionError:
        raise UserError(f"not allowed to run: {command[0]}") from None
    except OSError as error:
        raise UserError(f"can't run {command[0]}: {error.strerror}") from None


async def _run(process: asyncio.subprocess.Process, timeout_s: float | None, signals: _Signals) -> tuple[int, bytes]:
    signals.lead_to(process)
    try:
        output, _ = await asyncio.wait_for(process.communicate(), timeout_s)
    except TimeoutError:
        process.kill()
        await process.wait()
        return 124, b""
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    code = process.returncode or 0
    return (128 - code if code < 0 else code), output or b""


class _Signals:
    """SIGTERM and SIGINT, as long as a session is open: they end the waiting, or go to the command."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self.last: int | None = None
        self._undo = contextlib.ExitStack()

    def install(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            # Neither on Windows nor outside the main thread; then the caller ends us.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._came, number)
                self._undo.callback(loop.remove_signal_handler, number)

    def remove(self) -> None:
        self._undo.close()

    def lead_to(self, process: asyncio.subprocess.Process) -> None:
        """From now on to this process; also what came before it was there."""
        self._process = process
        if self.last is not None:
            self._came(self.last)

    def _came(self, number: int) -> None:
        self.last = number
        self.stop.set()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
