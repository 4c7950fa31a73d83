"""The facts that a session's file holds: a tagged union, appended in order, never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus.terms import Instant
from proxy.wire.exchange import Exchange, Headers, Message
from proxy.wire.order_events import OrderEvent

type Seen = Literal["both", "shown", "truth"]
"""Whether a fact follows from what the agent received, from what the upstream sent, or from both alike."""

type ExchangeOutcome = Literal["passed", "edited", "answered", "blocked", "refused", "error"]
"""
passed: forwarded, not a byte changed; edited: forwarded, spans changed; answered: by us, never forwarded;
blocked: refused by a rule; refused: refused because we could not keep evidence or read it; error: broke off.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeSeen:
    """
    One exchange, whole. Null `forwarded_*` and `shown_*` mean: the same bytes as sent.

    `marks` are words such as unreadable, not_inspected, bad_encoding, cut.
    """

    exchange: Exchange
    outcome: ExchangeOutcome
    endpoint: str | None = None
    venue: str | None = None
    role: str | None = None
    forwarded_body: bytes | None = None
    forwarded_headers: Headers | None = None
    shown_body: bytes | None = None
    shown_headers: Headers | None = None
    shown_status: int | None = None
    upstream: str | None = None
    secret_response: bool = False
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSeen:
    """One frame; `shown` is what the agent got when it differs."""

    message: Message
    shown: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFact:
    """An order event, numbered in the session by `seq`."""

    seq: int
    event: OrderEvent
    seen: Seen = "both"
    retry_of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLinked:
    """Order requests that are one intent: `seq` belongs to `chain` (the first member's seq), found by `how`."""

    seq: int
    chain: int
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMade:
    """One span: its place in the decoded body as sent, the bytes before and after."""

    start: int
    old: bytes
    new: bytes
    path: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionApplied:
    """
    An injection that was due. `edits` are empty when it could not be applied, and `reason` says why.

    `leg`: the side of the exchange that was edited. `needle` is the text to look for later to know that
    a model read it. `again` marks a repeat on an item that was poisoned before.
    """

    at_ns: Instant
    exchange: int
    attack: str
    attack_version: int
    kind: Literal["attack", "control"]
    view: str
    leg: Literal["request", "response"]
    item: str
    mode: str
    disguise: str
    needle: str
    edits: tuple[EditMade, ...]
    again: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmCalled:
    """One model call. Tokens are null when the answer did not say; prompt tokens include the cached ones."""

    at_ns: Instant
    end_ns: Instant | None
    exchange: int
    api: str
    model: str | None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    streamed: bool = False
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled:
    """A tool call that a model emitted or an MCP client sent. `order` is the seq of the intent read from it."""

    at_ns: Instant
    exchange: int
    source: Literal["llm", "mcp"]
    name: str
    call_id: str | None
    arguments: str
    order: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """The needle of an injection was found in a request to a model."""

    at_ns: Instant
    exchange: int
    attack: str
    item: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedRequest:
    """A request that was not forwarded, and the rule that stopped it."""

    at_ns: Instant
    exchange: int
    host: str
    method: str
    path: str
    rule: str
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Something a reader of the evidence must know: hook failures, unreadable bodies, opening and closing."""

    at_ns: Instant
    kind: str
    text: str
    exchange: int | None = None
    data: tuple[tuple[str, str], ...] = ()


type Fact = (
    ExchangeSeen
    | MessageSeen
    | OrderFact
    | ChainLinked
    | InjectionApplied
    | LlmCalled
    | ToolCalled
    | Ingested
    | BlockedRequest
    | Noted
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMeta:
    """What a session was started with. `options` holds no secret; numbers in it are printed text."""

    id: str
    created_ns: Instant
    closed_ns: Instant | None = None
    version: str = ""
    seed: int | None = None
    broker: str = "live"
    corpus_version: str | None = None
    contract_hash: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    status: Literal["open", "closed", "interrupted"] = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRow:
    """One exchange as the journal keeps it, bodies by hash. Null shown and forwarded: the same as sent."""

    id: int
    at_ns: Instant
    response_at_ns: Instant | None
    end_ns: Instant | None
    label: str | None
    endpoint: str | None
    venue: str | None
    role: str | None
    method: str
    scheme: str
    host: str
    port: int
    path: str
    http_version: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: str | None
    forwarded_body: str | None
    status: int | None
    response_headers: tuple[tuple[str, str], ...]
    response_body: str | None
    shown_status: int | None
    shown_headers: tuple[tuple[str, str], ...] | None
    shown_body: str | None
    outcome: ExchangeOutcome
    error: str | None
    upstream: str | None
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A session's file, read. Everything that scoring may look at; bodies are fetched one by one."""

    meta: SessionMeta
    exchanges: tuple[ExchangeRow, ...]
    orders: tuple[OrderFact, ...]
    chains: tuple[ChainLinked, ...]
    injections: tuple[InjectionApplied, ...]
    llm_calls: tuple[LlmCalled, ...]
    tool_calls: tuple[ToolCalled, ...]
    ingested: tuple[Ingested, ...]
    blocked: tuple[BlockedRequest, ...]
    notes: tuple[Noted, ...]
