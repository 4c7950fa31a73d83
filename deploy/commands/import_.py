"""`redtape import`: other recordings as sessions."""

from __future__ import annotations

import re
from pathlib import Path

import click

from deploy.errors import UserError
from deploy.settings import Settings


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--session", metavar="NAME", help="Its name.  [default: the file's]")
@click.option("--replace", is_flag=True, help="Replace a session of that name.")
@click.option("--venues", type=click.Path(exists=True, dir_okay=False, path_type=Path), multiple=True, metavar="FILE")
@click.pass_obj
def command(settings: Settings, file: Path, session: str | None, replace: bool, venues: tuple[Path, ...]) -> None:
    """Read a HAR or mitmproxy file as a session.

    Its orders, model calls and prices are read as live traffic would be: see `redtape orders NAME`.
    """
    from proxy.wire.catalogue import load_catalogue

    name = session or re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem).strip("-.")[:64] or "import"
    catalogue = load_catalogue(venues)
    kind = file.suffix.lower()
    if kind == ".har":
        from deploy.imports.har import import_har

        count = import_har(file, name, settings.workspace, catalogue, replace=replace)
    elif kind in (".mitm", ".mitmproxy", ".flow", ".flows", ".dump"):
        from deploy.imports.mitm import import_mitm

        count = import_mitm(file, name, settings.workspace, catalogue, replace=replace)
    else:
        raise UserError(f"{file}: only .har and .mitm files can be imported")
    click.echo(f"{name}: {count} exchanges", err=True)
