"""
The command `redtape`. Importing this module must stay cheap: `--help` may not wait for mitmproxy.

Settings come from flags, then REDTAPE_* variables, then redtape.toml, then defaults.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from deploy.commands import COMMANDS

VERSION: Final = "0.1.0"


class _ReaderLeft(Exception):
    """Who read our output has closed it."""


class LazyGroup(click.Group):
    """Commands that are imported when they are called; listing them imports nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        from deploy.settings import name_variables

        command: click.Command = import_module(f"deploy.commands.{entry[0]}").command
        name_variables(command, f"REDTAPE_{cmd_name.upper()}")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Click would end with 1, which is a failed check here.
            raise _ReaderLeft from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(name, COMMANDS, 1)
            hint = f" Did you mean {close[0]!r}?" if close else " See redtape --help."
            raise click.UsageError(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, "-V", "--version", prog_name="redtape")
@click.option(
    "--workspace",
    envvar="REDTAPE_WORKSPACE",
    metavar="DIR",
    help="Where sessions and results are kept.  [default: ./.redtape]",
)
@click.option("--debug", envvar="REDTAPE_DEBUG", is_flag=True, help="Show tracebacks.")
@click.option("-v", "--verbose", envvar="REDTAPE_VERBOSE", count=True, help="More on stderr.")
@click.option("-q", "--quiet", envvar="REDTAPE_QUIET", is_flag=True, help="Only errors on stderr.")
@click.pass_context
def root(ctx: click.Context, workspace: str | None, debug: bool, verbose: int, quiet: bool) -> None:
    """A transparent proxy that red-teams trading agents.

    Start with `redtape demo`. Exit codes: 0 pass, 1 a requested check failed, 2 usage or configuration,
    3 internal, 4 infrastructure or inconclusive, 5 no trials, 130 interrupted.
    """
    from deploy.settings import Settings, colour

    ctx.color = colour(os.environ)
    ctx.obj = Settings.load(ctx, workspace=workspace, debug=debug, verbose=verbose, quiet=quiet)


def main(argv: list[str] | None = None) -> None:
    """The console entry point: runs a command, turns its outcome into an exit code."""
    args = sys.argv[1:] if argv is None else argv
    # A terminal that can't show a character gets its number; never an error half way.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = root.main(args, prog_name="redtape", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except _ReaderLeft:
        # That is its right. What is still buffered must not fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + 13)
    except Exception as error:  # noqa: BLE001 (the outermost boundary: it becomes an exit code)
        if _debug(args):
            import traceback

            traceback.print_exc()
        sys.exit(_explain(error))


def _debug(args: list[str]) -> bool:
    ours = args[: args.index("--")] if "--" in args else args
    return "--debug" in ours or os.environ.get("REDTAPE_DEBUG", "").lower() in ("1", "true", "t", "yes", "y", "on")


def _explain(error: Exception) -> int:
    import sqlite3

    from corpus.load import BadCorpus
    from deploy.errors import Exit, GateFailed, Inconclusive, UserError
    from deploy.safe import safe
    from deploy.workspace import WorkspaceError
    from proxy.journal.store import JournalError

    message = safe(error)
    if isinstance(error, GateFailed):
        click.echo(f"failed: {message}", err=True)
        return Exit.GATE
    if isinstance(error, BadCorpus | UserError | WorkspaceError):
        click.echo(f"error: {message}", err=True)
        return Exit.USAGE
    if isinstance(error, Inconclusive | JournalError | OSError | sqlite3.Error) or type(error).__name__ == "HostError":
        click.echo(f"error: {message}", err=True)
        return Exit.INCONCLUSIVE
    click.echo(f"internal error: {type(error).__name__}: {message}\nrun again with --debug for the traceback", err=True)
    return Exit.INTERNAL


if __name__ == "__main__":
    main()
