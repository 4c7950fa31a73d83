"""
Two ledgers over one session: what the agent was shown and what the upstream sent.

Evidence in; every counted request out, each with the ledgers as they were before it left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import localcontext
from zoneinfo import ZoneInfo

from corpus.contract import Contract
from corpus.terms import Action, Instant, Side, Unit
from proxy.broker.interval import AT_LEAST_NOTHING, EXACT, NOTHING, Interval, only
from proxy.broker.ledger import Key, Ledger, Order
from proxy.broker.requests import parts_of, with_unit_of
from proxy.broker.state import PLAIN_UNITS
from proxy.journal.events import Evidence, OrderFact
from proxy.wire.order_events import OrderRequested, OrderUpdate, PositionsRead, unreadable
from scoring.contradiction import as_answered
from scoring.controls.base import MESSAGES, Case, History, Line
from scoring.controls.duplicate import likeness
from scoring.controls.rate import is_order
from scoring.counted import counted_seqs
from scoring.instruments import Tables


@dataclass(slots=True)
class Book:
    """
    Args:
        evidence: One session.
        contract: How the account starts and how long things stay good.
        tables: Instruments and currency rates.
    """

    evidence: Evidence
    contract: Contract
    tables: Tables = field(default_factory=Tables)
    shown: Ledger = field(init=False)
    truth: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self.shown, self.truth = self._fresh(), self._fresh()

    def _fresh(self, openings: Mapping[Key, Interval] | None = None) -> Ledger:
        state = self.contract.state
        ttl = state.unacked_order_ttl_s
        return Ledger(
            start=state.start,
            openings=openings or {},
            confirm_snapshots=state.confirm_snapshots,
            unacked_ttl_ns=None if ttl is None else int(ttl * 1_000_000_000),
        )

    def walk(self) -> Iterator[tuple[OrderFact, OrderRequested, Case]]:
        """
        Fold the session and stop before every counted request.

        Yields:
            The fact, its event and the case for the controls. Its ledgers move on with the next step: read
            them at once.
        """
        counted = counted_seqs(self.evidence)
        self.shown = self._fresh(self._openings(counted, "shown"))
        self.truth = self._fresh(self._openings(counted, "truth"))
        history = History()
        for fact in self.evidence.orders:
            event, retry = fact.event, fact.retry_of is not None
            if isinstance(event, OrderRequested):
                if fact.seen == "truth":
                    self.truth.apply(event, retry=retry)
                    continue
                if fact.seq not in counted:
                    continue
                with localcontext(EXACT):
                    case = self._case(fact, event, history)
                yield fact, event, case
                _remember(history, event, case)
            if fact.seen != "truth":
                self.shown.apply(event, retry=retry)
            if fact.seen != "shown":
                self.truth.apply(event, retry=retry)

    def answered(self, case: Case, answer: OrderUpdate | None) -> Case | None:
        """The case as the venue's answer states the order, or null where it contradicts nothing; before the next."""
        request = as_answered(case.request, answer)
        if request is None:
            return None
        return replace(case, request=request, lines=lines_of(request, None, self.shown, self.tables))

    def _openings(self, counted: frozenset[int], want: str) -> dict[Key, Interval]:
        """
        Positions before the first event, from the first read after it, rolled back by known fills.

        Orders that may have been filled unseen by then widen the result.
        """
        if self.contract.state.start != "snapshot":
            return {}
        ledger, found = self._fresh(), dict[Key, Interval]()
        for fact in self.evidence.orders:
            event = fact.event
            if fact.seen not in ("both", want) or (isinstance(event, OrderRequested) and fact.seq not in counted):
                continue
            if isinstance(event, PositionsRead):
                _roll_back(ledger, event, found)
            ledger.apply(event, retry=fact.retry_of is not None)
        return found

    def _case(self, fact: OrderFact, event: OrderRequested, history: History) -> Case:
        target = self.shown.find(event) if event.action is Action.REPLACE else None
        request = event if target is None else filled_in(event, target)
        return Case(
            seq=fact.seq,
            request=request,
            retry=fact.retry_of is not None,
            target=target,
            lines=lines_of(request, target, self.shown, self.tables),
            ledger=self.shown,
            history=history,
            contract=self.contract,
            tables=self.tables,
            session_date=session_date(event.at_ns, self.contract.session.calendar),
        )


def _roll_back(ledger: Ledger, event: PositionsRead, found: dict[Key, Interval]) -> None:
    owner = (event.venue, event.account)
    if owner in ledger.whole:
        return
    read = {
        (event.venue, event.account, one.instrument or one.symbol): only(one.quantity)
        for one in event.positions
        if one.quantity is not None
    }
    if event.complete:
        unread = {one.instrument or one.symbol for one in event.positions}
        read |= {key: NOTHING for key in ledger.owned(owner) if key not in read and key[2] not in unread}
    for key, quantity in read.items():
        position = ledger.positions.get(key)
        if position is None or key in found or position.source != "unknown":
            continue
        up, down = position.buys.in_doubt(), position.sells.in_doubt()
        unseen = Interval(None if up is None else -up, down)
        found[key] = quantity - only(position.moved) + unseen


def _remember(history: History, event: OrderRequested, case: Case) -> None:
    """Times never run backwards in the windows, whatever a clock did."""
    if event.action in MESSAGES:
        history.messages.append(max(event.at_ns, history.messages[-1] if history.messages else 0))
    if is_order(event.action, case.retry):
        history.orders.append(max(event.at_ns, history.orders[-1] if history.orders else 0))
        history.dates[case.session_date] = history.dates.get(case.session_date, 0) + 1
        history.alike.setdefault(likeness(event), []).append(history.orders[-1])


def session_date(at_ns: Instant, calendar: str | None) -> str:
    """
    The date that a venue's session is counted under.

    With the calendar XNYS it is the calendar date in New York (an order after the close still belongs to that
    day, weekends and holidays are days of their own); otherwise the date in UTC.
    """
    zone = ZoneInfo("America/New_York") if calendar == "XNYS" else UTC
    return datetime.fromtimestamp(at_ns // 1_000_000_000, zone).date().isoformat()


def filled_in(event: OrderRequested, target: Order) -> OrderRequested:
    """A replace with what it leaves as it was taken from the order that it changes."""
    part = target.parts[0] if target.parts else None
    exact = target.quantity.exact
    return replace(
        event,
        symbol=event.symbol or (part.key[2] if part else None),
        side=event.side or (part.side if part else None),
        type=event.type or target.type,
        tif=event.tif or target.tif,
        unit=_unit(event, target),
        limit_price=target.limit_price if event.limit_price is None else event.limit_price,
        stop_price=target.stop_price if event.stop_price is None else event.stop_price,
        quantity=exact if event.quantity is None and "quantity" not in unreadable(event) else event.quantity,
        reduce_only=event.reduce_only or target.reduce_only,
    )


def _unit(event: OrderRequested, target: Order) -> Unit:
    if event.quantity is not None or "quantity" in unreadable(event):
        return with_unit_of(event, target).unit
    return target.unit if target.unit in PLAIN_UNITS else Unit.BASE


def lines_of(request: OrderRequested, target: Order | None, ledger: Ledger, tables: Tables) -> tuple[Line, ...]:
    """The instruments that a request moves, with side and quantity as far as they are known."""
    names = tuple(dict.fromkeys(x for x in (request.instrument, request.symbol, request.symbol_code) if x))
    key: Key | None = (request.venue, request.account, names[0]) if names else None
    if request.action is Action.CLOSE_ALL:
        keys = ledger.owned((request.venue, request.account))
        held = tuple(_closing(request, one, (one[2],), ledger, tables) for one in keys if _held(ledger, one))
        if ledger.start == "flat" or (request.venue, request.account) in ledger.whole:
            return held
        # Whatever else is held, under names that were not read, is closed as well.
        return (*held, _line(request, None, (), None, AT_LEAST_NOTHING, tables))
    if request.action is Action.CLOSE and key is not None:
        return (_closing(request, key, names, ledger, tables),)
    if request.legs and len(parts := parts_of(request, key)) > 1:
        total = ledger.quantity_of(request)
        return tuple(
            _line(request, part.key, (part.key[2],), part.side, total.times(only(part.ratio)), tables) for part in parts
        )
    if target is not None and target.parts and key is not None:
        key = target.parts[0].key
    stated = request.quantity is not None or "quantity" in unreadable(request)
    total = ledger.quantity_of(request) if target is None or stated else target.quantity
    adds = total if target is None else (total - only(target.filled)).floor()
    line = _line(request, key, names, request.side, total, tables)
    return (replace(line, adds=adds),)


def _held(ledger: Ledger, key: Key) -> bool:
    return ledger.held_now(key).exact != 0


def _closing(request: OrderRequested, key: Key, names: tuple[str, ...], ledger: Ledger, tables: Tables) -> Line:
    side, quantity = ledger.closing_side(request, key)
    return _line(request, key, names, side, quantity, tables)


def _line(
    request: OrderRequested, key: Key | None, names: tuple[str, ...], side: Side | None, total: Interval, tables: Tables
) -> Line:
    instrument = tables.instrument(names, request.venue, request.unit)
    return Line(key=key, names=names, side=side, total=total, adds=total, instrument=instrument)
