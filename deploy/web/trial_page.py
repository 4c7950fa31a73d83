"""One trial's section: a trial in, everything that its template prints out, with all bounds applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from corpus.terms import Instant, Verdict
from deploy.web import chain, diff, summary, tape, verdict
from deploy.web.markup import anchor
from deploy.web.rates import SEVERITY, Numbered
from deploy.web.report_model import EditWindow, InjectionLine, Lane, OrderLine, TimelineEvent, TrialReport
from deploy.web.visible import whole_characters
from scoring.results import Ref, RuleVerdict

EVENTS: Final = 160
ORDERS: Final = 60
RULES: Final = 40
CHAINS: Final = 4
INJECTIONS: Final = 6
STDOUT: Final = 4_000
PICKS: Final = 12
"""Selections that the stylesheet has rules for."""
_KEY_LANES: Final[frozenset[Lane]] = frozenset({"injection", "order", "fill", "violation"})


_REFS: Final = {"llm_call": "LLM call", "tool_call": "tool call"}


@dataclass(frozen=True, slots=True)
class Listed:
    """One event of the list. `target` is where its mark leads, `pick` the number of its ring or 0."""

    number: int
    event: TimelineEvent
    id: Markup
    target: Markup
    pick: int


@dataclass(frozen=True, slots=True)
class Exhibit:
    """An injection, what it changed, and the orders on the thread that begins with it."""

    number: int
    id: Markup
    injection: InjectionLine
    rows: tuple[diff.Row, ...]
    written: int
    dump: str
    dumped: int
    caused: tuple[OrderLine, ...]
    pick: int


@dataclass(frozen=True, slots=True)
class OrderRow:
    """`verdict` is null for an intent: only the order that counts is judged."""

    line: OrderLine
    id: Markup
    verdict: Verdict | None
    rules: tuple[RuleVerdict, ...]
    pick: int


@dataclass(frozen=True, slots=True)
class Page:
    number: int
    trial: TrialReport
    sentence: verdict.Sentence
    events: tuple[Listed, ...]
    events_hidden: int
    tape: tape.Tape | None
    exhibits: tuple[Exhibit, ...]
    exhibits_hidden: int
    orders: tuple[OrderRow, ...]
    orders_hidden: int
    chains: tuple[tuple[Markup, chain.Chain, bool], ...]
    stages: tuple[tuple[summary.Stage, bool | None], ...]
    rules: tuple[RuleVerdict, ...]
    rules_hidden: int
    rules_pick: int
    stdout: bytes
    stdout_cut: int
    places: dict[Ref, Markup]

    def order_place(self, seq: int) -> Markup | None:
        """Where an order's line stands, when it is listed."""
        return self.places.get(Ref("order", seq))

    def links(self, refs: Sequence[Ref]) -> tuple[tuple[str, Markup], ...]:
        """References that can be followed on this page, as (words, id)."""
        named = [(f"{_REFS.get(ref.kind, ref.kind)} {ref.id + (ref.kind == 'injection')}", ref) for ref in refs]
        return tuple((text, self.places[ref]) for text, ref in named if ref in self.places)


def build(numbered: Numbered, currency: str) -> Page:
    """
    Assemble the section of one trial.

    Args:
        numbered: The trial and its number.
        currency: Of the contract, for limits.
    """
    number, trial = numbered
    events = _choose(trial.events)
    text = chain.injected_text(trial.injections) if trial.kind == "attack" else ""
    chains = [(chain.build(hops, text), caused) for hops, caused in _telling(trial)]
    orders, orders_hidden = _order_rows(number, trial)
    injections = trial.injections[:INJECTIONS]
    targets = [_target(number, trial, at, event, injections, orders) for at, event in enumerate(events, 1)]
    picks = _picks(events, targets)
    listed = tuple(
        Listed(at, event, anchor(number, "e", at), target, picks.get(target, 0))
        for at, (event, target) in enumerate(zip(events, targets, strict=True), 1)
    )
    rules = sorted(trial.score.verdicts, key=_rule_order)
    tail = trial.stdout[-STDOUT:]
    tail = tail[whole_characters(tail, head=len(trial.stdout) > len(tail), tail=False)[0] :]
    return Page(
        number=number,
        trial=trial,
        sentence=verdict.trial(trial, currency),
        events=listed,
        events_hidden=len(trial.events) - len(events),
        tape=tape.draw(trial.start_ns, events) if events else None,
        exhibits=_exhibits(number, trial, injections, picks),
        exhibits_hidden=len(trial.injections) - len(injections),
        orders=tuple(OrderRow(row.line, row.id, row.verdict, row.rules, picks.get(row.id, 0)) for row in orders),
        orders_hidden=orders_hidden,
        chains=tuple((anchor(number, "c", one.main.seq), one, caused) for one, caused in chains),
        stages=_stages(trial),
        rules=tuple(rules[:RULES]),
        rules_hidden=max(0, len(rules) - RULES),
        rules_pick=picks.get(anchor(number, "rules"), 0),
        stdout=tail,
        stdout_cut=max(trial.stdout_size, len(trial.stdout)) - len(tail),
        places=_places(number, trial, listed, orders, len(injections)),
    )


def _choose(events: Sequence[TimelineEvent]) -> tuple[TimelineEvent, ...]:
    """In order of time; of too many, those that a verdict rests on are kept."""
    ordered = sorted(events, key=lambda one: one.at_ns)
    if len(ordered) > EVENTS:
        first = sorted(range(len(ordered)), key=lambda at: (not ordered[at].cause, _lesser(ordered[at]), at))
        ordered = [ordered[at] for at in sorted(first[:EVENTS])]
    return tuple(ordered)


def _lesser(event: TimelineEvent) -> bool:
    return event.lane not in _KEY_LANES


def _telling(trial: TrialReport) -> list[tuple[tuple[OrderLine, ...], bool]]:
    """
    Chains worth a table of their own, and whether each hangs on the thread.

    Those that broke a rule or hang on the thread; where there are none, the first with several hops, as an
    example. The list of orders has them all.
    """
    broken = {one.order for one in trial.score.verdicts if one.verdict is Verdict.VIOLATION}
    caused = _caused(trial)
    groups = chain.group(trial.orders)
    telling = [(hops, any(line.seq in caused for line in hops)) for hops in groups]
    found = [one for one in telling if one[1] or any(line.seq in broken for line in one[0])]
    return (found or [one for one in telling if len(one[0]) > 1][:1])[:CHAINS]


def _caused(trial: TrialReport) -> set[int]:
    """Seqs on the thread; an order that merely broke a rule is not there."""
    if trial.kind != "attack":
        return set()
    return {event.order for event in trial.events if event.cause and event.order is not None}


def _stages(trial: TrialReport) -> tuple[tuple[summary.Stage, bool | None], ...]:
    """All stages of an attack; of a control those that are known, since nothing was to be obeyed."""
    found = tuple((stage, summary.reached(trial, stage)) for stage in summary.STAGES)
    if trial.kind == "attack":
        return found
    return tuple(one for one in found if one[1] is not None) if trial.kind == "control" else ()


def _order_rows(number: int, trial: TrialReport) -> tuple[tuple[OrderRow, ...], int]:
    by_order: dict[int, list[RuleVerdict]] = {}
    for one in trial.score.verdicts:
        by_order.setdefault(one.order, []).append(one)
    # Of too many, orders with a verdict other than pass stay.
    lines = sorted(trial.orders, key=lambda line: (line.seq not in by_order, line.at_ns, line.seq))[:ORDERS]
    rows = []
    for line in sorted(lines, key=lambda one: (one.at_ns, one.seq)):
        rules = tuple(sorted(by_order.get(line.seq, ()), key=_rule_order))
        worst = Verdict.PASS if line.counted else None
        if rules:
            broken = any(one.verdict is Verdict.VIOLATION for one in rules)
            worst = Verdict.VIOLATION if broken else Verdict.INDETERMINATE
        rows.append(OrderRow(line, anchor(number, "o", line.seq), worst, rules, 0))
    return tuple(rows), len(trial.orders) - len(lines)


def _rule_order(one: RuleVerdict) -> tuple[bool, int, int, str]:
    return one.verdict is not Verdict.VIOLATION, -SEVERITY.get(one.severity or "", 0), one.order, one.rule


def _target(
    number: int,
    trial: TrialReport,
    at: int,
    event: TimelineEvent,
    injections: Sequence[InjectionLine],
    orders: Sequence[OrderRow],
) -> Markup:
    """Where a mark leads: to the exhibit it stands for, else to its line in the list of events."""
    if event.lane == "injection":
        for position, one in enumerate(injections, 1):
            if one.exchange == event.exchange and one.at_ns == event.at_ns:
                return anchor(number, "i", position)
    if event.lane == "order":
        for row in orders:
            if row.line.seq == event.order:
                return row.id
    if event.lane == "violation" and trial.score.verdicts:
        return anchor(number, "rules")
    return anchor(number, "e", at)


def _picks(events: Sequence[TimelineEvent], targets: Sequence[Markup]) -> dict[Markup, int]:
    """Rings for the places that matter most; several marks may share one."""
    ranked = sorted(range(len(events)), key=lambda at: (not events[at].cause, _lesser(events[at]), at))
    return {target: pick for pick, target in enumerate(list(dict.fromkeys(targets[at] for at in ranked))[:PICKS], 1)}


def _exhibits(
    number: int, trial: TrialReport, injections: Sequence[InjectionLine], picks: dict[Markup, int]
) -> tuple[Exhibit, ...]:
    caused_seqs = _caused(trial)
    caused = tuple(
        chain.main_of(hops) for hops in chain.group(trial.orders) if any(line.seq in caused_seqs for line in hops)
    )
    out = []
    for position, injection in enumerate(injections, 1):
        place = anchor(number, "i", position)
        narrowed = [diff.narrow(window) for window in injection.windows]
        new = next((window for window in narrowed if window.new), None)
        # Orders stand beside the first edit that was made; every later one would only repeat them.
        first = all(not one.windows for one in injections[: position - 1]) and bool(injection.windows)
        out.append(
            Exhibit(
                position,
                place,
                injection,
                diff.rows(injection),
                diff.written(injection),
                diff.hexadecimal(new.new, _shown_at(narrowed, new.start)) if new else "",
                min(len(new.new), diff.HEX) if new else 0,
                caused if first else (),
                picks.get(place, 0),
            )
        )
    return tuple(out)


def _shown_at(windows: Sequence[EditWindow], start: int) -> int:
    return start + sum(len(one.new) - len(one.old) for one in windows if one.start < start)


def _places(
    number: int, trial: TrialReport, listed: Sequence[Listed], orders: Sequence[OrderRow], injections: int
) -> dict[Ref, Markup]:
    """Where the references of scores and rules can be followed to; what is not drawn has no link."""
    places: dict[Ref, Markup] = {}
    for one in listed:
        if one.event.exchange is not None:
            places.setdefault(Ref("exchange", one.event.exchange), one.id)
    places |= {Ref("order", row.line.seq): row.id for row in orders}
    places |= {Ref("injection", at): anchor(number, "i", at + 1) for at in range(injections)}
    return places


def took(trial: TrialReport) -> Instant | None:
    return None if trial.end_ns is None else trial.end_ns - trial.start_ns
