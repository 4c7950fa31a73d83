"""`redtape scan`: prove that no secret is in the evidence."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from deploy.errors import Exit, UserError
from deploy.safe import safe
from deploy.settings import Settings


@click.command("scan")
@click.argument("session", required=False)
@click.option("--values", metavar="FILE", help="Secrets to look for, one a line; - is stdin.")
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
@click.pass_obj
def command(settings: Settings, session: str | None, values: str | None, as_lines: bool) -> int:
    """Prove that no secret is in the evidence.

    Looks through every file of the workspace, compressed bodies included, for the secrets in this
    environment and in --values, and for text that looks like a key. Says where, never what. Exit 1 when
    something is found.
    """
    from deploy.scan import scan
    from proxy.journal.redact import secret_values

    known = [*secret_values(os.environ), *_given(values)]
    files = [settings.workspace.find(session)] if session is not None else None
    if files is None and not settings.workspace.path.is_dir():
        raise UserError(f"no workspace at {settings.workspace.path}")
    count = 0
    for finding in scan(settings.workspace.path, known, files):
        count += 1
        if as_lines:
            row = {"file": str(finding.file), "where": finding.where, "what": finding.what}
            click.echo(json.dumps(row, separators=(",", ":")))
        else:
            click.echo(f"{safe(finding.file)}: {safe(finding.where)}: {safe(finding.what)}")
    sought = (
        f"{len(known)} known secrets" if known else "no secrets were given; looked for text that looks like a key only"
    )
    click.echo(f"{sought}, {count} findings", err=True)
    return Exit.GATE if count else Exit.PASS


def _given(name: str | None) -> list[str]:
    if name is None:
        return []
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--values {name}: can't be read: {error}") from None
    return [line.strip() for line in text.splitlines() if len(line.strip()) >= 6]
