"""
What every command knows: the workspace, how much to say, and the project's file.

Settings are called as the options are: `--upstream-ca` of `redtape proxy` is REDTAPE_PROXY_UPSTREAM_CA, and
`upstream-ca` (or `upstream_ca`) under `[proxy]` in redtape.toml. What risks real money is said on the command
line each time, and nowhere else.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import click

from deploy.errors import UserError
from deploy.safe import safe
from deploy.workspace import Workspace

PROJECT_FILE: Final = "redtape.toml"
_OURS: Final = frozenset({"REDTAPE_WORKSPACE", "REDTAPE_DEBUG", "REDTAPE_VERBOSE", "REDTAPE_QUIET", "REDTAPE_NO_SKIPS"})
_COMMAND_LINE_ONLY: Final = frozenset({"accept_real_orders"})


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
            UserError: redtape.toml can't be read, or says what no option says, or what only the command line may say.
        """
        _check_variables(ctx)
        project = _project()
        ctx.default_map = _defaults(ctx, project)
        if not quiet:
            _warn_unknown(ctx)
        folder = workspace or project.get("workspace") or ".redtape"
        if "\0" in folder:
            where = "--workspace" if workspace else f"{PROJECT_FILE}: workspace"
            raise UserError(f"{where}: a path can't have the character \\u0000")
        try:
            path = Path(folder).expanduser()
        except RuntimeError as error:
            raise UserError(f"workspace {folder}: {error}") from None
        return cls(Workspace(path), debug, verbose, quiet)


def colour(environment: Mapping[str, str]) -> bool | None:
    """Whether to colour: what NO_COLOR, FORCE_COLOR and a dumb terminal say; null leaves it to whether there is one."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return False if environment.get("TERM") == "dumb" else None


def _options(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """The options of a command that can be set elsewhere, by name: `--upstream-ca` is upstream_ca."""
    for option in command.params:
        long = next((one for one in option.opts if one.startswith("--")), None)
        if isinstance(option, click.Option) and long is not None and not option.is_eager:
            yield long[2:].replace("-", "_"), option


def name_variables(command: click.Command, prefix: str) -> None:
    """Give each option of a command, and of those below it, its variable."""
    for name, option in _options(command):
        if name not in _COMMAND_LINE_ONLY:
            option.envvar = f"{prefix}_{name.upper()}"
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            name_variables(below, f"{prefix}_{name.upper()}")


def _variables(command: click.Command) -> Iterator[str]:
    yield from (str(option.envvar) for _, option in _options(command) if option.envvar is not None)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            yield from _variables(below)


def _check_variables(ctx: click.Context) -> None:
    start = f"REDTAPE_{(ctx.invoked_subcommand or '').upper()}_"
    for name in sorted(os.environ):
        option = next((one for one in _COMMAND_LINE_ONLY if name.endswith(f"_{one.upper()}")), None)
        if option is not None and name.startswith(start) and os.environ[name]:
            flag = f"--{option.replace('_', '-')}"
            raise UserError(f"{name}: only the command line may say {flag}; unset it, and give {flag} if it is meant")


def _project() -> dict[str, Any]:
    path = Path(PROJECT_FILE)
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{PROJECT_FILE}: not TOML: {error}") from None
    except OSError as error:
        raise UserError(f"{PROJECT_FILE}: can't be read: {error.strerror}") from None


def _defaults(ctx: click.Context, project: Mapping[str, Any]) -> dict[str, Any]:
    """What redtape.toml says of the command that was called, by the names that click uses."""
    if not isinstance(ctx.command, click.Group):
        return {}
    _check_known(project, {"workspace", *ctx.command.list_commands(ctx)}, "")
    if not isinstance(project.get("workspace", ""), str):
        raise UserError(f"{PROJECT_FILE}: workspace: a path in quotes is wanted here")
    name = ctx.invoked_subcommand or ""
    command = ctx.command.get_command(ctx, name) if name in project else None
    return {} if command is None else {name: _table(command, project[name], name)}


def _table(command: click.Command, table: Any, where: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UserError(f"{PROJECT_FILE}: {where}: a table is wanted here; write [{where}] and keys below it")
    if isinstance(command, click.Group):
        _check_known(table, set(command.commands), where)
        return {name: _table(command.commands[name], below, f"{where}.{name}") for name, below in table.items()}
    options = dict(_options(command))
    named = {key.replace("-", "_"): value for key, value in table.items()}
    for name in sorted(_COMMAND_LINE_ONLY & named.keys() & options.keys()):
        flag = f"--{name.replace('_', '-')}"
        raise UserError(
            f"{PROJECT_FILE}: {where}.{name.replace('_', '-')}: only the command line may say it; remove it here, "
            f"and give {flag} if it is meant"
        )
    _check_known(named, options, where)
    return {
        options[name].name or name: _value(options[name], value, f"{where}.{name}") for name, value in named.items()
    }


def _check_known(given: Iterable[str], known: Iterable[str], where: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            key = f"{where}.{name}" if where else name
            raise UserError(f"{PROJECT_FILE}: {key}: unknown key; {hint}Known keys here: {', '.join(sorted(known))}")


def _value(option: click.Option, value: Any, where: str) -> str | list[str]:
    """As text, for click to read like a flag's: it would take 3.7 for the integer 3."""
    if option.multiple and isinstance(value, list):
        return [_scalar(one, where) for one in value]
    text = _scalar(value, where)
    return [text] if option.multiple else text


def _scalar(value: Any, where: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise UserError(f"{PROJECT_FILE}: {where}: text, a number, true or false is wanted here")


def _warn_unknown(ctx: click.Context) -> None:
    """Unknown variables are likely misspelt: say so, and go on."""
    for name in sorted(os.environ):
        if name.startswith("REDTAPE_") and name not in _OURS and not _known_variable(ctx, name):
            click.echo(f"warning: {safe(name)} is no setting of redtape and has no effect", file=sys.stderr)


def _known_variable(ctx: click.Context, name: str) -> bool:
    if not isinstance(ctx.command, click.Group):
        return False
    for word in ctx.command.list_commands(ctx):
        if name.startswith(f"REDTAPE_{word.upper()}_"):
            command = ctx.command.get_command(ctx, word)
            return command is not None and name in _variables(command)
    return False
