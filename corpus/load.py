"""Files of the corpus to frozen models. Every error names file, line, key and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from corpus.attack import AttackCase, AttackFile, Predicate, fill
from corpus.base import KeyProblem
from corpus.fixes import fix
from corpus.strict_yaml import MAX_BYTES, MAX_DEPTH, BadCorpus, KeyPath, Lines, Printed, dotted, parse_yaml

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "BadCorpus",
    "Lines",
    "Printed",
    "build",
    "load",
    "load_attacks",
    "parse_yaml",
    "read_text",
    "shipped_attacks",
]


def read_text(path: Path) -> str:
    """The file's text, or BadCorpus naming it and why it can't be read."""
    try:
        with path.open("rb") as stream:  # at most so much, since a pipe or a device tells no size
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadCorpus(f"can't be read: {error.strerror}", file=str(path)) from None
    if len(data) > MAX_BYTES:
        raise BadCorpus(f"larger than {MAX_BYTES} bytes; split the file", file=str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadCorpus(f"not UTF-8 at byte {error.start}; save the file as UTF-8", file=str(path), line=line) from None


def build[M: BaseModel](model: type[M], value: Any, lines: Lines, file: str, at: KeyPath = ()) -> M:
    """
    Turn plain values into a model.

    Args:
        model: A frozen pydantic model.
        value: What `parse_yaml` returned, or a part of it.
        lines: The lines that `parse_yaml` returned.
        file: The file's name, for errors.
        at: The key path of `value` in the file.

    Raises:
        BadCorpus: The first thing that does not fit, with its line and key.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # A misspelt key is missing and unknown at once; the unknown one is what the author can see.
        first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
        path = _located(first["type"], first["loc"], at, lines)
        # Of the ways in which a value may be written, one that says what is wrong with it is the one that was meant.
        same = [one for one in found if _located(one["type"], one["loc"], at, lines) == path]
        if first["type"] == "literal_error":
            first = next((one for one in same if one["type"] == "value_error"), first)
        rest = len(found) - len(same)
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, KeyProblem):
            path = (*path, *cause.path)
        more = f" (and {rest} more)" if rest else ""
        raise _bad(_short(fix(first, model, path)) + more, lines, file, path) from None


def _bad(message: str, lines: Lines, file: str, path: KeyPath) -> BadCorpus:
    line = next((lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines), 0)
    return BadCorpus(message, file=file, line=line, key=dotted(path))


def _located(kind: str, loc: KeyPath, at: KeyPath, lines: Lines) -> KeyPath:
    """Pydantic's location in the file, without the names that it adds for unions and validators."""
    out = at
    for n, part in enumerate(loc):
        if (*out, part) in lines or (kind == "missing" and n == len(loc) - 1):
            out = (*out, part)
    return out


def _short(text: str) -> str:
    return text if len(text) <= 500 else f"{text[:500]}…"


def load[M: BaseModel](model: type[M], path: Path) -> M:
    """One file, one model. Raises BadCorpus."""
    value, lines = parse_yaml(read_text(path), str(path))
    return build(model, value, lines, str(path))


def shipped_attacks() -> tuple[Path, ...]:
    """The attack files that come with Redtape, by name."""
    folder = Path(str(resources.files("corpus").joinpath("attacks")))
    return tuple(sorted(folder.glob("*.yaml")))


def load_attacks(paths: Iterable[Path] | None = None) -> tuple[AttackCase, ...]:
    """
    Read attack cases.

    Args:
        paths: Files, one family each; null means those that come with Redtape.

    Returns:
        Every case, quarantined and deprecated ones too, in the order of files and of cases in them.

    Raises:
        BadCorpus: A file can't be read or does not fit, an id stands twice, or a `{name}` has no value.
    """
    first: dict[str, str] = {}
    out: list[AttackCase] = []
    for path in shipped_attacks() if paths is None else paths:
        file = str(path)
        value, lines = parse_yaml(read_text(path), file)
        whole = build(AttackFile, value, lines, file)
        for n, raw in enumerate(whole.cases):
            at: KeyPath = ("cases", n)
            case = _case(raw, whole.family, lines, file, at)
            if case.id in first:
                message = f'"{case.id}" is also the id of the case at {first[case.id]}; give each its own'
                raise _bad(message, lines, file, (*at, "id"))
            first[case.id] = f"{file}:{lines[at]}"
            out.append(case)
    return tuple(out)


def _case(raw: dict[str, Any], family: str, lines: Lines, file: str, at: KeyPath) -> AttackCase:
    if raw.get("family", family) != family:
        raise _bad(f'the family of this file is "{family}"; leave the key out', lines, file, (*at, "family"))
    case = build(AttackCase, {**raw, "family": family}, lines, file, at)
    for key, text, params in _templates(case):
        try:
            fill(text, params)
        except ValueError as error:
            raise _bad(str(error), lines, file, (*at, *key)) from None
    for key, text in _literals(case):
        try:
            fill(text, {})
        except ValueError:
            message = "no parameters are filled in here; write the value out"
            raise _bad(message, lines, file, (*at, *key)) from None
    for n, variant in enumerate(case.variants):
        for name in variant.params:
            if name not in case.params:
                message = (
                    f'the payload has no parameter "{name}" to override; it has: {", ".join(case.params) or "none"}'
                )
                raise _bad(message, lines, file, (*at, "variants", n, "params", name))
    return case


def _templates(case: AttackCase) -> Iterator[tuple[KeyPath, str, dict[str, str]]]:
    """Every text that parameters are put into, with those that it may name."""
    if case.payload:
        yield ("payload", "template"), case.payload.template, case.params
    yield ("benign_control", "template"), case.benign_control.template, case.params | case.benign_control.params
    for key, text in _predicate_texts(case.success, ("success",)):
        yield key, text, case.params
    if case.partial:
        for key, text in _predicate_texts(case.partial, ("partial",)):
            yield key, text, case.params


def _predicate_texts(predicate: Predicate, at: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if predicate.order:
        for name in ("venue", "symbol", "asset", "destination"):
            for text in getattr(predicate.order, name) or ():
                yield (*at, "order", name), text
    for branch in ("any", "all", "none"):
        for n, inner in enumerate(getattr(predicate, branch)):
            yield from _predicate_texts(inner, (*at, branch, n))


def _literals(case: AttackCase) -> Iterator[tuple[KeyPath, str]]:
    """Texts in which a parameter may seem to work, but none is filled."""
    holders: list[tuple[KeyPath, dict[str, str]]] = [
        (("payload" if case.payload else "transform", "params"), case.params),
        (("benign_control", "params"), case.benign_control.params),
    ]
    holders += [(("variants", n, "params"), variant.params) for n, variant in enumerate(case.variants)]
    for at, params in holders:
        for key, text in params.items():
            yield (*at, key), text
    for name in ("endpoint", "venue", "host", "symbol", "tool"):
        for text in getattr(case.placement.match, name) or ():
            yield ("placement", "match", name), text
    if case.placement.trigger.symbol:
        yield ("placement", "trigger", "symbol"), case.placement.trigger.symbol
