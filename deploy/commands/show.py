"""`redtape show`: what a session or a run holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from corpus.terms import instant_text
from deploy.safe import safe
from deploy.settings import Settings
from deploy.text_table import table


@click.command("show")
@click.argument("name", metavar="SESSION|RUN")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def command(settings: Settings, name: str, as_json: bool) -> None:
    """What a session or a run holds."""
    from deploy.scoring import to_json

    run = _run(settings, name)
    if run is not None:
        click.echo(to_json(run)) if as_json else _print_run(run)
        return
    from deploy.runs.lookup import not_found

    try:
        path = settings.workspace.find(name)
    except ValueError as error:
        raise not_found(settings.workspace.results, str(error)) from None
    session = _session(path)
    click.echo(to_json(session)) if as_json else _print_session(session)


def _run(settings: Settings, name: str) -> dict[str, Any] | None:
    from deploy.runs.lookup import find_run
    from deploy.runs.views import run_json

    found = find_run(settings.workspace.results, name)
    return None if found is None else run_json(*found)


def _print_run(run: dict[str, Any]) -> None:
    click.echo(
        safe(
            f"run {run['run']} · {run['status']} · {run['created']} · contract {run['contract']} · "
            f"weights {run['weights']} · corpus {run['corpus_version']} · seed {run['seed']}"
        )
        + "\n"
    )
    rows = []
    for trial in run["trials"]:
        composite = trial["composite"]
        broken = sorted({one["rule"] for one in trial["violations"]})
        rows.append(
            (
                trial["number"],
                trial["agent"],
                trial["attack"] or "(baseline)",
                trial["state"],
                trial["outcome"],
                ", ".join(broken) or "none",
                "null" if composite is None else f"{composite:.2f}",
                trial["session"],
            )
        )
    heads = "trial agent attack state outcome violations composite session".split()
    click.echo(table(heads, rows, frozenset({"trial", "composite"})))


def _session(path: Path) -> dict[str, Any]:
    from deploy.summary import failure, orders_and_intents
    from proxy.journal.read import read
    from proxy.journal.rows import plain

    evidence = read(path)
    orders, intents = orders_and_intents(evidence)
    meta = evidence.meta
    return {
        "session": meta.id,
        "file": str(path),
        "status": meta.status,
        "created": instant_text(meta.created_ns),
        "closed": instant_text(meta.closed_ns) if meta.closed_ns is not None else None,
        "version": meta.version,
        "seed": meta.seed,
        "broker": meta.broker,
        "options": [list(pair) for pair in meta.options],
        "exchanges": [
            {
                "exchange": row.id,
                "at": instant_text(row.at_ns),
                "method": row.method,
                "host": row.host,
                "path": row.path,
                "status": row.shown_status or row.status,
                "endpoint": row.endpoint,
                "outcome": row.outcome,
                "marks": list(row.marks),
                "label": row.label,
                "error": row.error,
                "reason": failure(row),
            }
            for row in evidence.exchanges
        ],
        "orders": orders,
        "intents": intents,
        "injections": [
            {
                "exchange": one.exchange,
                "attack": one.attack,
                "kind": one.kind,
                "view": one.view,
                "edits": len(one.edits),
            }
            | {"reason": one.reason, "again": one.again}
            for one in evidence.injections
        ],
        "ingested": plain(evidence.ingested),
        "llm_calls": len(evidence.llm_calls),
        "tool_calls": len(evidence.tool_calls),
        "blocked": plain(evidence.blocked),
        "notes": plain(evidence.notes),
    }


def _print_session(session: dict[str, Any]) -> None:
    from deploy.summary import counts_text

    click.echo(
        safe(
            f"session {session['session']} · {session['status']} · {session['created']} · "
            f"broker {session['broker']} · seed {session['seed']}"
        )
        + f"\n{safe(session['file'])}\n"
    )
    rows = [
        (
            one["exchange"],
            one["at"][11:23].rstrip("Z"),
            one["method"],
            one["host"] + one["path"],
            one["status"],
            one["endpoint"],
            one["outcome"] if one["outcome"] != "passed" else None,
            ", ".join(one["marks"]) or None,
            one["label"],
        )
        for one in session["exchanges"]
    ]
    heads = "exchange time method url status endpoint outcome marks label".split()
    click.echo(table(heads, rows, frozenset({"exchange", "status"})))
    outcomes = Counter(one["outcome"] for one in session["exchanges"])
    click.echo(
        f"\n{len(session['exchanges'])} exchanges ({', '.join(f'{n} {safe(word)}' for word, n in outcomes.items())}), "
        f"{counts_text(session['orders'], session['intents'])}, {session['llm_calls']} model calls, "
        f"{session['tool_calls']} tool calls"
    )
    for one in session["exchanges"]:
        if one["reason"] is not None:
            click.echo(f"failed exchange {one['exchange']}: {safe(one['reason'])}")
    for one in session["injections"]:
        what = f"{one['edits']} edits" if one["edits"] else f"not applied: {one['reason']}"
        again = " (again)" if one["again"] else ""
        click.echo(
            f"injected in exchange {one['exchange']}: {safe(one['attack'])} ({safe(one['kind'])}), {safe(what)}{again}"
        )
    for one in session["blocked"]:
        click.echo(
            f"blocked exchange {one['exchange']}: {safe(one['method'])} {safe(one['host'])} by {safe(one['rule'])}"
        )
    for note in session["notes"]:
        click.echo(f"note: {safe(note['kind'])}: {safe(note['text'])}")
