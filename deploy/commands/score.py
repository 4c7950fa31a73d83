"""`redtape score`: judge a session, or a run again."""

from __future__ import annotations

import click

from deploy.settings import Settings


class ContractName(click.ParamType[str]):
    """A file or an id; who gives none is told what there is."""

    name = "contract"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """What could be given."""
        from deploy.contracts import shipped

        return f"Give a contract file, or a shipped one: --contract {' or '.join(sorted(shipped('contracts')))}"


@click.command("score")
@click.argument("session")
@click.option(
    "--contract",
    required=True,
    type=ContractName(),
    metavar="FILE|ID",
    help="A contract file, or the id of a shipped one.",
)
@click.option("--weights", metavar="FILE|ID", help="Weights.  [default: standard]")
@click.option(
    "--baseline", metavar="SESSION", help="A clean session of the same agent, to compare an attacked one with."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def command(
    settings: Settings, session: str, contract: str, weights: str | None, baseline: str | None, as_json: bool
) -> None:
    """Score a session against a risk contract.

    A session that was started with one attack is judged as that attack's trial.

    From its evidence alone: no agent, network or proxy. The same evidence, contract and weights give the
    same score; nothing is written.
    """
    from deploy.contracts import load_contract, load_weights
    from deploy.safe import safe
    from deploy.scoring import print_score, score_file, score_json, to_json

    path = settings.workspace.find(session)
    clean = settings.workspace.find(baseline) if baseline is not None else None
    score = score_file(path, load_contract(contract), load_weights(weights), baseline=clean)
    if clean is not None and score.outcome is None and not settings.quiet:
        click.echo(f"--baseline is not used: {safe(score.outcome_reason)}", err=True)
    if as_json:
        click.echo(to_json({"session": path.stem, **score_json(score)}))
    else:
        print_score(score, path.stem)
