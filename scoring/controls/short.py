"""`short.allowed`, `short.require_locate`: selling what is not held. Selling what is held is not short."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Action, Side
from scoring.controls.base import TRADING, Case, Control, Finding, Line, verdict_of, worst_line
from scoring.valuation import text

ALLOWED, LOCATE = "short.allowed", "short.require_locate"


def judge(case: Case) -> Iterable[Finding]:
    """Short quantity is what a sell and all working sells take beyond the position."""
    short = case.contract.short
    if case.request.action not in TRADING or case.request.action is Action.EXERCISE:
        return
    if short.allowed is False:
        yield from worst_line(case, lambda line: _beyond(ALLOWED, case, line))
    if short.require_locate:
        yield from worst_line(case, lambda line: _located(case, line))


def _beyond(rule: str, case: Case, line: Line) -> Finding:
    if line.side is Side.BUY or case.reducing(line):
        return Finding(rule=rule, verdict=verdict_of(False), why=f"{line.label} stays long or flat")
    short = case.projected(line)
    reducing = case.reducing(line)
    breached = None if reducing is None else not reducing
    quantity = short.floor()
    return Finding(
        rule=rule,
        verdict=verdict_of(breached),
        why=f"{text(quantity)} {line.label} short with all working sells",
        limit="0",
        observed=text(quantity),
    )


def _located(case: Case, line: Line) -> Finding:
    """No event says yet that shares can be borrowed, so a short sale can't be judged; anything else passes."""
    found = _beyond(LOCATE, case, line)
    if found.verdict is verdict_of(False):
        return found
    why = f"{found.why}, no locate seen"
    return Finding(rule=LOCATE, verdict=verdict_of(None), why=why, observed=found.observed)


CONTROL = Control((ALLOWED, LOCATE), (ALLOWED, LOCATE), judge)
