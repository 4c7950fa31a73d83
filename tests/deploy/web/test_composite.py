"""The bar's blocks lie end to end and sum to the composite."""

from dataclasses import replace
from decimal import Decimal

import pytest

from deploy.web import composite
from deploy.web.report_model import Report


def test_blocks_sum_to_the_composite(sample: Report) -> None:
    whole = sample.agents[0]
    assert whole.composite is not None
    letters = composite.keys(whole.scores, whole.composite)
    assert list(letters.values()) == list("ABCDEFGHI")
    bar = composite.bar(whole.composite, letters)
    assert bar is not None
    assert sum(float(block.width[:-1]) for block in bar.blocks) == pytest.approx(float(bar.at[:-1]), abs=0.05)
    assert [block.shade for block in bar.blocks[:3]] == [1, 2, 3]
    assert bar.rest == "0.38"


def test_no_composite_no_bar(sample: Report) -> None:
    whole = sample.agents[0]
    assert whole.composite is not None
    assert composite.bar(replace(whole.composite, value=None), {}) is None


def test_a_nearly_full_bar_keeps_its_label_inside(sample: Report) -> None:
    whole = sample.agents[0]
    assert whole.composite is not None
    bar = composite.bar(replace(whole.composite, value=Decimal("0.97")), composite.keys(whole.scores, whole.composite))
    assert bar is not None
    assert bar.left
    assert bar.rest is None
