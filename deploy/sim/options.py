"""What a sim is started with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from aiohttp import web

from corpus.terms import Instant

VENUES: Final = ("alpaca", "openai")
"""Protocols that the sim speaks."""

DEMO_NOW: Final[Instant] = 1_339_774_200_000_000_000
"""2012-06-15T15:30:00Z, a Friday, two hours into the New York session."""

_LATEST: Final[Instant] = 4_102_444_800_000_000_000

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
type Hook = Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]
"""Sees a request before the market does: may answer itself, wait, or hand on. For faults in tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimOptions:
    """
    A market to be simulated.

    Args:
        venues: Which of `VENUES` to speak; paths of the others are 404.
        bars: CSV of daily bars, or null for the shipped ones.
        news: YAML of news items, or null for the shipped ones.
        seed: Feeds every id; the same seed and requests give the same bytes.
        now: The simulated instant at start; it advances by 1 ms with each order.
        cash: USD in the account at start.
        half_spread: USD between the last price and either side of the quote.
        hooks: Called around every request, first one outermost.
        say: Called with a line for whoever runs the sim.

    Raises:
        ValueError: An unknown venue, or an instant outside 1970 to 2100.
    """

    venues: tuple[str, ...] = VENUES
    bars: Path | None = None
    news: Path | None = None
    seed: int = 1
    now: Instant = DEMO_NOW
    cash: Decimal = Decimal(100_000)
    half_spread: Decimal = Decimal("0.01")
    hooks: tuple[Hook, ...] = ()
    say: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        unknown = [name for name in self.venues if name not in VENUES]
        if unknown:
            raise ValueError(f"unknown venue {unknown[0]}; the sim speaks {', '.join(VENUES)}")
        if not 0 <= self.now < _LATEST:
            raise ValueError("now must lie between 1970 and 2100")
