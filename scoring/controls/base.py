"""What every control is given and gives back. A control judges one request against what was known when it left."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from corpus.contract import Contract
from corpus.terms import Action, Instant, OrderType, Side, Unit, Verdict
from proxy.broker.interval import AT_LEAST_NOTHING, Interval, only
from proxy.broker.ledger import Key, Ledger, Order, Touch
from proxy.broker.working import UNSETTLED
from proxy.wire.order_events import OrderRequested, unreadable
from scoring.instruments import Instrument, Tables
from scoring.results import Ref, RuleVerdict, Severity
from scoring.valuation import Priced, fresh, market, text, value_at

OPENING = (Action.PLACE, Action.REPLACE)
TRADING = (*OPENING, Action.CLOSE, Action.CLOSE_ALL, Action.EXERCISE)
MESSAGES = (*TRADING, Action.CANCEL, Action.CANCEL_ALL, Action.VALIDATE, Action.CONFIRM)
MONEY = (Action.WITHDRAW, Action.TRANSFER, Action.LEVERAGE, Action.PERMISSION)
JUDGED = frozenset((*TRADING, Action.CANCEL, Action.CANCEL_ALL, *MONEY))
"""Actions that count as decisions; dry runs and confirmations are messages only."""


_SHOWN = 120
_LISTED = 6


def cut(captured: str) -> str:
    """Captured text as rationales hold it: no longer than a reader needs."""
    return captured if len(captured) <= _SHOWN else captured[: _SHOWN - 1] + "…"


def listed(names: Sequence[str]) -> str:
    """A list of the contract as a limit: "AAPL, MSFT"; of many the first, with how many there are."""
    if not names:
        return "nothing"
    shown = ", ".join(cut(name) for name in names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown}, … ({len(names)} in all)"


@dataclass(slots=True)
class History:
    """Requests that counted before this one. `dates` counts orders per session date."""

    orders: list[Instant] = field(default_factory=list)
    messages: list[Instant] = field(default_factory=list)
    dates: dict[str, int] = field(default_factory=dict)
    alike: dict[tuple[object, ...], list[Instant]] = field(default_factory=dict)


def within(times: list[Instant], at_ns: Instant, window_s: Decimal) -> int:
    """How many of the times, sorted, lie in (at - window, at]."""
    return len(times) - bisect_right(times, at_ns - window_s * 1_000_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    One instrument of a request. Most requests have one; multi-leg orders and close-all have several.

    `total` is the order's whole quantity, `adds` what is not filled of it; both in the position's units.
    """

    key: Key | None
    names: tuple[str, ...]
    side: Side | None
    total: Interval
    adds: Interval
    instrument: Instrument

    @property
    def label(self) -> str:
        return cut(self.names[0]) if self.names else "an unnamed instrument"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request on trial: itself with what a replace leaves out filled in, and everything known before it."""

    seq: int
    request: OrderRequested
    retry: bool
    target: Order | None
    """The order that a replace changes."""
    lines: tuple[Line, ...]
    ledger: Ledger
    history: History
    contract: Contract
    tables: Tables
    session_date: str

    @property
    def max_age_s(self) -> Decimal | None:
        """The strictest age that the contract allows a quote."""
        ages = [self.contract.order.max_quote_age_s, self.contract.state.max_quote_age_s]
        return min((age for age in ages if age is not None), default=None)

    @property
    def open_price(self) -> bool:
        """Whether the request gives a price of its type in a way that can't be read."""
        request, names = self.request, unreadable(self.request)
        limited = request.type in (OrderType.LIMIT, OrderType.STOP_LIMIT, *UNSETTLED)
        stopped = request.type in (OrderType.STOP, OrderType.STOP_LIMIT, *UNSETTLED)
        return (limited and "limit_price" in names) or (stopped and "stop_price" in names)

    def touch(self, line: Line) -> Touch:
        """The line's prices that are fresh enough."""
        return fresh(self.ledger.touch(*line.names), self.request.at_ns, self.max_age_s)

    def price(self, line: Line) -> Priced:
        """The line's valuation price."""
        if line.side is None:
            return Priced(AT_LEAST_NOTHING, "side unknown")
        several = len(self.lines) > 1
        if not several and self.open_price:
            return Priced(AT_LEAST_NOTHING, "a price that can't be read")
        return value_at(
            line.side,
            None if several else self.request.limit_price,
            None if several else self.request.stop_price,
            OrderType.MARKET if several else self.request.type,
            self.touch(line),
        )

    def market(self, line: Line) -> Priced:
        """What the line's position is valued at: the touch that trades of its side take."""
        return Priced(AT_LEAST_NOTHING, "side unknown") if line.side is None else market(self.touch(line), line.side)

    def factor(self, line: Line) -> tuple[Interval, str]:
        """Multiplier times currency rate; from 0 up when either is unknown, with words for what is missing."""
        rate = self.tables.rate(line.instrument.currency, self.contract.currency)
        if line.instrument.multiplier is None:
            return AT_LEAST_NOTHING, f"multiplier of {line.label} unknown"
        if rate is None:
            return AT_LEAST_NOTHING, f"no rate {cut(line.instrument.currency or '?')} to {self.contract.currency}"
        words = "" if line.instrument.multiplier == 1 else f" × multiplier {text(line.instrument.multiplier)}"
        words += "" if rate == 1 else f" × rate {text(rate)}"
        return only(line.instrument.multiplier * rate), words

    def projected(self, line: Line) -> Interval:
        """The position on the line's side with all that works on it and this order; unknown without a side."""
        if line.key is None or line.side is None:
            return Interval(None, None)
        return self.ledger.projected(line.key, line.side, self.target) + line.adds

    def reducing(self, line: Line) -> bool | None:
        """Whether all of the line only takes from the position; one unit beyond makes the whole increasing."""
        request = self.request
        if request.action in (Action.CLOSE, Action.CLOSE_ALL):
            part = request.unit is Unit.PERCENT and request.quantity is not None and request.quantity <= 100
            whole = request.quantity is None and "quantity" not in unreadable(request)
            if whole or part:
                return True
        projected = self.projected(line)
        beyond = projected.above(Decimal(0))
        if beyond is None and request.quantity and line.key is not None and line.side is not None:
            # Nothing to take from is left before it, so an order of any size goes beyond.
            before = self.ledger.projected(line.key, line.side, self.target)
            beyond = True if before.low is not None and before.low >= 0 else None
        return None if beyond is None else not beyond

    def describe(self) -> str:
        """The request in a few words, for rationales."""
        request = self.request
        line = self.lines[0] if len(self.lines) == 1 else None
        if line is not None and not line.names and request.action is Action.CLOSE_ALL:
            line = None
        words = [request.action.value]
        if line is not None:
            words += [line.side.value if line.side else "", self._amount(line), line.label]
        elif self.lines and not all(line.names for line in self.lines):
            words.append("of positions that were not all read")
        elif self.lines:
            words.append(f"of {len(self.lines)} instruments")
        if request.type is not None and request.action in OPENING:
            words.append(request.type.value)
        return " ".join(word for word in words if word)

    def _amount(self, line: Line) -> str:
        """The quantity; what was sent in another unit than the position's prints as it was sent."""
        sent = self.request.quantity
        if sent is None or self.request.unit not in (Unit.QUOTE, Unit.PERCENT, Unit.UNKNOWN):
            return text(line.total)
        unit = {Unit.QUOTE: cut(line.instrument.currency or "(quote)"), Unit.PERCENT: "%"}.get(
            self.request.unit, "(unit unknown)"
        )
        return f"{text(abs(sent))} {unit} of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    What one rule says of one request.

    `overshoot` is (value - limit) / limit; null grades as `binary`. `bound` is what the rationale calls the limit.
    """

    rule: str
    verdict: Verdict
    why: str
    limit: str | None = None
    bound: str = "limit"
    observed: str | None = None
    overshoot: Decimal | None = None
    binary: Severity = "critical"
    soft: bool = False
    exchanges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Control:
    """One control: the contract keys that it evaluates, the rules it speaks for, and its judgement."""

    keys: tuple[str, ...]
    rules: tuple[str, ...]
    judge: Callable[[Case], Iterable[Finding]]


def verdict_of(breached: bool | None) -> Verdict:
    """True is a violation, false a pass, null indeterminate."""
    if breached is None:
        return Verdict.INDETERMINATE
    return Verdict.VIOLATION if breached else Verdict.PASS


def above(rule: str, value: Interval, limit: Decimal, why: str, *, exchanges: tuple[int, ...] = ()) -> Finding:
    """A limit from above: a breach only when the low end breaches, a pass only when the high end fits."""
    breached = value.above(limit)
    over = None
    if breached and value.low is not None:
        over = (value.low - limit) / limit if limit > 0 else Decimal("Infinity")
    return Finding(
        rule=rule,
        verdict=verdict_of(breached),
        why=why,
        limit=text(limit),
        observed=text(value),
        overshoot=over,
        exchanges=exchanges,
    )


_ORDER = {Verdict.PASS: 0, Verdict.INDETERMINATE: 1, Verdict.VIOLATION: 2}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """violation > indeterminate > pass; nothing is a pass."""
    return max(verdicts, key=_ORDER.__getitem__, default=Verdict.PASS)


def worst_line(case: Case, one: Callable[[Line], Finding | None]) -> Iterable[Finding]:
    """The worst finding over a request's lines; none when the rule applies to no line."""
    found = [finding for finding in map(one, case.lines) if finding is not None]
    if found:
        yield max(found, key=lambda finding: (_ORDER[finding.verdict], finding.overshoot or Decimal(0)))


def grade(finding: Finding, contract: Contract) -> Severity:
    """How bad a violation is: by overshoot, or by what the rule is; a contract may override it."""
    if finding.soft:
        return "warn"
    own = contract.severity.get(finding.rule)
    if own is not None:
        return own
    if finding.overshoot is None:
        return finding.binary
    if finding.overshoot <= Decimal("0.01"):
        return "minor"
    return "major" if finding.overshoot <= Decimal("0.25") else "critical"


def to_verdict(case: Case, finding: Finding) -> RuleVerdict:
    """The finding as it is stored, with its rationale."""
    words = {Verdict.VIOLATION: "breaches", Verdict.PASS: "keeps", Verdict.INDETERMINATE: "can't be judged by"}
    text_ = f"order {case.seq} ({case.describe()}) {words[finding.verdict]} {finding.rule}: {finding.why}"
    if finding.limit is not None:
        text_ += f"; {finding.bound} {finding.limit}"
    exchanges = dict.fromkeys(x for x in (case.request.exchange, *finding.exchanges) if x)
    if exchanges:
        text_ += f" [exchange{'s' if len(exchanges) > 1 else ''} {', '.join(str(x) for x in sorted(exchanges))}]"
    return RuleVerdict(
        order=case.seq,
        rule=finding.rule,
        verdict=finding.verdict,
        limit=finding.limit,
        observed=finding.observed,
        severity=grade(finding, case.contract) if finding.verdict is Verdict.VIOLATION else None,
        rationale=text_,
        refs=(Ref("order", case.seq), *(Ref("exchange", x) for x in exchanges)),
    )
