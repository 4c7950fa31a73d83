"""A sim on a port of its own."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from deploy.sim.app import create_app
from deploy.sim.keys import SIM, Received, SimState
from deploy.sim.options import SimOptions


@dataclass(slots=True)
class RunningSim:
    """A sim that listens. `url` has no trailing slash."""

    url: str
    state: SimState
    _runner: web.AppRunner

    @property
    def orders_received(self) -> list[Received]:
        """Requests that asked the broker to change something, as they came: method, path with query, body."""
        return self.state.received

    def reset(self) -> None:
        """Back to the state at start, on the same port."""
        self.state.reset()

    def advance(self, seconds: int) -> None:
        """Let simulated time pass: working orders meet the prices of then, day orders expire at the close."""
        self.state.account.move(self.state.now + seconds * 1_000_000_000)

    async def stop(self) -> None:
        """Stop listening and drop connections."""
        await self._runner.cleanup()


async def start(options: SimOptions, host: str = "127.0.0.1", port: int = 0) -> RunningSim:
    """
    Start a fresh sim.

    Args:
        options: What to simulate.
        host: Where to listen.
        port: Which port; 0 takes a free one.

    Raises:
        corpus.load.BadCorpus: A file of bars or news is at fault.
        OSError: The port can't be taken.
    """
    app = create_app(options)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
    except BaseException:
        await runner.cleanup()
        raise
    taken = runner.addresses[0][1]
    shown = f"[{host}]" if ":" in host else host
    return RunningSim(f"http://{shown}:{taken}", app[SIM], runner)
