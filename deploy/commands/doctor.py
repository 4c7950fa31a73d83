"""`redtape doctor`: can this installation do its job?"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from deploy.errors import Exit
from deploy.safe import safe
from deploy.settings import Settings

type Finding = tuple[str, bool, str]
"""Name, whether it is well, what was found or what to do."""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """Check that this installation can do its job.

    Python, SQLite, workspace, certificate authority, a journal write, and a real loop: a client through the
    proxy to the simulator and back. Exit 4 when something is wrong.
    """
    findings = [_guarded(name, check, settings) for name, check in _CHECKS]
    if as_json:
        rows = [{"check": name, "ok": ok, "found": text} for name, ok, text in findings]
        click.echo(json.dumps({"ok": all(ok for _, ok, _ in findings), "checks": rows}, separators=(",", ":")))
    else:
        for name, ok, text in findings:
            click.echo(f"{'ok  ' if ok else 'FAIL'}  {name}: {safe(text)}")
    return Exit.PASS if all(ok for _, ok, _ in findings) else Exit.INCONCLUSIVE


def _guarded(name: str, check: Callable[[Settings], tuple[bool, str]], settings: Settings) -> Finding:
    try:
        ok, text = check(settings)
    except Exception as error:  # noqa: BLE001 (a failing check is a finding)
        return name, False, f"{type(error).__name__}: {error}"
    return name, ok, text


def _python(_settings: Settings) -> tuple[bool, str]:
    version = ".".join(map(str, sys.version_info[:3]))
    return sys.version_info >= (3, 12), f"{version} (3.12 or later is needed)"


def _sqlite(_settings: Settings) -> tuple[bool, str]:
    version = tuple(map(int, sqlite3.sqlite_version.split(".")))
    # WAL-reset bug of 3.7.0 to 3.51.2: it needs two writers or checkpointers; each session file has one.
    note = "" if version >= (3, 51, 3) else "; has the WAL-reset bug, which one writer a file avoids"
    return version >= (3, 37, 0), f"{sqlite3.sqlite_version}{note}"


def _workspace(settings: Settings) -> tuple[bool, str]:
    settings.workspace.ensure()
    return True, str(settings.workspace.path.resolve())


def _authority(settings: Settings) -> tuple[bool, str]:
    from deploy import ca

    folder = ca.ensure(settings.workspace)
    return True, f"{folder / ca.CERT_NAME}, key readable by its owner alone"


def _journal(settings: Settings) -> tuple[bool, str]:
    import time

    from proxy.journal.events import Noted, SessionMeta
    from proxy.journal.read import read
    from proxy.journal.redact import Redactor
    from proxy.journal.store import Writer

    with tempfile.TemporaryDirectory(dir=settings.workspace.path) as folder:
        path = Path(folder) / "doctor.db"
        writer = Writer(path, SessionMeta(id="doctor", created_ns=time.time_ns()), Redactor(b"doctor" * 4))
        started = time.perf_counter()
        writer.commit_now(Noted(at_ns=time.time_ns(), kind="doctor", text="written"))
        took = (time.perf_counter() - started) * 1000
        writer.close()
        return read(path).notes[0].text == "written", f"a durable write takes {took:.1f} ms"


def _results(settings: Settings) -> tuple[bool, str]:
    from deploy.runs.lookup import fault

    why = fault(settings.workspace.results)
    return why is None, why or "readable, or none yet"


def _loop(settings: Settings) -> tuple[bool, str]:
    return asyncio.run(_round_trip(settings))


async def _round_trip(settings: Settings) -> tuple[bool, str]:
    import structlog

    from deploy.live import LiveOptions, run_session
    from deploy.logs import configure
    from deploy.sim.options import SimOptions
    from deploy.sim.server import start
    from deploy.workspace import Workspace
    from proxy.wire.catalogue import load_catalogue

    configure(50)
    sim = await start(SimOptions())
    script = (
        "import urllib.request as u;print(u.urlopen('https://paper-api.alpaca.markets/v2/account', timeout=20).status)"
    )
    try:
        with tempfile.TemporaryDirectory(dir=settings.workspace.path) as folder:
            options = LiveOptions(
                session="doctor",
                workspace=Workspace(Path(folder)),
                catalogue=load_catalogue(),
                maps={"paper-api.alpaca.markets": sim.url},
            )
            ended = await run_session(
                options, structlog.get_logger(), command=(sys.executable, "-c", script), capture=True, timeout_s=30
            )
    finally:
        await sim.stop()
    ok = ended.command == 0 and ended.output.strip() == b"200" and ended.exchanges == 1
    return ok, "client, proxy, TLS, simulator and journal work together" if ok else f"the client got {ended.output!r}"


_CHECKS: tuple[tuple[str, Callable[[Settings], tuple[bool, str]]], ...] = (
    ("python", _python),
    ("sqlite", _sqlite),
    ("workspace", _workspace),
    ("certificate authority", _authority),
    ("journal", _journal),
    ("results", _results),
    ("loop", _loop),
)
