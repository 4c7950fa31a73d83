"""`redtape orders`: what an agent asked its venues to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from corpus.terms import decimal_text, instant_text
from deploy.safe import safe
from deploy.settings import Settings
from deploy.text_table import table

if TYPE_CHECKING:
    from deploy.orders_view import OrderLine


@click.command("orders")
@click.argument("session")
@click.option("--events", is_flag=True, help="Every order event: acks, fills, positions, prices.")
@click.option("--json", "as_lines", is_flag=True, help="One JSON object a line.")
@click.pass_obj
def command(settings: Settings, session: str, events: bool, as_lines: bool) -> None:
    """The orders of a session, as they were sent.

    One line for each request to act, in the order of sending; tool calls of a model are lines too, with
    their source. `chain` joins a tool call and the order it became.
    """
    from deploy.orders_view import as_json, lines
    from proxy.journal.read import read

    evidence = read(settings.workspace.find(session))
    name = evidence.meta.id
    if events:
        _events(evidence, name, as_lines)
        return
    found = lines(evidence)
    if as_lines:
        for line in found:
            click.echo(json.dumps(as_json(line, name), separators=(",", ":")))
        return
    _table(found)


def _events(evidence: object, name: str, as_lines: bool) -> None:
    from proxy.journal.events import Evidence
    from proxy.journal.rows import plain

    assert isinstance(evidence, Evidence)
    for fact in evidence.orders:
        row = {"session": name, "seq": fact.seq, "seen": fact.seen, "retry_of": fact.retry_of, **plain(fact.event)}
        row["at"] = instant_text(fact.event.at_ns)
        if as_lines:
            click.echo(json.dumps(row, separators=(",", ":")))
        else:
            said = " ".join(
                f"{key}={value}"
                for key, value in row.items()
                if value not in (None, "", [], False, "unknown")
                and key not in ("session", "seq", "at_ns", "body_key", "at")
            )
            click.echo(safe(f"{fact.seq:>5} {row['at']} {said}"))


def _table(found: tuple[OrderLine, ...]) -> None:
    if not found:
        click.echo("no orders", err=True)
        return
    heads = "seq time source venue action symbol side type quantity unit limit stop chain status reason".split()
    rows = []
    for line in found:
        request = line.request
        rows.append(
            (
                line.fact.seq,
                instant_text(request.at_ns)[11:23].rstrip("Z"),
                request.source,
                request.venue if request.venue != "unknown" else None,
                request.action,
                request.symbol or request.symbol_code,
                request.side,
                request.type,
                None if request.quantity is None else decimal_text(request.quantity),
                None if request.quantity is None else request.unit,
                None if request.limit_price is None else decimal_text(request.limit_price),
                None if request.stop_price is None else decimal_text(request.stop_price),
                line.chain,
                line.status if line.fact.retry_of is None else f"retry of {line.fact.retry_of}",
                line.reason,
            )
        )
    click.echo(table(heads, rows, frozenset(("seq", "quantity", "limit", "stop", "chain"))))
