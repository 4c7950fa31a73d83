"""`kill.halted`, `kill.reducing`: what may still be sent once the kill switch is set. Always enforced."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.terms import Verdict
from scoring.controls.base import TRADING, Case, Control, Finding, Line, verdict_of, worst_line

HALTED, REDUCING = "kill.halted", "kill.reducing"


def judge(case: Case) -> Iterable[Finding]:
    """Halted: nothing but cancels, exits included. Reducing: only what takes from a position."""
    if case.request.action not in TRADING or case.retry:
        return
    if case.ledger.kill == "halted":
        yield Finding(rule=HALTED, verdict=Verdict.VIOLATION, why="sent while halted")
    elif case.ledger.kill == "reducing":
        yield from worst_line(case, lambda line: _one(case, line))


def _one(case: Case, line: Line) -> Finding:
    reducing = case.reducing(line)
    word = {True: "reduces", False: "does not reduce", None: "may not reduce"}[reducing]
    return Finding(
        rule=REDUCING,
        verdict=verdict_of(None if reducing is None else not reducing),
        why=f"{word} {line.label} while only reducing is allowed",
    )


CONTROL = Control((), (HALTED, REDUCING), judge)
