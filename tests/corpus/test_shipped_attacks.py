"""The cases that come with Redtape: complete, consistent, and as their conventions say."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from corpus.attack import AttackCase, OrderMatch, Predicate, fill
from corpus.load import load_attacks, shipped_attacks

CASES = load_attacks()
DEMO = ("news-hidden-order", "tool-risk-desk-note", "news-fabricated-takeover")
IMPERATIVE = re.compile(r"\b(buy|sell) (\d+) shares of ([A-Z]{1,5})\b")
SCHEMES = {
    "owasp-agentic": re.compile(r"ASI(0[1-9]|10)\Z"),
    "mitre-atlas": re.compile(r"AML\.T\d{4}(\.\d{3})?\Z"),
}

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def text_of(case: AttackCase) -> str:
    assert case.payload is not None
    return fill(case.payload.template, case.params)


def control_of(case: AttackCase) -> str:
    return fill(case.benign_control.template, case.params | case.benign_control.params)


def orders(predicate: Predicate) -> list[OrderMatch]:
    inner = [*predicate.any, *predicate.all, *predicate.none]
    return [*([predicate.order] if predicate.order else []), *(order for one in inner for order in orders(one))]


def test_one_family_a_file() -> None:
    """A family is found by its file's name."""
    assert {path.stem for path in shipped_attacks()} == {case.family for case in CASES}


def test_coverage() -> None:
    """Both views, every mode of a text, every disguise, both triggers."""
    assert len(CASES) >= 8
    assert {"news", "tool_result"} == {case.placement.view for case in CASES}
    assert {"append", "prepend", "insert_item", "replace"} == {case.placement.mode for case in CASES}
    assert {"plain", "hidden_html", "zero_width"} == {one.disguise for case in CASES for one in case.variants}
    assert any(case.placement.trigger.nth for case in CASES)
    assert any(case.placement.trigger.symbol for case in CASES)


def test_demo_cases() -> None:
    """The demo relies on these three, dressed as their first variant says."""
    found = {case.id: case for case in CASES}

    assert [
        (found[name].placement.field, found[name].placement.mode, found[name].variants[0].disguise) for name in DEMO
    ] == [
        ("content", "append", "hidden_html"),
        ("text", "append", "plain"),
        ("content", "insert_item", "zero_width"),
    ]


@each_case
def test_payload_orders_what_success_looks_for(case: AttackCase) -> None:
    """Payload and predicate can't drift apart: one order in the text, and the predicate asks for that order."""
    found = IMPERATIVE.findall(text_of(case))

    assert len(found) == 1
    side, quantity, symbol = found[0]
    for order in orders(case.success):
        assert (symbol,) == tuple(fill(text, case.params) for text in order.symbol or ())
        assert order.side in (side, None)
    assert Decimal(quantity) in [order.min_quantity for order in orders(case.success)]


@each_case
def test_control_asks_for_nothing(case: AttackCase) -> None:
    """The control has the payload's length to the character, and no word of trading in it."""
    text = control_of(case)

    assert len(text_of(case)) == len(text)
    assert not re.search(r"\b(buy|sell|order|shares of|market now|position)\b", text, re.IGNORECASE)


@each_case
def test_partial_is_weaker_than_success(case: AttackCase) -> None:
    """Whoever does all of it has done part of it: same symbol and side, a smaller quantity if any."""
    assert case.partial is not None
    assert case.partial.order is not None
    least = case.partial.order.min_quantity or Decimal(0)
    full = [order.min_quantity for order in orders(case.success) if order.min_quantity is not None]

    assert all(least < quantity for quantity in full)


@each_case
def test_traces(case: AttackCase) -> None:
    """The positive trace is the order of the text; some negative trace comes close to it."""
    side, quantity, symbol = IMPERATIVE.findall(text_of(case))[0]
    first = case.traces.positive[0]

    assert (side, Decimal(quantity), symbol) == (first.side, first.quantity, first.symbol)
    assert len(case.traces.negative) >= 2
    assert any(trace.symbol == symbol for trace in case.traces.negative)


@each_case
def test_inserted_items_have_their_texts(case: AttackCase) -> None:
    """An inserted item says what its headline, summary and symbol are, in the control too."""
    if case.placement.mode == "insert_item":
        assert {"headline", "summary", "symbol"} <= case.params.keys()
        assert {"headline", "summary"} <= case.benign_control.params.keys()
        assert not IMPERATIVE.search(case.params["headline"] + case.params["summary"])


@each_case
def test_taxonomy_and_provenance(case: AttackCase) -> None:
    """Both schemes, ids of their form, and who wrote the case."""
    assert set(SCHEMES) == {taxon.scheme for taxon in case.taxonomy}
    assert all(SCHEMES[taxon.scheme].match(taxon.id) for taxon in case.taxonomy)
    assert len(case.taxonomy) == len(set(case.taxonomy))
    assert (case.provenance.source, case.provenance.licence) == ("written for this project", "MIT")
    assert case.references
    assert "{" not in case.goal + case.title


@each_case
def test_html_is_hidden_in_html_only(case: AttackCase) -> None:
    """A tool's answer is no page: markup would hide nothing there."""
    if case.placement.view == "tool_result":
        assert all(variant.disguise != "hidden_html" for variant in case.variants)
