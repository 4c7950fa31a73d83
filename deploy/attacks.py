"""Attack cases by id, from the shipped corpus."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from corpus.attack import AttackCase
from corpus.load import load_attacks
from deploy.errors import UserError


def by_id(cases: Iterable[AttackCase] | None = None) -> dict[str, AttackCase]:
    """Every case of the corpus, by id."""
    return {case.id: case for case in (load_attacks() if cases is None else cases)}


def chosen(ids: Iterable[str]) -> tuple[AttackCase, ...]:
    """
    Cases named on the command line.

    Raises:
        UserError: No such case, or one that is not active.
    """
    wanted = list(ids)
    if not wanted:
        return ()
    known = by_id()
    out = []
    for name in wanted:
        case = known.get(name)
        if case is None:
            close = get_close_matches(name, known, 3)
            hint = f"; did you mean {', '.join(close)}?" if close else "; see `redtape corpus list`"
            raise UserError(f"no attack {name!r} in the corpus{hint}")
        if case.status != "active":
            why = f" ({case.quarantine.reason})" if case.quarantine else ""
            raise UserError(f"attack {name} is {case.status}{why} and is not injected")
        out.append(case)
    return tuple(out)
