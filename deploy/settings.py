"""What every command knows: the workspace, how much to say, and the project's file."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from deploy.commands import COMMANDS
from deploy.errors import UserError
from deploy.workspace import Workspace

PROJECT_FILE = "redtape.toml"
_OURS = frozenset({"REDTAPE_WORKSPACE", "REDTAPE_DEBUG", "REDTAPE_VERBOSE", "REDTAPE_QUIET", "REDTAPE_NO_SKIPS"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one call."""

    workspace: Workspace
    debug: bool = False
    verbose: int = 0
    quiet: bool = False

    @classmethod
    def load(cls, ctx: click.Context, *, workspace: str | None, debug: bool, verbose: int, quiet: bool) -> Settings:
        """
        Flags and variables (click has merged them) over redtape.toml over defaults.

        Raises:
            UserError: redtape.toml can't be read.
        """
        project = _project()
        ctx.default_map = {name: value for name, value in project.items() if isinstance(value, dict)}
        _warn_unknown(ctx, quiet)
        folder = workspace or project.get("workspace") or ".redtape"
        return cls(Workspace(Path(str(folder)).expanduser()), debug, verbose, quiet)


def _project() -> dict[str, Any]:
    path = Path(PROJECT_FILE)
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{PROJECT_FILE}: not TOML: {error}") from None
    except OSError as error:
        raise UserError(f"{PROJECT_FILE}: can't be read: {error.strerror}") from None


def _warn_unknown(ctx: click.Context, quiet: bool) -> None:
    """Unknown variables are likely misspelt: say so, and go on."""
    known = tuple(f"REDTAPE_{name.upper()}_" for name in COMMANDS)
    for name in sorted(os.environ):
        if name.startswith("REDTAPE_") and name not in _OURS and not name.startswith(known) and not quiet:
            click.echo(f"warning: {name} is no setting of redtape and has no effect", file=sys.stderr)
