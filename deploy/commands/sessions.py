"""`redtape sessions list`."""

from __future__ import annotations

import json

import click

from corpus.terms import instant_text
from deploy.safe import safe
from deploy.settings import Settings


@click.group("sessions")
def command() -> None:
    """List the sessions of a workspace."""


@command.command("list")
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
@click.pass_obj
def list_(settings: Settings, as_lines: bool) -> None:
    """Newest first; files that can't be read are named, not hidden."""
    from deploy.summary import orders_and_intents
    from proxy.journal.read import read
    from proxy.journal.store import JournalError

    workspace = settings.workspace.check()
    if not workspace.names():
        click.echo(
            f"no {'sessions in' if workspace.path.is_dir() else 'workspace at'} {safe(workspace.path.resolve())}",
            err=True,
        )
    for name in settings.workspace.names():
        try:
            evidence = read(settings.workspace.session(name))
        except JournalError as error:
            if as_lines:
                click.echo(json.dumps({"session": name, "error": str(error)}, separators=(",", ":")))
            else:
                click.echo(f"{safe(name)}  unreadable: {safe(error)}")
            continue
        orders, intents = orders_and_intents(evidence)
        row = {
            "session": name,
            "status": evidence.meta.status,
            "created": instant_text(evidence.meta.created_ns),
            "exchanges": len(evidence.exchanges),
            "orders": orders,
            "intents": intents,
            "injections": sum(bool(one.edits) for one in evidence.injections),
        }
        if as_lines:
            click.echo(json.dumps(row, separators=(",", ":")))
        else:
            click.echo(
                "  ".join(f"{key} {safe(value)}" if key != "session" else safe(value) for key, value in row.items())
            )
