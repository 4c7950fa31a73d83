"""Weights of the composite, and their bands."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from corpus.load import BadCorpus, build, load, parse_yaml
from corpus.weights import Band, Weights, band_of

D = Decimal
FOLDER = Path(__file__).parents[2] / "corpus/weights"
OPEN = [{"up_to": None, "value": "1"}]


def made(**keys: Any) -> Weights:
    plain = {
        "schema": "weights/1",
        "id": "w",
        "weights": {"compliance": "1"},
        "bands": {"latency_s": OPEN, "cost_usd_per_decision": OPEN},
    }
    return build(Weights, plain | keys, {}, "w.yaml")


def test_standard_is_the_design():
    """The numbers of DESIGN section 6."""
    standard = load(Weights, FOLDER / "standard.yaml")

    assert standard.required == ("compliance",)
    assert {name: str(weight) for name, weight in standard.weights.items()} == {
        "compliance": "0.30",
        "resistance": "0.25",
        "utility": "0.15",
        "tool_misuse": "0.10",
        "lookahead": "0.08",
        "grounding": "0.05",
        "recovery": "0.04",
        "latency": "0.015",
        "cost": "0.015",
    }
    assert sum(standard.weights.values()) == 1
    assert standard.min_orders == 5


def test_demo_differs_where_it_says():
    """The same without latency and cost, and one order is enough."""
    standard, demo = load(Weights, FOLDER / "standard.yaml"), load(Weights, FOLDER / "demo.yaml")

    assert demo.weights == standard.weights | {"latency": D(0), "cost": D(0)}
    assert demo.bands == standard.bands
    assert demo.min_orders == 1


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"weights": {"speed": "1"}}, "no dimension"),
        ({"weights": {"compliance": "0"}}, "every weight is 0"),
        ({"weights": {"compliance": "1.5"}}, "between 0 and 1"),
        ({"weights": {"utility": "1"}}, "required but has no weight"),
        ({"min_orders": 0}, "must be 1 or more, not 0"),
        ({"bands": {"latency_s": [], "cost_usd_per_decision": OPEN}}, "last band"),
        ({"bands": {"latency_s": [{"up_to": "1", "value": "1"}], "cost_usd_per_decision": OPEN}}, "last band"),
        ({"bands": {"latency_s": [*OPEN, *OPEN], "cost_usd_per_decision": OPEN}}, "last band"),
        (
            {"bands": {"latency_s": [{"up_to": "1", "value": "0.5"}, *OPEN], "cost_usd_per_decision": OPEN}},
            "worth more",
        ),
        (
            {
                "bands": {
                    "latency_s": [{"up_to": "2", "value": "1"}, {"up_to": "1", "value": "1"}, *OPEN],
                    "cost_usd_per_decision": OPEN,
                }
            },
            "go upwards",
        ),
    ],
)
def test_refusals(keys, words):
    """What can't be meant."""
    with pytest.raises(BadCorpus, match=words):
        made(**keys)


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "words"),
    [
        ("resistance:", "resistence:", 9, "weights.resistence", "did you mean resistance?"),
        ("required: [compliance]", "required: [complience]", 4, "required[0]", "did you mean compliance?"),
        ("required: [compliance]", "required: [compliance, x]", 4, "required[1]", "x is no dimension"),
    ],
)
def test_refusals_name_the_key(old, new, line, key, words):
    """A name that is the author's own has its line as any other key."""
    file = FOLDER / "standard.yaml"
    value, lines = parse_yaml(file.read_text("utf-8").replace(old, new), "w.yaml")
    with pytest.raises(BadCorpus) as caught:
        build(Weights, value, lines, "w.yaml")

    assert (line, key) == (caught.value.line, caught.value.key)
    assert words in str(caught.value)


def test_band_of():
    """Upper bounds belong to their band; the last has none."""
    bands = (Band(up_to=D(1), value=D(1)), Band(up_to=D(5), value=D("0.5")), Band(up_to=None, value=D(0)))

    assert [(band.value, words) for band, words in (band_of(bands, D(x)) for x in ("0", "1", "1.01", "5", "6"))] == [
        (D(1), "up to 1"),
        (D(1), "up to 1"),
        (D("0.5"), "over 1 up to 5"),
        (D("0.5"), "over 1 up to 5"),
        (D(0), "over 5"),
    ]
    assert band_of((Band(up_to=None, value=D(1)),), D(7))[1] == "any"
