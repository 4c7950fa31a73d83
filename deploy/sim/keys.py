"""The state of one sim, and the key that handlers find it by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from corpus.terms import Instant
from deploy.sim import bars, market, news
from deploy.sim.account import Account
from deploy.sim.market import Market
from deploy.sim.options import SimOptions

type Received = tuple[str, str, bytes]
"""Method, path with its query, and body, as they came."""


@dataclass(slots=True)
class SimState:
    """Everything that a sim knows. `received` holds requests to change something at the broker, refused ones too."""

    options: SimOptions
    market: Market
    account: Account
    received: list[Received] = field(default_factory=list)
    told: bool = False
    """Whether it was said that no policy was named."""

    @property
    def now(self) -> Instant:
        """The simulated instant."""
        return self.account.now

    def reset(self) -> None:
        """Back to the start: no orders, the first instant, the first cash."""
        self.account = _account(self.options, self.market)
        self.received.clear()


def make_state(options: SimOptions) -> SimState:
    """A fresh state. Raises `corpus.load.BadCorpus` when a file of the options is at fault."""
    shown = market.make(bars.load(options.bars), news.load(options.news), options.half_spread)
    return SimState(options, shown, _account(options, shown))


def _account(options: SimOptions, shown: Market) -> Account:
    return Account(shown, options.seed, options.now, options.cash)


SIM: Final = web.AppKey("sim", SimState)
