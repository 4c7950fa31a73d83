"""
Attack + seed, compiled to when and where. Pure state: the same items in the same order give the same plan.

An item that was poisoned once is poisoned alike whenever it is served again: a story that loses its
payload on the next poll, or a conversation whose history changes, would give the attack away.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Literal

from corpus.attack import AttackCase, Variant
from corpus.terms import Instant, instant
from injectors.base import Injection, sub_seed
from injectors.payload import render
from proxy.wire.views.text import TextItem


@dataclass(frozen=True, slots=True)
class Where:
    """The exchange that an item stands in."""

    endpoint: str
    venue: str
    host: str


@dataclass(frozen=True, slots=True)
class Due:
    """An injection that is due on an item; `again` when the item was poisoned before."""

    injection: Injection
    again: bool


@dataclass(slots=True)
class _Planned:
    case: AttackCase
    variant: Variant
    kind: Literal["attack", "control"]
    seed: int
    matched: int = 0
    fired: int = 0
    seen: set[str] = field(default_factory=set)
    poisoned: dict[str, Injection] = field(default_factory=dict)


@dataclass(slots=True)
class Schedule:
    """What is to be injected in one session."""

    seed: int
    planned: list[_Planned] = field(default_factory=list)

    def add(self, case: AttackCase, *, kind: Literal["attack", "control"] = "attack", variant: int = 0) -> None:
        """
        Plan a case.

        Raises:
            ValueError: It is not active, or has no such variant.
        """
        if case.status != "active":
            raise ValueError(f"attack {case.id} is {case.status}; only active cases are injected")
        if not 0 <= variant < len(case.variants):
            raise ValueError(f"attack {case.id} has {len(case.variants)} variants, not number {variant}")
        seed = sub_seed(self.seed, case.id, str(variant))
        self.planned.append(_Planned(case, case.variants[variant], kind, seed))

    def wants(self, view: str) -> bool:
        """Whether any planned case works on this view."""
        return any(one.case.placement.view == view for one in self.planned)

    def due(self, view: str, item: TextItem, where: Where, at_ns: Instant) -> list[Due]:
        """
        What is due on one item now; counts the item.

        Args:
            view: The kind of view.
            item: One of its items.
            where: The exchange it stands in.
            at_ns: Now.
        """
        return [
            found
            for one in self.planned
            if one.case.placement.view == view and (found := _due(one, item, where, at_ns))
        ]


def _due(one: _Planned, item: TextItem, where: Where, at_ns: Instant) -> Due | None:
    if not _matches(one.case, item, where):
        return None
    # Keys repeat only within one kind of source.
    key = f"{where.endpoint}\0{item.key}"
    before = one.poisoned.get(key)
    if before is not None:
        return Due(before, again=True)
    if key in one.seen:
        return None
    one.seen.add(key)
    one.matched += 1
    if one.fired >= one.case.placement.trigger.limit or not _fires(one, item, at_ns):
        return None
    one.fired += 1
    injection = render(one.case, one.variant, one.kind, sub_seed(one.seed, str(one.fired)))
    one.poisoned[key] = injection
    return Due(injection, again=False)


def _matches(case: AttackCase, item: TextItem, where: Where) -> bool:
    match = case.placement.match
    return (
        (match.endpoint is None or where.endpoint in match.endpoint)
        and (match.venue is None or where.venue in match.venue)
        and (match.host is None or where.host in match.host)
        and (match.symbol is None or bool(set(match.symbol) & set(item.symbols)))
        and (match.tool is None or item.tool in match.tool)
    )


def _fires(one: _Planned, item: TextItem, at_ns: Instant) -> bool:
    trigger = one.case.placement.trigger
    if trigger.nth is not None:
        return one.matched >= trigger.nth
    if trigger.symbol is not None:
        return trigger.symbol in item.symbols
    if trigger.after is not None:
        start = instant(trigger.after)
        return start is not None and (item.published_ns if item.published_ns is not None else at_ns) >= start
    if trigger.chance is not None:
        drawn = Decimal(Random(sub_seed(one.seed, "chance", item.key)).randrange(10**9)) / 10**9  # noqa: S311
        return drawn < trigger.chance
    return False
