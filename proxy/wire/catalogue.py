"""
The endpoint catalogue: what each URL of a venue, data source or model API means.

YAML in, frozen models out; `Catalogue.match` finds the endpoint of a request by its original host, method
and path. Adding a venue is adding a file. This module reads files when it loads; matching is pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, field_validator, model_validator

from corpus.base import Frozen, Several
from corpus.load import BadCorpus, Lines, build, parse_yaml, read_text
from corpus.terms import Action, Unit
from proxy.wire.codecs.json_span import compile_path
from proxy.wire.order_events import UpdateKind
from proxy.wire.rules import PathText, TakeLike, UnitRow, When

type Role = Literal["trading", "data", "llm", "mcp"]

TEXT_KINDS: Final = ("news", "chat")
"""Views that hold text alone."""

ORDER_FIELDS: Final = frozenset(
    [
        "account",
        "client_order_id",
        "venue_order_id",
        "symbol",
        "symbol_code",
        "side",
        "type",
        "tif",
        "quantity",
        "limit_price",
        "stop_price",
        "reduce_only",
        "post_only",
        "group",
        "asset",
        "destination",
    ]
)
UPDATE_FIELDS: Final = frozenset(
    [
        "account",
        "client_order_id",
        "venue_order_id",
        "symbol",
        "symbol_code",
        "side",
        "type",
        "tif",
        "quantity",
        "limit_price",
        "stop_price",
        "filled_quantity",
        "average_price",
        "fill_quantity",
        "fill_price",
        "execution_id",
        "replaces",
        "replaced_by",
        "status",
        "code",
        "reason",
    ]
)


def _checked_fields(value: dict[str, TakeLike], known: frozenset[str]) -> dict[str, TakeLike]:
    for name in value:
        if name not in known:
            raise ValueError(f"unknown field {name!r}; known: {', '.join(sorted(known))}")
    return value


class LegRule(Frozen):
    """Children of one order: one when `when` holds, or one for each of `items`."""

    when: When = {}
    items: PathText | None = None
    type: TakeLike | None = None
    side: TakeLike | None = None
    opposite: bool = False
    symbol: TakeLike | None = None
    quantity: TakeLike | None = None
    ratio: TakeLike | None = None
    limit_price: TakeLike | None = None
    stop_price: TakeLike | None = None


class ActionRow(Frozen):
    when: When = {}
    is_: Action | None = Field(alias="is")


class OrderRule(Frozen):
    """How a request becomes order requests."""

    items: PathText | None = None
    actions: tuple[ActionRow, ...] = ()
    fields: dict[str, TakeLike] = {}
    unit: tuple[UnitRow, ...] = ()
    legs: tuple[LegRule, ...] = ()
    extra: dict[str, TakeLike] = {}

    @field_validator("fields")
    @classmethod
    def _fields(cls, value: dict[str, TakeLike]) -> dict[str, TakeLike]:
        return _checked_fields(value, ORDER_FIELDS)

    @field_validator("unit")
    @classmethod
    def _units(cls, value: tuple[UnitRow, ...]) -> tuple[UnitRow, ...]:
        for row in value:
            Unit(row.is_)
        return value


class ObjectRule(Frozen):
    """How a venue prints an order: fields, and its status words as update kinds."""

    fields: dict[str, TakeLike]
    unit: tuple[UnitRow, ...] = ()
    status: dict[str, UpdateKind]

    @field_validator("fields")
    @classmethod
    def _fields(cls, value: dict[str, TakeLike]) -> dict[str, TakeLike]:
        return _checked_fields(value, UPDATE_FIELDS)


class RefusedRule(Frozen):
    """Items of a list that were refused while others were taken: where `when` holds, with what they say of it."""

    when: When
    fields: dict[str, TakeLike] = {}

    @field_validator("fields")
    @classmethod
    def _fields(cls, value: dict[str, TakeLike]) -> dict[str, TakeLike]:
        return _checked_fields(value, UPDATE_FIELDS)


class ReplyRule(Frozen):
    """
    One way that a venue answers. The first whose `when` holds is taken.

    With `object`, each item is read as an order of that shape; `event` overrides its status word. With `items`,
    `at` says where in an item (`item.body`) the order stands, and `refused` which items tell of no order.
    """

    when: When = {}
    items: PathText | None = None
    object: str | None = None
    at: PathText | None = None
    event: UpdateKind | None = None
    refused: RefusedRule | None = None
    fields: dict[str, TakeLike] = {}
    complete: bool = False

    @field_validator("fields")
    @classmethod
    def _fields(cls, value: dict[str, TakeLike]) -> dict[str, TakeLike]:
        return _checked_fields(value, UPDATE_FIELDS)

    @model_validator(mode="after")
    def _placed(self) -> ReplyRule:
        if self.object is not None and self.items is None and self.at is None:
            raise ValueError("an object needs the key at or items: where it stands in the answer")
        return self


class ViewRule(Frozen):
    """A typed reading of a body: which paths hold its items and their parts (paths below the item)."""

    kind: Literal["news", "bars", "quotes", "trades", "account", "positions", "chat"]
    leg: Literal["request", "response"] = "response"
    items: str = "$"
    parts: dict[str, str] = {}
    text: dict[str, str] = {}
    html: tuple[str, ...] = ()
    symbol_step: int | None = None
    """Which key on the way to the item is its symbol, counted from 0."""
    complete: bool = True
    when: When = {}
    flat: When | None = None
    """Of positions: the answer, an error perhaps, that says that nothing is held of the symbol asked for."""

    @model_validator(mode="after")
    def _paths(self) -> ViewRule:
        for path in (self.items, *self.parts.values(), *self.text.values()):
            compile_path(path)
        if self.kind == "positions" and not {"symbol", "quantity"} <= set(self.parts):
            raise ValueError("a positions view needs the parts symbol and quantity")
        return self


class EndpointRule(Frozen):
    """One URL pattern. `action` moves money or orders; without one it is a read."""

    id: str = Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_.]+$")
    on: str
    method: Several[str]
    path: str = Field(pattern=r"^/")
    action: Action | None = None
    secret: bool = False
    """The response is a token: it is redacted in the journal."""
    codec: Literal["json", "openai_chat", "anthropic"] = "json"
    order: OrderRule | None = None
    reply: tuple[ReplyRule, ...] = ()
    views: tuple[ViewRule, ...] = ()

    @model_validator(mode="after")
    def _action(self) -> EndpointRule:
        if self.action is not None and self.order is None:
            raise ValueError("an endpoint with an action needs the key order (it may be empty)")
        return self


class Hosts(Frozen):
    """Hosts that play one role; `paper` ones hold no real money."""

    role: Literal["trading", "data", "llm", "mcp"]
    live: tuple[str, ...] = ()
    paper: tuple[str, ...] = ()
    any: bool = False
    """Match every host whose path and body shape fit (model gateways)."""


class Secrets(Frozen):
    headers: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    body: tuple[str, ...] = ()


class VenueFile(Frozen):
    """One venue or data source."""

    schema_: Literal["venue/1"] = Field(alias="schema")
    venue: str = Field(pattern=r"^[a-z0-9_]{1,32}$")
    title: str
    source: str
    hosts: dict[str, Hosts]
    secrets: Secrets = Secrets()
    objects: dict[str, ObjectRule] = {}
    endpoints: tuple[EndpointRule, ...]

    @model_validator(mode="after")
    def _refers(self) -> VenueFile:
        for endpoint in self.endpoints:
            if endpoint.on not in self.hosts:
                raise ValueError(f"endpoint {endpoint.id}: hosts has no set {endpoint.on!r}")
            for reply in endpoint.reply:
                if reply.object is not None and reply.object not in self.objects:
                    raise ValueError(f"endpoint {endpoint.id}: objects has no {reply.object!r}")
        return self


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A compiled endpoint."""

    id: str
    venue: str
    role: Role
    rule: EndpointRule
    objects: Mapping[str, ObjectRule]
    secrets: Secrets
    pattern: re.Pattern[str]
    any_host: bool = False

    @property
    def tells(self) -> bool:
        """Whether its responses can say something of orders, prices or the account."""
        return bool(self.rule.reply) or any(view.kind not in TEXT_KINDS for view in self.rule.views)

    def groups(self, path: str) -> dict[str, str]:
        """The template groups of a path that matched."""
        found = self.pattern.fullmatch(path)
        return {key: value for key, value in found.groupdict().items() if value is not None} if found else {}


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What the catalogue says of a host."""

    venue: str
    role: Role
    paper: bool


@dataclass(slots=True)
class Catalogue:
    """All endpoints, found by host, method and path."""

    venues: tuple[VenueFile, ...]
    hosts: dict[str, HostFacts] = field(default_factory=dict)
    _exact: dict[tuple[str, str, str], Endpoint] = field(default_factory=dict)
    _patterns: dict[tuple[str, str], list[Endpoint]] = field(default_factory=dict)
    _anywhere: dict[str, list[Endpoint]] = field(default_factory=dict)
    endpoints: dict[str, Endpoint] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for venue in self.venues:
            for hosts in venue.hosts.values():
                for host in hosts.live:
                    self.hosts[host.lower()] = HostFacts(venue.venue, hosts.role, paper=False)
                for host in hosts.paper:
                    self.hosts[host.lower()] = HostFacts(venue.venue, hosts.role, paper=True)
            for rule in venue.endpoints:
                self._add(venue, rule)

    def _add(self, venue: VenueFile, rule: EndpointRule) -> None:
        hosts = venue.hosts[rule.on]
        endpoint = Endpoint(
            rule.id, venue.venue, hosts.role, rule, venue.objects, venue.secrets, compile_template(rule.path), hosts.any
        )
        self.endpoints[rule.id] = endpoint
        for method in rule.method:
            if hosts.any:
                self._anywhere.setdefault(method, []).append(endpoint)
            for host in (*hosts.live, *hosts.paper):
                if "{" in rule.path:
                    self._patterns.setdefault((host.lower(), method), []).append(endpoint)
                else:
                    self._exact[host.lower(), method, rule.path] = endpoint

    def match(self, host: str, method: str, path: str) -> Endpoint | None:
        """
        The endpoint of a request.

        Args:
            host: The original host, before any `--map`.
            method: As sent.
            path: Without the query.
        """
        host = host.lower().rstrip(".")
        method = method.upper()
        path = tidy(path)
        found = self._exact.get((host, method, path))
        if found is not None:
            return found
        for endpoint in self._patterns.get((host, method), ()):
            if endpoint.pattern.fullmatch(path):
                return endpoint
        for endpoint in self._anywhere.get(method, ()):
            if endpoint.pattern.fullmatch(path):
                return endpoint
        return None

    def host(self, host: str) -> HostFacts | None:
        """What the catalogue says of a host, if it knows it."""
        return self.hosts.get(host.lower().rstrip("."))

    def trading_hosts(self) -> tuple[str, ...]:
        """Hosts that hold real money."""
        return tuple(sorted(h for h, facts in self.hosts.items() if facts.role == "trading" and not facts.paper))


_NEEDLESS: Final = re.compile(r"%(2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])")
"""Percent-encodings of characters that need none."""


def tidy(path: str) -> str:
    """
    A path as servers read it: doubled and trailing slashes do not count, dot segments are walked, and
    characters that need no percent-encoding are plain (RFC 3986, section 6.2.2).
    """
    if "%" in path:
        path = _NEEDLESS.sub(lambda found: chr(int(found[1], 16)), path)
    while "//" in path:
        path = path.replace("//", "/")
    if "/." in path:
        path = _walked(path)
    return path.rstrip("/") or "/"


def _walked(path: str) -> str:
    out: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del out[max(1, len(out) - 1) :]
        elif part != ".":
            out.append(part)
    return "/".join(out) or "/"


def compile_template(path: str) -> re.Pattern[str]:
    """`/v2/orders/{id}` to a pattern; `{name}` is one segment, `{name*}` any number of them."""
    out = ""
    for part in re.split(r"(\{[a-z_]+\*?\})", path):
        if part.startswith("{") and part.endswith("*}"):
            out += f"(?P<{part[1:-2]}>.*)"
        elif part.startswith("{"):
            out += f"(?P<{part[1:-1]}>[^/]+)"
        else:
            out += re.escape(part)
    return re.compile(out)


def shipped() -> tuple[Path, ...]:
    """The venue files that come with the package."""
    folder = files("proxy.wire") / "venues"
    return tuple(sorted(Path(str(item)) for item in folder.iterdir() if item.name.endswith(".yaml")))


def load_venue(path: Path) -> VenueFile:
    """One venue file. Raises BadCorpus naming file, line, key and fix."""
    value, lines = parse_yaml(read_text(path), str(path))
    venue = build(VenueFile, value, lines, str(path))
    _unique(venue, lines, str(path))
    return venue


def _unique(venue: VenueFile, lines: Lines, file: str) -> None:
    seen: set[str] = set()
    for n, endpoint in enumerate(venue.endpoints):
        if endpoint.id in seen:
            line = lines.get(("endpoints", n), 0)
            raise BadCorpus(
                f"id {endpoint.id} stands twice; rename one", file=file, line=line, key=f"endpoints[{n}].id"
            )
        seen.add(endpoint.id)


def load_catalogue(extra: Iterable[Path] = ()) -> Catalogue:
    """The shipped venues and the user's own; a user's file replaces the shipped one of the same venue."""
    found = {venue.venue: (venue, path) for path in shipped() for venue in (load_venue(path),)}
    found |= {venue.venue: (venue, path) for path in extra for venue in (load_venue(path),)}
    owners: dict[str, Path] = {}
    for venue, path in found.values():
        for n, endpoint in enumerate(venue.endpoints):
            other = owners.setdefault(endpoint.id, path)
            if other != path:
                raise BadCorpus(
                    f"id {endpoint.id} also stands in {other}; rename it", file=str(path), key=f"endpoints[{n}].id"
                )
    return Catalogue(tuple(venue for venue, _ in found.values()))
