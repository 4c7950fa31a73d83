"""`redtape contract`: risk contracts."""

from __future__ import annotations

import json
from pathlib import Path

import click

from deploy.errors import Exit, UserError
from deploy.safe import safe


@click.group("contract")
def command() -> None:
    """Check a risk contract."""


@command.command("check")
@click.argument("file", metavar="FILE|ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check(file: str, as_json: bool) -> None:
    """Read a contract and say what it holds; a bad one names file, line, key and fix (exit 2)."""
    from corpus.contract import given_keys
    from deploy.contracts import load_contract

    loaded = load_contract(file)
    keys = [
        key
        for key in given_keys(loaded.contract)
        if key.partition(".")[0] not in ("schema", "id", "version", "currency")
    ]
    if as_json:
        contract = loaded.contract
        row = {"id": contract.id, "version": contract.version, "hash": loaded.hash, "keys": keys}
        click.echo(json.dumps(row, separators=(",", ":")))
        return
    click.echo(
        f"{safe(loaded.contract.id)} version {loaded.contract.version}, hash {loaded.hash[:16]}: {len(keys)} keys"
    )
    for key in keys:
        click.echo(f"  {safe(key)}")


@command.command("test")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
def test(file: Path, as_lines: bool) -> int:
    """Run contract cases and compare verdicts. Exit 1 on any difference."""
    from corpus.load import parse_yaml, read_text
    from scoring.vectors import BadVector, run_vector

    cases, _ = parse_yaml(read_text(file), str(file))
    if not isinstance(cases, list):
        raise UserError(f"{file}: must be a list of cases")
    differ = 0
    for case in cases:
        try:
            rows = run_vector(case)
        except (BadVector, ValueError, TypeError, KeyError) as error:
            raise UserError(f"{file}: case {case.get('id') if isinstance(case, dict) else case}: {error}") from None
        for row in rows:
            differ += not row.right
            if as_lines:
                line = {"id": row.id, "order": row.order, "expected": row.expected[0], "got": row.got[0]}
                click.echo(json.dumps({**line, "rules": row.got[1:]}, separators=(",", ":")))
            elif not row.right:
                expected, got = " ".join(row.expected), " ".join(row.got)
                click.echo(f"{safe(row.id)} {safe(row.order)}: expected {safe(expected)}, got {safe(got)}")
    click.echo(f"{len(cases)} cases, {differ} differences", err=True)
    return Exit.GATE if differ else Exit.PASS
