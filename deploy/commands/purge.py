"""`redtape purge`: remove old sessions."""

from __future__ import annotations

import re
import time
from pathlib import Path

import click

from deploy import locks
from deploy.errors import UserError
from deploy.safe import safe
from deploy.settings import Settings

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


@click.command("purge")
@click.option("--older-than", "age", required=True, metavar="AGE", help="Such as 30d, 12h, 2w.")
@click.option("--dry-run", is_flag=True, help="Say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, age: str, dry_run: bool, yes: bool) -> None:
    """Remove sessions that were last written longer ago than AGE.

    Sessions that belong to a run of this workspace stay: their run's numbers rest on them. So do sessions that
    are still being recorded.
    """
    limit = time.time() - _seconds(age)
    kept = _of_runs(settings)
    old = [
        path
        for name in settings.workspace.names()
        if _written(path := settings.workspace.session(name)) < limit and name not in kept
    ]
    if not old:
        click.echo("nothing is that old", err=True)
        return
    if not dry_run and not yes:
        click.confirm(f"remove {len(old)} sessions for good?", abort=True, err=True)
    for path in old:
        if dry_run:
            who = locks.holder(path)
            click.echo(f"would remove {safe(path)}" if who is None else f"would keep {safe(path)}: in use by {who}")
            continue
        try:
            with locks.held(path):
                _remove(path)
        except locks.InUse as error:
            click.echo(f"kept {safe(path)}: {safe(error)}", err=True)
        else:
            click.echo(f"removed {safe(path)}")


def _written(path: Path) -> float:
    """When a session was last written: while it is open, that is into the file beside it."""
    files = [one for one in (path, Path(f"{path}-wal")) if one.exists()]
    return max((one.stat().st_mtime for one in files), default=time.time())


def _seconds(age: str) -> int:
    found = re.fullmatch(r"(\d{1,6})([smhdw])", age)
    if found is None:
        raise UserError(f"--older-than {age}: write a number and one of s, m, h, d, w, such as 30d")
    return int(found[1]) * _UNITS[found[2]]


def _of_runs(settings: Settings) -> set[str]:
    from deploy.runs.results import Results

    if not settings.workspace.results.is_file():
        return set()
    results = Results(settings.workspace.results)
    try:
        return {trial.session for run in results.runs() for trial in results.trials(run.id)}
    finally:
        results.close()


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
