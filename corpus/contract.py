"""
The risk contract as data: every key of risk-contract/1, frozen. Read by `corpus.load`, judged by `scoring.controls`.

An absent key is not evaluated, `0` allows nothing, limits are inclusive.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from corpus.base import Day, Exact, Frozen, KeyProblem, canonical
from corpus.fixes import near
from corpus.load import Lines, build, parse_yaml, read_text
from corpus.terms import OrderType, TimeInForce

_CURRENCY: Final = re.compile(r"[A-Z0-9]{3,5}\Z")


def _not_negative(value: Decimal) -> Decimal:
    if value < 0:
        raise ValueError("a limit can't be negative; 0 allows nothing, leave the key out to allow anything")
    return value


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("must be greater than 0")
    return value


def _fraction(value: Decimal) -> Decimal:
    if not 0 <= value <= 10:
        raise ValueError(f'is a fraction: write "0.20" for 20 %, not {value}')
    return value


def _currency(value: str) -> str:
    if not _CURRENCY.match(value):
        raise ValueError(f'a currency is 3 to 5 upper-case letters or digits, such as USD, EUR or USDT, not "{value}"')
    return value


type Currency = Annotated[str, AfterValidator(_currency)]
type Limit = Annotated[Exact, AfterValidator(_not_negative)]
type Positive = Annotated[Exact, AfterValidator(_positive)]
type Fraction = Annotated[Exact, AfterValidator(_fraction)]
type Count = Annotated[int, Field(ge=0, strict=True)]
type Grade = Literal["minor", "major", "critical"]
type Permission = Literal["deny", "allow"]


class Cap(Frozen):
    """An upper limit: over `soft` is a warning, over `hard` a breach. A plain value is a hard limit."""

    soft: Limit | None = None
    hard: Limit

    @model_validator(mode="after")
    def _ordered(self) -> Cap:
        if self.soft is not None and self.hard < self.soft:
            raise ValueError(f"hard ({self.hard}) must not be below soft ({self.soft})")
        return self


def _cap(value: object) -> object:
    return value if isinstance(value, (dict, Cap)) or value is None else {"hard": value}


class Effective(Frozen):
    """First and last UTC day on which the contract holds, both included; null is open."""

    from_: Day | None = Field(default=None, alias="from")
    to: Day | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Effective:
        if self.from_ and self.to and self.to < self.from_:
            raise ValueError("`to` lies before `from`")
        return self


class State(Frozen):
    """What is known before the first order, and how long what was seen stays good."""

    start: Literal["snapshot", "flat", "unknown"] = "snapshot"
    max_quote_age_s: Positive | None = None
    unacked_order_ttl_s: Positive | None = None
    confirm_snapshots: int = Field(default=2, ge=1, strict=True)


class Order(Frozen):
    """Limits of one order. `tick` and `lot` are exact divisors; `tick: true` takes each instrument's own."""

    max_qty: Limit | None = None
    max_notional: Annotated[Cap | None, BeforeValidator(_cap)] = None
    min_notional: Limit | None = None
    collar_bps: Limit | None = None
    two_sided: bool | None = None
    max_spread_bps: Limit | None = None
    max_quote_age_s: Positive | None = None
    tick: Literal[True] | Positive | None = None
    lot: Positive | None = None
    types: tuple[OrderType, ...] | None = None
    tif: tuple[TimeInForce, ...] | None = None
    option_basis: Literal["premium", "underlying"] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Order:
        if self.two_sided is not None and self.collar_bps is None:
            raise ValueError("two_sided belongs to collar_bps; add collar_bps or remove two_sided")
        return self


class PositionLimits(Frozen):
    """Limits of one instrument's position with everything that works on the order's side."""

    max_abs_qty: Limit | None = None
    max_notional: Limit | None = None
    max_pct_equity: Fraction | None = None


class Position(PositionLimits):
    """`per_symbol` replaces the general limits that it names, for that symbol."""

    per_symbol: dict[str, PositionLimits] | None = None


class Portfolio(Frozen):
    max_gross_notional: Limit | None = None
    max_net_notional: Limit | None = None
    max_gross_leverage: Limit | None = None
    max_sector_pct: Fraction | None = None
    max_working_orders: Count | None = None


class Account(Frozen):
    allow: tuple[str, ...] | None = None
    venues: tuple[str, ...] | None = None
    max_open_buy_notional: Limit | None = None
    buying_power_model: Literal["none", "cash", "alpaca"] | None = None


class Short(Frozen):
    allowed: bool | None = None
    require_locate: bool | None = None


class Symbols(Frozen):
    """`deny` stops exits too, `exit_only` lets reducing orders through, `allow` exempts reducing orders."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] | None = None
    exit_only: tuple[str, ...] | None = None


class Window(Frozen):
    """At most `max` within the rolling (t - window_s, t]."""

    max: Count
    window_s: Positive


class PerSession(Frozen):
    max: Count


class Rate(Frozen):
    orders: Window | None = None
    messages: Window | None = None
    per_session: PerSession | None = None


class Duplicate(Frozen):
    window_s: Positive
    max_identical: Annotated[int, Field(ge=1, strict=True)] = 1


class Loss(Frozen):
    max_session_loss: Limit | None = None
    max_drawdown_pct: Fraction | None = None
    trailing: bool | None = None
    cooldown_s: Limit | None = None


class Kill(Frozen):
    cancel_all_within_s: Limit | None = None


class Session(Frozen):
    calendar: str | None = None
    windows: tuple[str, ...] | None = None
    by_symbol: dict[str, str] | None = None
    exits_outside: bool | None = None


class DayTrades(Frozen):
    max: Count
    window_sessions: Annotated[int, Field(ge=1, strict=True)]


class Actions(Frozen):
    """What an agent may do beside trading; each is denied unless the contract says otherwise."""

    withdraw: Permission = "deny"
    transfer: Permission = "deny"
    leverage: Permission = "deny"
    permission: Permission = "deny"


class Egress(Frozen):
    allow_hosts: tuple[str, ...] | None = None
    canaries: tuple[str, ...] | None = None


class MinExposure(Frozen):
    """At least this notional held from `at` (RFC 3339) on."""

    notional: Limit
    at: str


class Mandate(Frozen):
    must_trade: bool | None = None
    min_exposure_by: MinExposure | None = None
    abstain_expected_in: tuple[str, ...] | None = None


class Custom(Frozen):
    """An operator's own rule: `when` is an expression that is true on a breach."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")
    when: str = Field(min_length=1, max_length=2000)
    severity: Grade = "major"


_RULES: Final[dict[str, tuple[str, ...]]] = {
    "order": ("max_qty", "max_notional", "min_notional", "collar_bps", "max_spread_bps", "tick", "lot", "types", "tif"),
    "position": ("max_abs_qty", "max_notional", "max_pct_equity"),
    "portfolio": (
        "max_gross_notional",
        "max_net_notional",
        "max_gross_leverage",
        "max_sector_pct",
        "max_working_orders",
    ),
    "account": ("allow", "venues", "max_open_buy_notional", "buying_power"),
    "short": ("allowed", "require_locate"),
    "symbols": ("allow", "deny", "exit_only"),
    "rate": ("orders", "messages", "per_session"),
    "loss": ("max_session_loss", "max_drawdown_pct", "cooldown_s"),
    "kill": ("halted", "reducing", "cancel_all_within_s"),
    "session": ("windows",),
    "actions": ("withdraw", "transfer", "leverage", "permission"),
    "egress": ("allow_hosts", "canaries"),
    "mandate": ("must_trade", "min_exposure_by"),
}
RULES: Final = frozenset(
    {f"{group}.{name}" for group, names in _RULES.items() for name in names}
    | {"duplicate", "self_trade", "reduce_only_integrity", "day_trades"}
)
"""Every rule id but those of `custom`."""


class Contract(Frozen):
    """One version of one risk contract. DESIGN section 6; semantics per control in `scoring.controls`."""

    schema_: Literal["risk-contract/1"] = Field(alias="schema")
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    version: int = Field(ge=1, strict=True)
    effective: Effective | None = None
    currency: Currency = "USD"
    state: State = State()
    order: Order = Order()
    position: Position = Position()
    portfolio: Portfolio = Portfolio()
    account: Account = Account()
    short: Short = Short()
    symbols: Symbols = Symbols()
    rate: Rate = Rate()
    duplicate: Duplicate | None = None
    self_trade: Literal["crossing", "any_opposite", "off"] | None = None
    loss: Loss = Loss()
    kill: Kill = Kill()
    reduce_only_integrity: bool | None = None
    session: Session = Session()
    day_trades: DayTrades | None = None
    actions: Actions = Actions()
    egress: Egress = Egress()
    mandate: Mandate = Mandate()
    severity: dict[str, Grade] = Field(default_factory=dict)
    custom: tuple[Custom, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Contract:
        own = [rule.id for rule in self.custom]
        if twice := sorted({name for name in own if own.count(name) > 1 or name in RULES}):
            message = f"rule id {twice[0]} stands twice; give each custom rule an id of its own"
            raise KeyProblem(message, "custom", len(own) - 1 - own[::-1].index(twice[0]), "id")
        if unknown := sorted(set(self.severity) - RULES - set(own)):
            rules = sorted(RULES | set(own))
            message = f"this is no rule; {near(unknown[0], rules)}Rules are {', '.join(rules)}"
            raise KeyProblem(message, "severity", unknown[0])
        return self


def contract_hash(contract: Contract) -> str:
    """sha256 (hex) of the canonical JSON; comments, key order and spelled-out defaults do not change it."""
    data = contract.model_dump(mode="json", by_alias=True, exclude_none=True)
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def given_keys(contract: Contract) -> tuple[str, ...]:
    """The dotted paths of all keys that the author gave, down to the values; null counts as not given."""
    return tuple(sorted(_given(contract, "")))


def _given(model: BaseModel, prefix: str) -> Iterator[str]:
    for name in model.model_fields_set:
        value: Any = getattr(model, name)
        path = prefix + (type(model).model_fields[name].alias or name)
        if isinstance(value, BaseModel) and not isinstance(value, Cap):
            yield from _given(value, path + ".")
        elif value is not None:
            yield path


def parse_contract(text: str, file: str) -> tuple[Contract, Lines]:
    """A contract from YAML text, with the line of every key. Raises BadCorpus."""
    value, lines = parse_yaml(text, file)
    return build(Contract, value, lines, file), lines


def read_contract(path: Path) -> tuple[Contract, Lines]:
    """A contract from its file, with the line of every key. Raises BadCorpus."""
    return parse_contract(read_text(path), str(path))
