"""A run by its name, for commands that also show sessions: results that can't be read do not stand in their way."""

from __future__ import annotations

from pathlib import Path

import click

from deploy.errors import UserError
from deploy.runs.results import Results, RunRow, TrialRow
from deploy.safe import safe
from proxy.journal.store import JournalError


def find_run(path: Path, name: str) -> tuple[RunRow, tuple[TrialRow, ...]] | None:
    """
    A run and its trials, or None.

    Args:
        path: The results file of a workspace; it need not exist, and stays as it is when it is none.
        name: The run's name.
    """
    if not path.is_file():
        return None
    try:
        results = Results(path)
        try:
            run = results.run(name)
            return None if run is None else (run, tuple(results.trials(name)))
        finally:
            results.close()
    except JournalError as error:
        click.echo(f"warning: results can't be read, runs are left out: {safe(error)}", err=True)
        return None


def fault(path: Path) -> str | None:
    """Why a results file can't be used, with its name and what to do; None when it can, or there is none."""
    if not path.is_file():
        return None
    try:
        Results(path).close()
    except JournalError as error:
        return f"{error}; move it away, runs start a new one"
    return None


def not_found(path: Path, why: str) -> Exception:
    """The error for a name that no session has: when the runs can't be read, it may be one of theirs."""
    broken = fault(path)
    return JournalError(broken) if broken is not None else UserError(f"{why}; nor is there a run of that name")
