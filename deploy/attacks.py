"""Attack cases by id, from the shipped corpus or from a file of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from corpus.attack import AttackCase
from corpus.load import load_attacks
from deploy.errors import UserError


def by_id(cases: Iterable[AttackCase] | None = None) -> dict[str, AttackCase]:
    """Every case of the corpus, by id."""
    return {case.id: case for case in (load_attacks() if cases is None else cases)}


def chosen(names: Iterable[str]) -> tuple[AttackCase, ...]:
    """
    Cases named on the command line: an id of the corpus, `FILE.yaml#ID`, or a file that holds one active case.

    Raises:
        UserError: No such case, or one that is not active.
        BadCorpus: A file does not fit.
    """
    wanted = list(names)
    if not wanted:
        return ()
    known = by_id()
    return tuple(_active(known[name] if name in known else _elsewhere(name, known), name) for name in wanted)


def _active(case: AttackCase, name: str) -> AttackCase:
    if case.status != "active":
        why = f" ({case.quarantine.reason})" if case.quarantine else ""
        raise UserError(f"attack {name} is {case.status}{why} and is not injected")
    return case


def _elsewhere(name: str, known: Mapping[str, AttackCase]) -> AttackCase:
    """A case of a file."""
    file, mark, wanted = name.rpartition("#")
    if not mark or not _looks_like_file(file):
        file, wanted = name, ""
    if not _looks_like_file(file):
        raise UserError(f"no attack {name!r} in the corpus{_hint(name, known)}")
    if not Path(file).is_file():
        raise UserError(f"--attack {name}: no file {file}")
    cases = by_id(load_attacks([Path(file)]))
    case = _named(file, wanted, cases) if wanted else _only(file, cases)
    shipped = known.get(case.id)
    if shipped is not None and shipped.version == case.version and shipped != case:
        # Evidence names a case by id and version: it would be scored as the shipped one.
        raise UserError(
            f"--attack {name}: the corpus has another {case.id} version {case.version}; give this one an id of its own"
        )
    return case


def _looks_like_file(name: str) -> bool:
    return name.endswith((".yaml", ".yml")) or ("/" in name and Path(name).is_file())


def _named(file: str, wanted: str, cases: Mapping[str, AttackCase]) -> AttackCase:
    if wanted not in cases:
        raise UserError(f"no attack {wanted!r} in {file}; it holds {', '.join(cases)}")
    return cases[wanted]


def _only(file: str, cases: Mapping[str, AttackCase]) -> AttackCase:
    active = [case for case in cases.values() if case.status == "active"]
    if len(active) != 1:
        held = ", ".join(case.id for case in active) or "none"
        raise UserError(f"--attack {file}: one active case is wanted, it holds {held}; name one: {file}#ID")
    return active[0]


def _hint(name: str, known: Mapping[str, AttackCase]) -> str:
    close = get_close_matches(name, known, 3)
    return f"; did you mean {', '.join(close)}?" if close else "; see `redtape corpus list`"
