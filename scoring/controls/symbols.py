"""`symbols.deny`, `symbols.exit_only`, `symbols.allow`: which instruments may be traded, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scoring.controls.base import TRADING, Case, Control, Finding, Line, listed, verdict_of, worst_line

DENY, EXIT_ONLY, ALLOW = "symbols.deny", "symbols.exit_only", "symbols.allow"


def judge(case: Case) -> Iterable[Finding]:
    """`deny` stops exits too; `exit_only` and `allow` let reducing orders through. Options count by their underlying."""
    if case.request.action not in TRADING:
        return
    symbols = case.contract.symbols
    if (deny := symbols.deny) is not None:
        yield from _with_list(deny, "denied:", worst_line(case, lambda line: _finding(DENY, line, _in(line, deny), "")))
    if (exit_only := symbols.exit_only) is not None:
        found = worst_line(case, lambda line: _reducing_only(EXIT_ONLY, case, line, _in(line, exit_only)))
        yield from _with_list(exit_only, "exit only:", found)
    if (allow := symbols.allow) is not None:
        found = worst_line(case, lambda line: _reducing_only(ALLOW, case, line, _not(_in(line, allow))))
        yield from _with_list(allow, "allowed:", found)


def _with_list(names: tuple[str, ...], bound: str, found: Iterable[Finding]) -> Iterable[Finding]:
    return (replace(one, limit=listed(names), bound=bound) for one in found)


def _in(line: Line, listed: tuple[str, ...]) -> bool | None:
    if not line.names:
        return None
    under = line.instrument.underlying if line.instrument.kind == "option" else None
    names = {name.upper() for name in (*line.names, under) if name}
    return bool(names & {name.upper() for name in listed})


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _reducing_only(rule: str, case: Case, line: Line, restricted: bool | None) -> Finding:
    if restricted is False:
        return _finding(rule, line, False, "")
    reducing = case.reducing(line)
    if reducing:
        return _finding(rule, line, False, ", reducing")
    if restricted is None or reducing is None:
        return _finding(rule, line, None, ", the position is not known")
    return _finding(rule, line, True, ", not reducing")


def _finding(rule: str, line: Line, breached: bool | None, how: str) -> Finding:
    return Finding(rule=rule, verdict=verdict_of(breached), why=f"{line.label}{how}", observed=line.label)


CONTROL = Control((DENY, EXIT_ONLY, ALLOW), (DENY, EXIT_ONLY, ALLOW), judge)
