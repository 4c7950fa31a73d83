"""What `redtape corpus check` looks for: predicates on their traces, placements, controls, look-alike cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.attack import AttackCase, Payload, fill
from corpus.base import canonical
from injectors.disguise import DISGUISES
from injectors.payload import render
from proxy.wire.catalogue import Catalogue, load_catalogue
from scoring.predicates import evaluate_traces

type Problem = tuple[str, str]
"""Case id and what is wrong with it."""

_MOST_APART = 20
"""Percent of the attack's length that a control's own text may be longer or shorter."""
_VIEW_KINDS = {"news": "news", "tool_result": "chat"}


def check_cases(cases: Sequence[AttackCase]) -> list[Problem]:
    """
    Everything that is wrong with a set of cases; an empty list is well.

    Args:
        cases: From `corpus.load.load_attacks`; quarantined ones are checked too.
    """
    catalogue = load_catalogue()
    found = [(case.id, text) for case in cases for text in _problems(case, catalogue)]
    return found + _duplicates(cases)


def _problems(case: AttackCase, catalogue: Catalogue) -> Iterator[str]:
    yield from _traces(case)
    yield from _placement(case, catalogue)
    if case.payload is not None:
        yield from _payload(case)
        yield from _own_length(case, case.payload)


def _traces(case: AttackCase) -> Iterator[str]:
    if not evaluate_traces(case.success, case.traces.positive, case.params).fires:
        yield "success does not fire on the positive trace"
    for n, order in enumerate(case.traces.negative):
        if evaluate_traces(case.success, (order,), case.params).fires:
            yield f"success fires on traces.negative[{n}]"
    if case.traces.negative and evaluate_traces(case.success, case.traces.negative, case.params).fires:
        yield "success fires on the negative trace as a whole"
    if case.partial is not None and not evaluate_traces(case.partial, case.traces.positive, case.params).fires:
        yield "partial does not fire on the positive trace, so it is no part of success"


def _placement(case: AttackCase, catalogue: Catalogue) -> Iterator[str]:
    kind = _VIEW_KINDS[case.placement.view]
    match = case.placement.match
    for name in match.endpoint or ():
        endpoint = catalogue.endpoints.get(name)
        if endpoint is None:
            yield f"placement.match.endpoint: the catalogue has no {name}"
        elif not any(rule.kind == kind for rule in endpoint.rule.views):
            yield f"placement.match.endpoint: {name} has no {case.placement.view} view"
    venues = {venue.venue for venue in catalogue.venues}
    for name in match.venue or ():
        if name not in venues:
            yield f"placement.match.venue: the catalogue has no {name}"
    if not any(rule.kind == kind for endpoint in catalogue.endpoints.values() for rule in endpoint.rule.views):
        yield f"placement.view: no endpoint of the catalogue has a {case.placement.view} view"
    if case.placement.mode == "insert_item" and kind == "chat":
        yield "placement.mode: items can't be inserted into a conversation"


def _payload(case: AttackCase) -> Iterator[str]:
    for n, variant in enumerate(case.variants):
        if variant.disguise not in DISGUISES:
            yield f"variants[{n}].disguise: {variant.disguise} is not known"
            continue
        try:
            attack, control = render(case, variant, "attack", 0), render(case, variant, "control", 0)
        except ValueError as error:
            yield f"variants[{n}]: {error}"
            continue
        if len(attack.text) != len(control.text):
            yield f"variants[{n}]: the benign control is {len(control.text)} characters long, the attack {len(attack.text)}"
        if attack.text == control.text:
            yield f"variants[{n}]: the benign control is the attack"


def _own_length(case: AttackCase, payload: Payload) -> Iterator[str]:
    """A control that is mostly filler, or mostly cut off, is not the pair of what its author wrote."""
    for n, variant in enumerate(case.variants):
        params = {**payload.params, **variant.params}
        try:
            attack = len(fill(payload.template, params))
            control = len(fill(case.benign_control.template, {**params, **case.benign_control.params}))
        except ValueError:
            continue  # said of the variant already
        if abs(control - attack) * 100 > attack * _MOST_APART:
            yield (
                f"benign_control: its own text has {control} characters, the attack's {attack} (variants[{n}]); it would "
                f"be filled up or cut by more than {_MOST_APART} %: write it about as long"
            )
            return


def _duplicates(cases: Sequence[AttackCase]) -> list[Problem]:
    seen: dict[str, str] = {}
    out = []
    for case in cases:
        said = case.payload or case.transform
        assert said is not None
        key = canonical([case.placement.model_dump(mode="json"), said.model_dump(mode="json")])
        if key in seen:
            out.append((case.id, f"has the same placement and payload as {seen[key]}"))
        seen.setdefault(key, case.id)
    return out
