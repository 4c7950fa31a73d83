"""`redtape export`: a session or a run in another format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from deploy.errors import UserError
from deploy.safe import safe
from deploy.settings import Settings


@click.command("export")
@click.argument("name", metavar="SESSION|RUN")
@click.option("--format", "format_", type=click.Choice(["ndjson"]), default="ndjson", show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="[default: stdout]")
@click.option("--replace", is_flag=True, help="Replace FILE when it exists.")
@click.pass_obj
def command(settings: Settings, name: str, format_: str, out: Path | None, replace: bool) -> None:
    """Write a session or a run as NDJSON: one object a line, each with `schema` and `type`."""
    if out is not None:
        _check(out, replace)
    stream = _lines(settings, name)
    if out is None:
        for one in stream:
            click.echo(one, nl=False)
        return
    # Whole or not at all: a half export looks like a whole one.
    count = 0
    temporary = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        with temporary.open("w", encoding="ascii") as file:
            for line in stream:
                file.write(line)
                count += 1
        _put(temporary, out, replace)
    finally:
        temporary.unlink(missing_ok=True)
    if not settings.quiet:
        click.echo(f"{safe(out)}: {count} lines, {out.stat().st_size} bytes", err=True)


def _check(out: Path, replace: bool) -> None:
    if not out.parent.is_dir():
        raise UserError(f"--out {out}: there is no folder {out.parent}; make it first")
    if (out.exists() or out.is_symlink()) and not replace:
        raise UserError(f"{out} exists; choose another --out or give --replace")


def _put(temporary: Path, out: Path, replace: bool) -> None:
    if replace:
        temporary.replace(out)
        return
    try:
        out.hardlink_to(temporary)
    except FileExistsError:
        raise UserError(f"{out} exists; choose another --out or give --replace") from None


def _lines(settings: Settings, name: str) -> Iterator[str]:
    from deploy.exports.ndjson import run_lines, session_lines
    from deploy.runs.lookup import find_run, not_found
    from proxy.journal.read import read

    found = find_run(settings.workspace.results, name)
    if found is not None:
        return run_lines(*found)
    try:
        path = settings.workspace.find(name)
    except ValueError as error:
        raise not_found(settings.workspace.results, str(error)) from None
    return session_lines(read(path))
