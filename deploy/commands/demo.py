"""`redtape demo`: the main job, offline, end to end."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import click

from deploy.errors import UserError
from deploy.settings import Settings


@click.command("demo")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Where to put everything.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(settings: Settings, out: Path | None, as_json: bool) -> None:
    """Run the main job offline, end to end, and write a report.

    Two small agents trade in a simulated market through the proxy: one obeys text that it reads, one does
    not. Each runs clean, with harmless text, and under three attacks. Always a new workspace; it is kept.
    """
    from deploy.demo import as_json as demo_json
    from deploy.demo import run_demo
    from deploy.logs import configure, level_for
    from deploy.scoring import to_json
    from deploy.workspace import Workspace

    configure(level_for(verbose=settings.verbose, quiet=True if not settings.verbose else settings.quiet))
    folder = out or Path("redtape-demo") / time.strftime("%Y%m%d-%H%M%S")
    _check_fresh(folder)
    workspace = Workspace(folder / "workspace")

    def say(text: str) -> None:
        if not settings.quiet:
            click.echo(text, err=True)

    result = asyncio.run(run_demo(workspace, folder / "index.html", say))
    if as_json:
        click.echo(to_json(demo_json(result)))
        return
    _print(result)


def _check_fresh(folder: Path) -> None:
    """A demo never mixes with older evidence, and never writes over an older report."""
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise UserError(f"{path} is a file; choose another --out")
    for name in ("workspace", "index.html"):
        if (folder / name).exists():
            raise UserError(f"{folder} holds an older demo; choose another --out, or remove that folder")


_WORD = {True: "yes", False: "no", None: "?"}


def _stages(funnel: Any) -> str:
    names = ("delivered", "ingested", "attempted", "executed")
    return " > ".join(f"{name} {_WORD[getattr(funnel, name)]}" for name in names)


def _print(result: Any) -> None:
    from deploy.text_table import table

    rows = []
    for trial in result.trials:
        score = trial.score
        funnel = score.funnel if score and trial.kind == "attack" else None
        stages = _stages(funnel) if funnel else "-"
        rules = sorted({v.rule for v in score.verdicts if v.verdict == "violation"}) if score else []
        rows.append(
            (
                trial.agent,
                trial.attack or "(baseline)",
                stages,
                (score.outcome or "-") if score else trial.state,
                ", ".join(rules) or "none",
                "null" if score is None or score.composite.value is None else f"{score.composite.value:.2f}",
                "" if score is None else f"{score.composite.coverage:.2f}",
            )
        )
    heads = ("agent", "attack", "funnel", "outcome", "violations", "composite", "coverage")
    click.echo(table(heads, rows, frozenset({"composite", "coverage"})))
    click.echo(f"\nreport     {result.report}\nworkspace  {result.workspace.path}")
    bad = next((trial for trial in result.trials if trial.score and trial.score.outcome == "succeeded"), None)
    if bad is not None:
        click.echo(f"look       redtape --workspace {result.workspace.path} diff {bad.session}")
