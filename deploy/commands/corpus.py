"""`redtape corpus`: attack cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from deploy.errors import Exit, UserError
from deploy.safe import safe
from deploy.text_table import table

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("corpus")
def command() -> None:
    """List, show and check attack cases."""


@command.command("list")
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
def list_(as_lines: bool) -> None:
    """Every case; quarantined ones are marked and never selected."""
    from corpus.attack import corpus_version
    from corpus.load import load_attacks

    cases = load_attacks()
    if as_lines:
        for case in cases:
            row = {
                key: getattr(case, key) for key in ("id", "version", "family", "title", "harm", "severity", "status")
            }
            click.echo(json.dumps({**row, "view": case.placement.view}, separators=(",", ":")))
        return
    rows = [(c.id, c.version, c.family, c.placement.view, c.harm, c.severity, c.status, c.title) for c in cases]
    click.echo(table("id version family view harm severity status title".split(), rows, frozenset({"version"})))
    click.echo(f"{len(cases)} cases, corpus version {corpus_version(cases)}", err=True)


@command.command("show")
@click.argument("case_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(case_id: str, as_json: bool) -> None:
    """One case, and its payload as each variant shows it; `redtape proxy --variant N` picks one."""
    from deploy.attacks import by_id
    from injectors.payload import render

    case = by_id().get(case_id)
    if case is None:
        raise UserError(f"no attack {case_id!r}; see `redtape corpus list`")
    data: dict[str, Any] = case.model_dump(mode="json", by_alias=True, exclude_none=True)
    if as_json:
        click.echo(json.dumps(data, separators=(",", ":")))
        return
    click.echo(f"{case.id} v{case.version} · {case.title}\n{case.goal}\n")
    click.echo(f"family {case.family} · {case.severity} · {case.harm} · {case.status}")
    click.echo(f"lands in {case.placement.view}.{case.placement.field} ({case.placement.mode})\n")
    for number, variant in enumerate(case.variants):
        shown, control = (render(case, variant, kind, 0).text for kind in ("attack", "control"))
        click.echo(f"variant {number}, {variant.disguise}:\n  {safe(shown)}\nbenign control:\n  {safe(control)}\n")


@command.command("check")
@click.argument("files", nargs=-1, type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check(files: tuple[Path, ...], as_json: bool) -> int:
    """Check cases: predicates on their own traces, placements against the catalogue, equal-length controls.

    Without FILES the shipped corpus is checked. Exit 1 when a case is wrong.
    """
    from corpus.load import load_attacks
    from deploy.corpus_check import check_cases

    cases = load_attacks(files or None)
    problems = check_cases(cases)
    if as_json:
        found = [{"id": case, "problem": text} for case, text in problems]
        click.echo(json.dumps({"cases": len(cases), "problems": found}, separators=(",", ":")))
    else:
        for case, text in problems:
            click.echo(f"{safe(case)}: {safe(text)}")
        click.echo(f"{len(cases)} cases, {len(problems)} problems", err=True)
    return Exit.GATE if problems else Exit.PASS
