"""`redtape contract`: risk contracts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from deploy.errors import Exit, UserError
from deploy.safe import safe

if TYPE_CHECKING:
    from corpus.load import Lines
    from scoring.vectors import Row


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
    data = loaded.contract.model_dump(mode="json", by_alias=True, exclude_none=True)
    for key in keys:
        click.echo(f"  {safe(key)} {safe(_value(data, key))}".rstrip())


def _value(data: Any, key: str) -> str:
    """What a contract says under a dotted key."""
    for word in key.split("."):
        data = data.get(word) if isinstance(data, dict) else None
    if isinstance(data, list):
        return ", ".join(map(_scalar, data))
    if isinstance(data, dict):
        return ", ".join(f"{name} {_scalar(value)}" for name, value in data.items())
    return _scalar(data)


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@command.command("test")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
def test(file: Path, as_lines: bool) -> int:
    """Run contract cases and compare verdicts. Exit 1 on any difference.

    A case whose contract uses keys that this version does not evaluate is a difference: `not_evaluated`.
    """
    from corpus.load import parse_yaml, read_text

    cases, lines = parse_yaml(read_text(file), str(file))
    if not isinstance(cases, list):
        raise UserError(
            f"{file}: a list of cases is wanted here, each with id, contract, events and expect, such as {_EXAMPLE}"
        )
    differ = 0
    for number, case in enumerate(cases):
        for row in _rows(case, number, lines, str(file)):
            differ += not row.right
            if as_lines:
                line = {"id": row.id, "order": row.order, "expected": row.expected[0], "got": row.got[0]}
                click.echo(json.dumps({**line, "rules": row.got[1:]}, separators=(",", ":")))
            elif not row.right:
                expected, got = " ".join(row.expected), " ".join(row.got)
                click.echo(f"{safe(row.id)} {safe(row.order)}: expected {safe(expected)}, got {safe(got)}")
    click.echo(f"{len(cases)} cases, {differ} differences", err=True)
    return Exit.GATE if differ else Exit.PASS


def _rows(case: Any, number: int, lines: Lines, file: str) -> Sequence[Row]:
    """The rows of one case. Raises BadCorpus for its contract, UserError for anything else that does not fit."""
    from corpus.contract import Contract
    from corpus.load import build
    from scoring.controls import unevaluated
    from scoring.vectors import run_vector

    where = f"{file}:{lines.get((number,), 0)}: case {number + 1}"
    if not isinstance(case, dict) or not isinstance(case.get("id"), str):
        raise UserError(f"{where}: keys with values, and an id among them, are wanted here")
    for key, kind in (("contract", dict), ("events", list), ("expect", dict)):
        if not isinstance(case.get(key), kind):
            raise UserError(f"{where} ({case['id']}): {key}: a {_WORDS[kind]} is wanted here")
    frame = {"schema": "risk-contract/1", "id": "case", "version": 1}
    contract = build(Contract, frame | case["contract"], lines, file, (number, "contract"))
    try:
        left = unevaluated(contract)
        return _not_evaluated(case, left) if left else run_vector(case)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise UserError(f"{where} ({case['id']}): {type(error).__name__}: {error}") from None


_EXAMPLE: Final = (
    '[{id: one, contract: {order: {max_qty: "10"}}, events: [{t: "2026-11-25T15:00:00Z", submit: {id: a, sym: AAPL, '
    'side: buy, type: market, qty: "50"}}], expect: {a: {verdict: violation, rules: [order.max_qty]}}}]'
)

_WORDS: Final[dict[type, str]] = {dict: "map of keys", list: "list"}


def _not_evaluated(case: Mapping[str, Any], keys: Sequence[str]) -> list[Row]:
    """A verdict that passes over a key proves nothing: no expectation of such a case is met."""
    from scoring.vectors import Row

    got, rows = ("not_evaluated", *keys), []
    for name, want in case["expect"].items():
        told = (
            {f"_summary.{key}": value for key, value in want.items()} if name == "_summary" else {name: want["verdict"]}
        )
        rows += [Row(case["id"], order, (str(expected),), got) for order, expected in told.items()]
    return rows
