"""From a case to the text that is injected, and to its benign control of equal length. Pure."""

from __future__ import annotations

import random
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
    params = {**case.payload.params, **variant.params}
    attack = fill(case.payload.template, params)
    dress = DISGUISES[variant.disguise]
    text = attack
    if kind == "control":
        control_params = {**params, **case.benign_control.params}
        text = benign(fill(case.benign_control.template, control_params), attack, variant, seed)
        params = control_params
    return Injection(
        case=case,
        variant=variant,
        kind=kind,
        text=dress(text),
        needle=text,
        params=tuple(sorted(params.items())),
        seed=seed,
    )


def benign(text: str, attack: str, variant: Variant, seed: int) -> str:
    """Neutral text that is, dressed alike, exactly as long as the attack: filled up with sentences, or cut."""
    dress = DISGUISES[variant.disguise]
    wanted = len(dress(attack))
    chance = random.Random(seed)  # noqa: S311 (repeatable on purpose)
    out = text
    while len(dress(out)) < wanted:
        out += " " + chance.choice(_FILLER)
    while len(dress(out)) > wanted:
        out = out[:-1]
    # A cut can fall so that the dress jumps past the mark; full stops make up the rest.
    out = out.rstrip()
    while len(dress(out)) < wanted:
        out += "."
    return out if len(dress(out)) == wanted else (out + "." * wanted)[: max(1, wanted - (len(dress(".")) - 1))]
