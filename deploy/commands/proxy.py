"""`redtape proxy`: stand between an agent and its services."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deploy.errors import Exit, UserError
from deploy.safe import safe
from deploy.settings import Settings

if TYPE_CHECKING:
    from deploy.live import Ended
    from proxy.wire.catalogue import Catalogue

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def pair(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`HOST=URL` options as a dict."""
    out: dict[str, str] = {}
    for value in values:
        host, equals, url = value.partition("=")
        if not equals or not host or not url:
            raise click.BadParameter(f"{value!r} must look like HOST=URL")
        out[host] = url
    return out


def address(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, int] | None:
    """`HOST:PORT`, `[V6]:PORT` or `:PORT`."""
    if value is None:
        return None
    host, colon, port = value.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit() and len(port) < 6) or int(port) > 65535:
        raise click.BadParameter(f"{value!r} must look like HOST:PORT, such as 127.0.0.1:8080")
    return host.strip("[]") or "127.0.0.1", int(port)


@click.command("proxy", context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@click.option(
    "--listen", callback=address, metavar="HOST:PORT", help="[default: 127.0.0.1:8080, a free port with a COMMAND]"
)
@click.option("--session", metavar="NAME", help="Name of the session.  [default: made from the time]")
@click.option("--replace", is_flag=True, help="Replace a session of that name.")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="ID|FILE",
    help="Inject this case, of the corpus or of a file (FILE.yaml or FILE.yaml#ID); may be repeated.",
)
@click.option(
    "--variant",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Which disguise of the case: see `redtape corpus show ID`.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same injections.")
@click.option("--broker", type=click.Choice(["live"]), default="live", show_default=True)
@click.option("--accept-real-orders", is_flag=True, help="Attack although orders may reach real money.")
@click.option(
    "--map", "maps", multiple=True, callback=pair, metavar="HOST=URL", help="Send a host to another upstream."
)
@click.option("--venues", type=_FILE, multiple=True, metavar="FILE", help="More venue files.")
@click.option("--contract", metavar="FILE|ID", help="Score the session against this contract at the end.")
@click.option("--upstream-ca", type=_FILE, metavar="FILE", help="Also trust these roots upstream.")
@click.option("--fail-on-violation", is_flag=True, help="Exit 1 when the contract was violated; needs --contract.")
@click.option("--allow-remote", is_flag=True, help="Listen on an address that others can reach, without credentials.")
@click.argument("command_", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(settings: Settings, /, **given: Any) -> int:
    """Stand between an agent and its services: observe, or attack.

    With a COMMAND the agent runs under the proxy: every proxy and CA variable is set for it, and its exit
    code is ours. Without one, point the agent's HTTPS_PROXY here and trust the CA (`redtape ca env`).
    """
    from deploy.logs import configure, level_for

    running = bool(given["command_"])
    quiet_default = logging.WARNING if running else logging.INFO
    configure(level_for(verbose=settings.verbose, quiet=settings.quiet, default=quiet_default))
    if given["fail_on_violation"] and given["contract"] is None:
        raise UserError("--fail-on-violation needs --contract FILE")
    return asyncio.run(_run(settings, given))


async def _run(settings: Settings, given: dict[str, Any]) -> int:
    import structlog

    from deploy.attacks import chosen
    from deploy.live import LiveOptions, run_session
    from proxy.wire.catalogue import load_catalogue

    host, port = given["listen"] or ("127.0.0.1", 0 if given["command_"] else 8080)
    if not _local(host) and not given["allow_remote"]:
        raise UserError(f"--listen {host}: others could use this proxy; keep to 127.0.0.1, or give --allow-remote")
    contract, contract_hash = _contract(given["contract"])
    catalogue = load_catalogue(given["venues"])
    _warn_of_maps(settings, catalogue, given["maps"])
    options = LiveOptions(
        session=given["session"] or _new_name(),
        workspace=settings.workspace,
        catalogue=catalogue,
        listen_host=host,
        listen_port=port,
        maps=given["maps"],
        attacks=chosen(given["attacks"]),
        variant=given["variant"],
        seed=given["seed"],
        broker=given["broker"],
        accept_real_orders=given["accept_real_orders"],
        upstream_ca=given["upstream_ca"],
        replace=given["replace"],
        contract_hash=contract_hash,
    )
    ended = await run_session(
        options,
        structlog.get_logger().bind(session_id=options.session),
        command=given["command_"],
        started=lambda running: _say(settings, f"listening on {running.url} · session {options.session}"),
    )
    for line in _summary(ended, catalogue):
        _say(settings, line)
    return _code(settings, given, contract, ended)


def _warn_of_maps(settings: Settings, catalogue: Catalogue, maps: dict[str, str]) -> None:
    """A host that is misspelt would be mapped, and never asked for."""
    from difflib import get_close_matches

    for name in maps:
        host = name.lower().rstrip(".").partition(":")[0]
        near = get_close_matches(host, catalogue.hosts, 1, 0.85) if catalogue.host(host) is None else []
        if near:
            _say(settings, f"warning: --map {safe(name)}: no venue has this host; did you mean {near[0]}?")


def _summary(ended: Ended, catalogue: Catalogue) -> list[str]:
    from deploy.summary import counts_text, failures, orders_and_intents, plural, real_orders
    from proxy.journal.read import read
    from proxy.journal.store import JournalError

    try:
        evidence = read(ended.file)
    except JournalError:
        orders, lines = plural(ended.orders, "order"), []
    else:
        orders = counts_text(*orders_and_intents(evidence))
        lines = [safe(line) for line in (*failures(evidence), *real_orders(evidence, catalogue))]
    head = (
        f"session {ended.session}: {plural(ended.exchanges, 'exchange')}, {orders}, "
        f"{plural(ended.injections, 'injection')}, {ended.blocked} blocked · {ended.file}"
    )
    return [head, *lines]


def _contract(name: str | None) -> tuple[Any, str | None]:
    if name is None:
        return None, None
    from deploy.contracts import load_contract

    loaded = load_contract(name)
    return loaded, loaded.hash


def _code(settings: Settings, given: dict[str, Any], contract: Any, ended: Any) -> int:
    if ended.storage_failed:
        click.echo("error: evidence could not be written; what the session shows is not complete", err=True)
        return Exit.INCONCLUSIVE
    if ended.hook_failures:
        click.echo(f"internal error: {ended.hook_failures} hooks failed; see `redtape show {ended.session}`", err=True)
        return Exit.INTERNAL
    if contract is not None:
        from deploy.scoring import print_score, score_file

        result = score_file(ended.file, contract, None)
        print_score(result, ended.session, err=True)
        if given["fail_on_violation"] and any(v.verdict == "violation" for v in result.verdicts):
            return Exit.GATE
    return ended.command or 0


def _local(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _new_name() -> str:
    return f"proxy-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"


def _say(settings: Settings, text: str) -> None:
    if not settings.quiet:
        click.echo(text, err=True)
