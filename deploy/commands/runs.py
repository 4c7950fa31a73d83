"""`redtape runs list`."""

from __future__ import annotations

import json

import click

from corpus.terms import instant_text
from deploy.safe import safe
from deploy.settings import Settings
from deploy.text_table import table


@click.group("runs")
def command() -> None:
    """List the runs of a workspace."""


@command.command("list")
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
@click.pass_obj
def list_(settings: Settings, as_lines: bool) -> None:
    """Newest first."""
    from deploy.runs.results import Results

    workspace = settings.workspace.check()
    if not workspace.results.is_file():
        click.echo(
            f"no {'runs in' if workspace.path.is_dir() else 'workspace at'} {safe(workspace.path.resolve())}", err=True
        )
        return
    results = Results(workspace.results)
    try:
        rows = [
            (run.id, instant_text(run.created_ns)[:19], run.status, len(results.trials(run.id)), run.contract_id)
            for run in results.runs()
        ]
    finally:
        results.close()
    heads = ("run", "created", "status", "trials", "contract")
    if as_lines:
        for row in rows:
            click.echo(json.dumps(dict(zip(heads, row, strict=True)), separators=(",", ":")))
        return
    click.echo(table(heads, rows, frozenset({"trials"})))
