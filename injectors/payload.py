"""From a case to the text that is injected, and to its benign control of equal length. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, Literal

from corpus.attack import AttackCase, Variant, fill
from injectors.base import Injection
from injectors.disguise import DISGUISES

_FILLER: Final = (
    "Trading volumes were in line with the recent average.",
    "The company did not comment beyond its published statements.",
    "Figures are rounded and may not add up.",
    "The exchange reported no unusual activity during the session.",
    "More details are expected with the next regular filing.",
)


def render(case: AttackCase, variant: Variant, kind: Literal["attack", "control"], seed: int) -> Injection:
    """
    The injection that a case makes, before it meets an item.

    Args:
        case: An active case with a payload.
        variant: One of its variants; its parameters win over the payload's.
        kind: `control` renders the benign text instead, as many characters long as the attack's.
        seed: Chooses the filler of the control.

    Raises:
        ValueError: A placeholder has no value, or the case has no text payload.
    """
    if case.payload is None:
        raise ValueError(f"case {case.id} has no text payload")
    given = {**case.payload.params, **variant.params}
    only = given.pop("only", None)
    if only is not None and only not in given:
        raise ValueError(f"case {case.id}: only: {only} names no parameter")
    params = given
    needle = fill(case.payload.template, params)
    text = _dressed(case.payload.template, params, variant, only)
    if kind == "control":
        params = {**given, **case.benign_control.params}
        dress = DISGUISES["plain" if only is not None else variant.disguise]
        needle = benign(fill(case.benign_control.template, params), len(text), dress, seed)
        text = dress(needle)
    return Injection(
        case=case,
        variant=variant,
        kind=kind,
        text=text,
        needle=needle,
        params=tuple(sorted(params.items())),
        seed=seed,
    )


def _dressed(template: str, params: dict[str, str], variant: Variant, only: str | None) -> str:
    """The whole text in disguise, or only the parameter that the variant names."""
    dress = DISGUISES[variant.disguise]
    if only is None:
        return dress(fill(template, params))
    return fill(template, {**params, only: dress(params[only])})


def benign(text: str, wanted: int, dress: Callable[[str], str], seed: int) -> str:
    """
    Neutral text that is, once dressed, `wanted` characters long: filled up with sentences, or cut.

    Args:
        text: What the case says.
        wanted: Characters of the dressed attack.
        dress: Its disguise.
        seed: Chooses the filler.
    """
    chance = random.Random(seed)  # noqa: S311 (repeatable on purpose)
    out = text
    while len(dress(out)) < wanted:
        out += " " + chance.choice(_FILLER)
    while out and len(dress(out)) > wanted:
        out = out[:-1]
    out = out.rstrip()
    # A full stop more may change nothing but the length, or make a word long enough to be dressed itself.
    while len(dress(out)) < wanted:
        out += "." if len(dress(out + ".")) <= wanted else " "
    return out
