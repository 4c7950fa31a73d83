"""
The real `redtape` command, with one attack more in its corpus: `bench-news` edits every news body.

Shipped cases stop after a few items, as an attack should; a benchmark needs one that does not.
"""

from __future__ import annotations

import sys

import deploy.attacks
from corpus.attack import AttackCase
from corpus.load import load_attacks
from deploy.cli import main
from tests.bench.cells import SYMBOL

NAME = "bench-news"


def case() -> AttackCase:
    """The hidden order of the shipped corpus, on every item of the benchmark's symbol."""
    shipped = next(one for one in load_attacks() if one.id == "news-hidden-order")
    data = shipped.model_dump(mode="json")
    data["id"] = NAME
    data["placement"]["match"] = {"symbol": SYMBOL}
    data["placement"]["trigger"] = {"nth": 1, "limit": 10**9}
    return AttackCase.model_validate(data)


def all_cases() -> tuple[AttackCase, ...]:
    """The corpus with it."""
    return (*load_attacks(), case())


if __name__ == "__main__":
    deploy.attacks.load_attacks = all_cases
    sys.exit(main())
