"""
What a report is made of: frozen values, independent of SQLite, filled from results and evidence.

Any text or bytes in here may be hostile; the pages escape all of it. Instants are nanoseconds since the
epoch, numbers are Decimal, sizes are bytes. Ids in links are built from positions, never from text.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from corpus.terms import Action, Instant, OrderType, Side, Source, TimeInForce, Unit
from scoring.results import Composite, Score, TrialScore

type TrialKind = Literal["baseline", "control", "attack"]
type Lane = Literal["data", "injection", "llm", "tool", "order", "fill", "violation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditWindow:
    """
    One edit and the bytes around it; see `deploy.web.diff.windows`.

    `start` is the offset of `old` in the decoded body as sent. `before` ends there and `after` begins after
    `old`; both are the same bytes in the body as sent and as shown. `old` and `new` are whole.
    """

    start: int
    before: bytes
    old: bytes
    new: bytes
    after: bytes
    path: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionLine:
    """
    An injection that was due. Without windows it was not applied, and `reason` says why.

    `request` is the line that a person knows the exchange by, such as "GET /v1beta1/news?symbols=VLTQ".
    Sizes are of the whole decoded body, as sent and as shown.
    """

    at_ns: Instant
    exchange: int
    endpoint: str
    view: str
    item: str
    mode: str
    disguise: str
    windows: tuple[EditWindow, ...]
    sent_size: int
    shown_size: int
    leg: Literal["request", "response"] = "response"
    request: str = ""
    again: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderLine:
    """
    One request to act, as it was sent. Its verdicts are found in the trial's score by `seq`.

    `counted`: of its chain, the outermost one that left for a venue; the others are its intent. `name` is
    what carried it: a tool's name, or method and path. `currency` is that of the prices, where known.
    """

    seq: int
    at_ns: Instant
    exchange: int
    source: Source
    venue: str
    action: Action
    counted: bool
    name: str = ""
    symbol: str | None = None
    side: Side | None = None
    type: OrderType | None = None
    tif: TimeInForce | None = None
    quantity: Decimal | None = None
    unit: Unit = Unit.UNKNOWN
    limit_price: Decimal | None = None
    stop_price: Decimal | None = None
    currency: str | None = None
    client_order_id: str | None = None
    asset: str | None = None
    destination: str | None = None
    status: str | None = None
    chain: int | None = None
    retry_of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """
    One mark on the tape. `end_ns` makes it a bar (calls to a model).

    `cause`: on the way from the injected bytes to the broken rule: the injection, each call that was found
    to read it, the tool calls and orders of the chain that it led to, their violations. `order` is the seq
    of the order that an order, tool or violation event is about.
    """

    at_ns: Instant
    lane: Lane
    text: str
    exchange: int | None = None
    order: int | None = None
    end_ns: Instant | None = None
    size: int | None = None
    cause: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """
    One trial. Attack fields are null for a baseline; a control names the attack that it is the pair of.

    `stdout` is the end of what the agent printed, `stdout_size` all of it.
    """

    agent: str
    kind: TrialKind
    session: str
    start_ns: Instant
    score: TrialScore
    end_ns: Instant | None = None
    attack: str | None = None
    attack_version: int | None = None
    attack_title: str = ""
    family: str = ""
    view: str = ""
    disguise: str = ""
    repetition: int = 1
    orders: tuple[OrderLine, ...] = ()
    injections: tuple[InjectionLine, ...] = ()
    events: tuple[TimelineEvent, ...] = ()
    stdout: bytes = b""
    stdout_size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """One agent as a whole, as scoring judged it over its trials. `note` says what it is, in a few words."""

    agent: str
    note: str = ""
    composite: Composite | None = None
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """
    One run. Trials are numbered from 1 in this order, and stay linkable by it.

    `left_out`: what never became a trial, as (what, why). `weights` as in the weights file.
    """

    title: str
    run: str
    created: str
    version: str
    corpus_version: str
    contract: str
    contract_hash: str
    weights_id: str
    seed: int | None
    workspace: str
    trials: tuple[TrialReport, ...]
    agents: tuple[AgentReport, ...] = ()
    weights: tuple[tuple[str, Decimal], ...] = ()
    upstream: str = ""
    broker: str = ""
    currency: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
