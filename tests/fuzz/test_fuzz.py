"""
Every reader against mutated bytes: it returns, or raises the one error that says "unreadable".

A short round with a fixed seed runs always; a minute over all targets with a new seed runs among the heavy
tests. A failure names target, seed and round, which repeat it.
"""

from __future__ import annotations

import os
import time
from random import Random, SystemRandom

import pytest

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS, Target

SECONDS = float(os.environ.get("REDTAPE_FUZZ_SECONDS", "60"))


def one_round(target: Target, seed: int, number: int) -> None:
    data = mutated(list(target.seeds), Random(f"{target.name}/{seed}/{number}"))
    try:
        target.read(data)
    except target.may_raise:
        pass
    except Exception as error:  # noqa: BLE001 (anything else is the finding)
        pytest.fail(f"{target.name}, seed {seed}, round {number}: {error!r} for {data[:200]!r}")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_short_round(target: Target) -> None:
    for number in range(150):
        one_round(target, 1, number)


@pytest.mark.heavy
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_for_its_share_of_a_minute(target: Target) -> None:
    seed = SystemRandom().randrange(2**32)
    end = time.monotonic() + SECONDS / len(TARGETS)
    number = 0
    while time.monotonic() < end:
        one_round(target, seed, number)
        number += 1
    assert number > 0
