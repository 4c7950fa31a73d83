"""`redtape diff`: what was sent against what was shown."""

from __future__ import annotations

import json
from pathlib import Path

import click

from deploy.errors import UserError
from deploy.safe import safe
from deploy.settings import Settings

_CONTEXT = 60


@click.command("diff")
@click.argument("exchange", metavar="SESSION/EXCHANGE")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def command(settings: Settings, exchange: str, as_json: bool) -> None:
    """What an exchange sent, against what the agent (or the model) was shown.

    EXCHANGE is its number in the session, such as 003-gullible-news-hidden-order/7; a session alone shows
    every edited exchange.
    """
    from proxy.journal.events import Evidence
    from proxy.journal.read import read

    name, _, number = exchange.rpartition("/")
    if not name or not (number.isascii() and number.isdigit() and len(number) < 16):
        name, number = exchange, ""
        if "/" in exchange and not exchange.endswith(".db"):
            raise UserError(f"{exchange}: the exchange must be a number, such as {exchange.rpartition('/')[0]}/7")
    path = settings.workspace.find(name)
    evidence: Evidence = read(path)
    wanted = [one for one in evidence.exchanges if not number or one.id == int(number)]
    if number and not wanted:
        raise UserError(f"session {name} has no exchange {number}; it has 1 to {len(evidence.exchanges)}")
    rows = [row for one in wanted for row in _rows(evidence, path, one.id)]
    if as_json:
        click.echo(json.dumps({"session": evidence.meta.id, "edits": rows}, separators=(",", ":")))
        return
    if not rows:
        click.echo("nothing was edited", err=True)
    for row in rows:
        _print(row)


def _rows(evidence: object, path: Path, exchange: int) -> list[dict[str, object]]:
    from proxy.journal.events import Evidence

    assert isinstance(evidence, Evidence)
    rows: list[dict[str, object]] = []
    for one in evidence.injections:
        if one.exchange != exchange:
            continue
        body = _body(evidence, path, exchange, one.leg)
        for edit in one.edits:
            end = edit.start + len(edit.old)
            rows.append(
                {
                    "exchange": exchange,
                    "attack": one.attack,
                    "kind": one.kind,
                    "leg": one.leg,
                    "what": edit.what,
                    "start": edit.start,
                    "before": _text(body[max(0, edit.start - _CONTEXT) : edit.start]),
                    "old": _text(edit.old),
                    "new": _text(edit.new),
                    "after": _text(body[end : end + _CONTEXT]),
                }
            )
    return rows


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _body(evidence: object, path: Path, exchange: int, leg: str) -> bytes:
    from proxy.journal.bodies import plain_body
    from proxy.journal.events import Evidence

    assert isinstance(evidence, Evidence)
    row = next(one for one in evidence.exchanges if one.id == exchange)
    return plain_body(path, row, leg) or b""


def _print(row: dict[str, object]) -> None:
    colour = {"old": "red", "new": "yellow"}
    click.secho(
        f"exchange {row['exchange']} · {safe(row['attack'])} ({safe(row['kind'])}) · {safe(row['leg'])} · {safe(row['what'])} "
        f"at byte {row['start']}",
        bold=True,
    )
    sent = safe(row["before"]) + click.style(safe(row["old"]), fg=colour["old"]) + safe(row["after"])
    shown = safe(row["before"]) + click.style(safe(row["new"]), fg=colour["new"], reverse=True) + safe(row["after"])
    click.echo(f"- {sent}\n+ {shown}")
