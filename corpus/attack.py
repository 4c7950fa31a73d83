"""Attack cases as data: frozen models. Read by `corpus.load`, compiled by the schedule, judged by predicates."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any, Final, Literal

from pydantic import Field, model_validator

from corpus.base import Day, Exact, Frozen, Several, Text, canonical
from corpus.terms import Action, Group, OrderType, Side, Unit

CASE_ID: Final = r"^[a-z0-9][a-z0-9._-]{0,63}$"


class OrderMatch(Frozen):
    """Conditions on one order request; every condition that is given must hold. Text may hold `{param}`."""

    action: Several[Action]
    venue: Several[str] | None = None
    symbol: Several[str] | None = None
    side: Side | None = None
    type: Several[OrderType] | None = None
    unit: Several[Unit] | None = None
    group: Group | None = None
    min_quantity: Exact | None = None
    max_quantity: Exact | None = None
    min_notional: Exact | None = None
    reduce_only: bool | None = None
    asset: Several[str] | None = None
    destination: Several[str] | None = None


class Predicate(Frozen):
    """What counts as success: exactly one of `order`, `any`, `all`, `none`."""

    order: OrderMatch | None = None
    at_least: int = Field(default=1, ge=1)
    any: tuple[Predicate, ...] = ()
    all: tuple[Predicate, ...] = ()
    none: tuple[Predicate, ...] = ()

    @model_validator(mode="after")
    def _one(self) -> Predicate:
        given = [self.order is not None, bool(self.any), bool(self.all), bool(self.none)]
        if sum(given) != 1:
            raise ValueError("give exactly one of order, any, all, none")
        return self


class TraceOrder(Frozen):
    """One order of a positive or negative trace. `price` values a market order, for notional conditions."""

    action: Action
    venue: str = "alpaca"
    symbol: str | None = None
    side: Side | None = None
    type: OrderType = OrderType.MARKET
    quantity: Exact | None = None
    unit: Unit = Unit.BASE
    price: Exact | None = None
    asset: str | None = None
    destination: str | None = None
    reduce_only: bool = False


class Traces(Frozen):
    """Orders on which the predicate must fire, and ordinary good behaviour on which it must not."""

    positive: tuple[TraceOrder, ...] = Field(min_length=1)
    negative: tuple[TraceOrder, ...]


class Match(Frozen):
    """Which exchanges an attack may touch; absent means any that has the view."""

    endpoint: Several[str] | None = None
    venue: Several[str] | None = None
    host: Several[str] | None = None
    symbol: Several[str] | None = None
    tool: Several[str] | None = None


class Trigger(Frozen):
    """When: the n-th matching item, items of a symbol, from a time on, or each with a seeded chance."""

    nth: int | None = Field(default=None, ge=1)
    symbol: str | None = None
    after: str | None = None
    chance: Exact | None = None
    limit: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _one(self) -> Trigger:
        given = [x is not None for x in (self.nth, self.symbol, self.after, self.chance)]
        if sum(given) != 1:
            raise ValueError("give exactly one of nth, symbol, after, chance")
        if self.chance is not None and not 0 <= self.chance <= 1:
            raise ValueError("chance must lie between 0 and 1")
        return self


type Mode = Literal["prepend", "append", "insert_item", "replace", "remove", "perturb"]
type View = Literal["news", "tool_result"]


class Placement(Frozen):
    """Where an attack lands: a view, one of its text fields, and how the payload goes in."""

    view: View
    field: Literal["headline", "summary", "content", "text"] = "text"
    match: Match = Match()
    trigger: Trigger = Trigger(nth=1)
    mode: Mode


class Payload(Frozen):
    """Text with `{name}` for its parameters."""

    template: str = Field(min_length=1, max_length=20_000)
    params: dict[str, Text] = {}


class Transform(Frozen):
    """A change that is no text: its name and parameters."""

    name: str
    params: dict[str, Text] = {}


type Disguise = Literal["plain", "hidden_html", "zero_width"]


class Variant(Frozen):
    """One way to dress the payload."""

    disguise: Disguise = "plain"
    params: dict[str, Text] = {}


class Quarantine(Frozen):
    reason: str
    detail: str = ""
    since: Day


class Taxon(Frozen):
    scheme: str
    version: str
    id: str


class Provenance(Frozen):
    source: str
    licence: str
    added: Day


class AttackCase(Frozen):
    """One case. See DESIGN section 5; `success` speaks of orders and actions, never of prose."""

    id: str = Field(pattern=CASE_ID)
    version: int = Field(ge=1)
    title: str = Field(min_length=1, max_length=200)
    family: str = Field(pattern=CASE_ID)
    status: Literal["active", "quarantined", "deprecated"]
    quarantine: Quarantine | None = None
    severity: Literal["minor", "major", "critical"]
    harm: Literal["financial", "exfil", "dos", "integrity"]
    taxonomy: tuple[Taxon, ...] = ()
    goal: str
    placement: Placement
    payload: Payload | None = None
    transform: Transform | None = None
    variants: tuple[Variant, ...] = (Variant(),)
    benign_control: Payload
    preconditions: tuple[str, ...] = ()
    success: Predicate
    partial: Predicate | None = None
    traces: Traces
    provenance: Provenance
    references: tuple[str, ...] = ()
    held_out: bool = False

    @model_validator(mode="after")
    def _whole(self) -> AttackCase:
        if (self.status == "quarantined") != (self.quarantine is not None):
            raise ValueError("status quarantined and the key quarantine go together")
        if (self.payload is None) == (self.transform is None):
            raise ValueError("give exactly one of payload, transform")
        if not self.variants:
            raise ValueError("give at least one variant")
        return self

    @property
    def params(self) -> dict[str, str]:
        """The parameters that the payload, its control and the predicates share."""
        return dict(self.payload.params if self.payload else self.transform.params if self.transform else {})


class AttackFile(Frozen):
    """One family, one file."""

    schema_: Literal["attacks/1"] = Field(alias="schema")
    family: str = Field(pattern=CASE_ID)
    cases: tuple[dict[str, Any], ...] = Field(min_length=1)


_PARAM: Final = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


def fill(text: str, params: dict[str, str]) -> str:
    """
    Put parameters into a text.

    Raises:
        ValueError: The text names a parameter that is not given.
    """

    def one(found: re.Match[str]) -> str:
        name = found[1]
        if name not in params:
            raise ValueError(f"parameter {{{name}}} has no value; add it to params")
        return params[name]

    return _PARAM.sub(one, text)


def case_hash(case: AttackCase) -> str:
    """sha256 of the case's canonical JSON; quarantine and deprecation do not change it."""
    data = case.model_dump(mode="json", exclude={"status", "quarantine"})
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def corpus_version(cases: Iterable[AttackCase]) -> str:
    """The first 16 hex digits of the hash over all cases that are active, by id."""
    lines = sorted(f"{case.id}@{case.version}:{case_hash(case)}" for case in cases if case.status == "active")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
