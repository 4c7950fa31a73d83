"""Seeds that depend on names, the same on every machine."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from injectors.base import sub_seed


def test_a_seed_is_the_head_of_a_hash() -> None:
    digest = hashlib.sha256(b"7\0case\x00variant").digest()
    assert int.from_bytes(digest[:8], "big") >> 1 == sub_seed(7, "case", "variant")


@given(st.integers(), st.lists(st.text(max_size=5), max_size=3))
def test_seeds_fit_in_63_bits_and_repeat(seed: int, parts: list[str]) -> None:
    assert 0 <= sub_seed(seed, *parts) == sub_seed(seed, *parts) < 2**63


def test_other_names_give_other_seeds() -> None:
    assert 4 == len({sub_seed(1), sub_seed(2), sub_seed(1, "a"), sub_seed(1, "b")})


def test_half_a_surrogate_pair_is_a_name_too() -> None:
    """JSON can name one, and an item's id goes into its seed."""
    assert sub_seed(1, "\ud800") != sub_seed(1, "\ud801")
