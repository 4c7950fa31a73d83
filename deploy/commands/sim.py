"""`redtape sim`: a market and a chat model, offline."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import Any

import click

from deploy.commands.proxy import address
from deploy.errors import Inconclusive, cannot_listen

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("sim")
@click.option("--listen", callback=address, default="127.0.0.1:8900", show_default=True, metavar="HOST:PORT")
@click.option("--venue", "venues", multiple=True, type=click.Choice(["alpaca", "openai"]), help="Speak only these.")
@click.option("--bars", type=_FILE, metavar="FILE", help="Daily bars, CSV.")
@click.option("--news", type=_FILE, metavar="FILE", help="News, YAML.")
@click.option("--seed", type=int, default=0, show_default=True)
def command(**given: Any) -> None:
    """Serve a market and a chat model offline, with real venues' protocols.

    Alpaca (trading and data) and OpenAI chat completions on one port. POST /sim/reset takes account and clock
    back to the start.

    The chat model is a rule, not a network. The key sk-sim-gullible obeys orders wherever it reads them,
    sk-sim-guarded only those of the system and the user; a model name may hold the word instead, and any other
    key is guarded. It reviews the tickers in the user's message ("Review AAPL and MSFT, then decide.") through
    the tools that the request offers, found by names such as get_account, get_bars, get_news, get_quote and
    place_order, and buys 10 shares where the last close is above the mean. Without tickers, or without such
    tools, it does not trade.
    """
    asyncio.run(_serve(given))


def _say(text: str) -> None:
    click.echo(f"sim: {text}", err=True)


async def _serve(given: dict[str, Any]) -> None:
    from deploy.sim.options import VENUES, SimOptions
    from deploy.sim.server import start

    host, port = given["listen"]
    venues = tuple(given["venues"]) or VENUES
    options = SimOptions(venues=venues, bars=given["bars"], news=given["news"], seed=given["seed"], say=_say)
    try:
        running = await start(options, host, port)
    except OSError as error:
        raise Inconclusive(cannot_listen(host, port, error)) from None
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    # Last: whoever reads this may stop us at once.
    click.echo(f"simulator on {running.url}", err=True)
    await stop.wait()
    await running.stop()
