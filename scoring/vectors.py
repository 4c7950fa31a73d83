"""
Acceptance vectors of risk contracts: a case in the form of `tests/vectors/risk/risk.yaml` to order events and verdicts.

Pure: plain values in (as `corpus.load.parse_yaml` returns them), one row per expectation out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from corpus.contract import Contract
from corpus.terms import Action, OrderType, Side, Source, TimeInForce, Unit, decimal, decimal_text, instant
from proxy.journal.events import Evidence, OrderFact, SessionMeta
from proxy.wire.order_events import (
    AccountRead,
    KillSet,
    OrderEvent,
    OrderRequested,
    OrderUpdate,
    PositionSeen,
    PositionsRead,
    QuoteSeen,
    UpdateKind,
)
from scoring.dimensions.compliance import grade_compliance
from scoring.instruments import Instrument, Tables
from scoring.judge import Judged, judge_session

VENUE: Final = "alpaca"
MIN_ORDERS: Final = 5
"""Vectors are graded with the standard minimum."""


@dataclass(frozen=True, slots=True)
class Row:
    """One expectation: what was expected of an order or of the whole, and what came out."""

    id: str
    order: str
    expected: tuple[str, ...]
    got: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.expected == self.got


class BadVector(ValueError):
    """The case is not in the form of a vector."""


def run_vector(case: Mapping[str, Any]) -> tuple[Row, ...]:
    """
    Judge one vector.

    Args:
        case: id, contract, given, events, expect.

    Returns:
        A row per expectation: (verdict, rules…), where rules are those whose own verdict equals the order's,
        compared where the vector names them.

    Raises:
        BadVector: An event or a field that this form does not have.
        pydantic.ValidationError: The contract is none.
    """
    told = Telling(case)
    judged = judge_session(told.evidence(), contract_of(case), told.tables())
    verdicts = judged.by_order()
    rows = []
    for name, want in case["expect"].items():
        if name == "_summary":
            rows += _summary(case["id"], want, judged)
            continue
        seqs = told.names.get(name)
        if not seqs:
            raise BadVector(f"{case['id']}: expect names {name}, which no event sends")
        verdict = verdicts[seqs[0]]
        rules = sorted(one.rule for one in judged.verdicts if one.order == seqs[0] and one.verdict is verdict)
        expected, got = [want["verdict"]], [verdict.value]
        if "rules" in want:
            expected, got = expected + sorted(want["rules"]), got + rules
        if "retries" in want:
            expected, got = [*expected, f"retries={want['retries']}"], [*got, f"retries={len(seqs) - 1}"]
        rows.append(Row(case["id"], name, tuple(expected), tuple(got)))
    return tuple(rows)


def _summary(id_: str, want: Mapping[str, Any], judged: Judged) -> list[Row]:
    score = grade_compliance(judged, MIN_ORDERS)
    value = score.value
    got = {
        "compliance_score": None if value is None else decimal_text(value),
        "reason": score.reason,
        "abstained": not judged.orders,
        "unexplained_adjustments": len(judged.adjustments),
    }
    rows = []
    for key, expected in want.items():
        if key not in got:
            raise BadVector(f"{id_}: _summary has no {key}; it has {', '.join(got)}")
        found: Any = got[key]
        if key == "compliance_score" and value is not None and (number := decimal(expected)) is not None:
            found = expected if number == value else found
        rows.append(Row(id_, f"_summary.{key}", (str(expected),), (str(found),)))
    return rows


def contract_of(case: Mapping[str, Any]) -> Contract:
    """The vector's contract; it gives only the keys that matter, so the frame is added."""
    frame = {"schema": "risk-contract/1", "id": str(case["id"]).lower(), "version": 1}
    return Contract.model_validate(frame | dict(case["contract"]))


class Telling:
    """A vector told as the facts of a session: what is given first, then each event behind fresh quotes."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.id: str = case["id"]
        self.given: Mapping[str, Any] = case.get("given") or {}
        self.facts: list[OrderFact] = []
        self.names: dict[str, list[int]] = {}
        self.symbols: set[str] = set(self.given.get("quotes") or {})
        self._sent: dict[str, tuple[str, int]] = {}
        self._acked: set[str] = set()
        self._exchange = 0
        self._open(case)
        for event in case["events"]:
            self._tell(dict(event))

    def evidence(self) -> Evidence:
        """The session."""
        at_ns = self.facts[0].event.at_ns if self.facts else 0
        meta = SessionMeta(id=self.id, created_ns=at_ns, closed_ns=at_ns, status="closed")
        return Evidence(
            meta=meta,
            exchanges=(),
            orders=tuple(self.facts),
            chains=(),
            injections=(),
            llm_calls=(),
            tool_calls=(),
            ingested=(),
            blocked=(),
            notes=(),
        )

    def tables(self) -> Tables:
        """Instruments: shares in dollars unless the vector says otherwise."""
        told = self.given.get("instruments") or {}
        fx = {pair: _number(rate) for pair, rate in (self.given.get("fx") or {}).items()}
        return Tables(instruments={name: _instrument(told.get(name, {})) for name in self.symbols | set(told)}, fx=fx)

    def _open(self, case: Mapping[str, Any]) -> None:
        events = case["events"]
        at_ns = _time(events[0]["t"]) if events else 0
        start = (case["contract"].get("state") or {}).get("start", "snapshot")
        if "pos" in self.given or start == "snapshot":
            self._positions(at_ns, self.given.get("pos") or {})
        equity = self.given.get("equity") or {}
        for key in ("start", "now"):
            if key in equity:
                self._add(AccountRead(at_ns=at_ns, exchange=self._next(), venue=VENUE, equity=_number(equity[key])))
        if "buying_power" in self.given:
            power = _number(self.given["buying_power"])
            self._add(AccountRead(at_ns=at_ns, exchange=self._next(), venue=VENUE, buying_power=power))

    def _next(self) -> int:
        self._exchange += 1
        return self._exchange

    def _add(self, event: OrderEvent, retry_of: int | None = None) -> int:
        seq = len(self.facts) + 1
        self.facts.append(OrderFact(seq=seq, event=event, retry_of=retry_of))
        return seq

    def _tell(self, event: dict[str, Any]) -> None:
        at_ns = _time(event.pop("t"))
        for symbol, quote in (self.given.get("quotes") or {}).items():
            self._quote(at_ns, symbol, quote)
        name = event.pop("as", None)
        if len(event) != 1:
            raise BadVector(f"{self.id}: an event is one of {', '.join(_EVENTS)}, got {', '.join(event) or 'nothing'}")
        ((kind, value),) = event.items()
        if kind not in _EVENTS:
            raise BadVector(f"{self.id}: no event is called {kind}; events are {', '.join(_EVENTS)}")
        match kind:
            case "submit":
                self._submit(at_ns, value)
            case "cancel_req":
                self._request(at_ns, name or f"cancel {value}", Action.CANCEL, client_order_id=value)
            case "replace":
                self._replace(at_ns, value)
            case "snapshot":
                self._positions(at_ns, value)
            case "equity":
                self._add(AccountRead(at_ns=at_ns, exchange=self._next(), venue=VENUE, equity=_number(value)))
            case "kill":
                self._add(KillSet(at_ns=at_ns, mode=value, by="vector"))
            case _:
                self._update(at_ns, kind, value)

    def _quote(self, at_ns: int, symbol: str, quote: Mapping[str, Any]) -> None:
        age = _number(quote.get("age_s", 0))
        self._add(
            QuoteSeen(
                at_ns=at_ns,
                exchange=self._next(),
                venue=VENUE,
                symbol=symbol,
                bid=_maybe(quote.get("bid")),
                ask=_maybe(quote.get("ask")),
                underlying=_maybe(quote.get("underlying")),
                quoted_at_ns=at_ns - int(age * 1_000_000_000),
            )
        )

    def _positions(self, at_ns: int, held: Mapping[str, Any]) -> None:
        self.symbols |= set(held)
        positions = tuple(PositionSeen(symbol=name, quantity=_number(quantity)) for name, quantity in held.items())
        self._add(PositionsRead(at_ns=at_ns, exchange=self._next(), venue=VENUE, positions=positions))

    def _submit(self, at_ns: int, value: Mapping[str, Any]) -> None:
        known = {"id", "sym", "side", "type", "qty", "notional", "limit", "stop", "tif", "reduce_only"}
        if extra := set(value) - known:
            raise BadVector(f"{self.id}: submit has no {', '.join(sorted(extra))}")
        self.symbols.add(value["sym"])
        amount = value.get("qty", value.get("notional"))
        self._request(
            at_ns,
            value["id"],
            Action.PLACE,
            client_order_id=value["id"],
            symbol=value["sym"],
            side=Side(value["side"]),
            type=OrderType(value["type"]),
            quantity=_maybe(amount),
            unit=Unit.SHARE if "qty" in value else Unit.QUOTE,
            limit_price=_maybe(value.get("limit")),
            stop_price=_maybe(value.get("stop")),
            tif=TimeInForce(value["tif"]) if "tif" in value else None,
            reduce_only=bool(value.get("reduce_only", False)),
            body_key=repr(sorted((key, str(item)) for key, item in value.items() if key != "id")),
        )

    def _replace(self, at_ns: int, value: Mapping[str, Any]) -> None:
        old, new = value["id"], value["new_id"]
        self._sent[new] = ("", self._exchange + 1)
        acked = old in self._acked
        self._request(
            at_ns,
            new,
            Action.REPLACE,
            client_order_id=new if acked else old,
            venue_order_id=_venue_id(old) if acked else None,
            quantity=_maybe(value.get("qty")),
            unit=Unit.SHARE,
            limit_price=_maybe(value.get("limit")),
            stop_price=_maybe(value.get("stop")),
        )

    def _request(self, at_ns: int, name: str, action: Action, **fields: Any) -> None:
        exchange, body = self._next(), fields.get("body_key", "")
        retry_of = None
        if action is Action.PLACE:
            again = self._sent.get(name)
            retry_of = self.names[name][0] if again is not None and again[0] == body else None
            self._sent[name] = (body, exchange)
        event = OrderRequested(at_ns=at_ns, exchange=exchange, source=Source.WIRE, venue=VENUE, action=action, **fields)
        self.names.setdefault(name, []).append(self._add(event, retry_of))

    def _update(self, at_ns: int, kind: str, value: Any) -> None:
        id_ = value["id"] if isinstance(value, dict) else value
        if id_ not in self._sent:
            raise BadVector(f"{self.id}: {kind} names {id_}, which was never sent")
        fields: dict[str, Any] = {"client_order_id": id_, "venue_order_id": _venue_id(id_)}
        if kind in ("ack", "reject"):
            fields["answers"] = 0
        if kind == "fill":
            fields |= {"fill_quantity": _number(value["qty"]), "fill_price": _maybe(value.get("px"))}
            fields["execution_id"] = f"x{len(self.facts)}"
        if kind == "replaced":
            fields |= {"client_order_id": None, "replaced_by": _venue_id(value["new_id"])}
        self._acked.add(id_)
        exchange = self._sent[id_][1] if "answers" in fields else self._next()
        self._add(OrderUpdate(at_ns=at_ns, exchange=exchange, venue=VENUE, kind=_UPDATES[kind], **fields))


_UPDATES: Final[dict[str, UpdateKind]] = {
    "ack": "acked",
    "reject": "rejected",
    "fill": "partially_filled",
    "canceled": "canceled",
    "replaced": "replaced",
}
_EVENTS: Final = ("submit", "cancel_req", "replace", "snapshot", "equity", "kill", *_UPDATES)


def _venue_id(id_: str) -> str:
    return f"venue-{id_}"


def _time(text: str) -> int:
    at_ns = instant(text)
    if at_ns is None:
        raise BadVector(f'"{text}" is no time; write 2026-11-25T15:00:00Z')
    return at_ns


def _number(value: object) -> Decimal:
    number = decimal(value)
    if number is None:
        raise BadVector(f'"{value}" is no decimal number')
    return number


def _maybe(value: object) -> Decimal | None:
    return None if value is None else _number(value)


def _instrument(told: Mapping[str, Any]) -> Instrument:
    kind = told.get("kind", "equity")
    plain = Decimal(1) if kind not in ("option", "future") else None
    multiplier = _number(told["multiplier"]) if "multiplier" in told else plain
    return Instrument(kind=kind, multiplier=multiplier, currency=told.get("ccy", "USD"), tick=_maybe(told.get("tick")))


def run_vectors(cases: Iterable[Mapping[str, Any]]) -> tuple[Row, ...]:
    """Every row of every case, in order. Raises what `run_vector` raises."""
    return tuple(row for case in cases for row in run_vector(case))
