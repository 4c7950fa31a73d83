"""What an injector takes and gives: a view and a plan in, edits out. Pure: no clock, no socket, no global random."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from corpus.attack import AttackCase, Variant
from proxy.wire.edit import Edit
from proxy.wire.views.text import TextItem, TextView


class CannotApply(ValueError):
    """The injection does not fit this item; the reason is journalled and nothing is changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """
    One intended change to one item of one exchange.

    `text` is the payload as it will be shown, disguise applied; `needle` the plain words to look for later.
    `seed` is stable for the item, so that an item served twice is poisoned alike.
    """

    case: AttackCase
    variant: Variant
    kind: Literal["attack", "control"]
    text: str
    needle: str
    params: tuple[tuple[str, str], ...]
    seed: int


type Injector = Callable[[TextView, TextItem, Injection], tuple[Edit, ...]]
"""Edits for one item of a view. Raises CannotApply."""


def sub_seed(seed: int, *parts: str) -> int:
    """A 63-bit seed that depends on a run's seed and on names, the same on every machine."""
    # Names come from the peer too, and JSON can name half a surrogate pair.
    digest = hashlib.sha256("\0".join((str(seed), *parts)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1
