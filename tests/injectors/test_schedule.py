"""The schedule: the same items in the same order give the same plan, and what was poisoned stays so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.attack import AttackCase
from corpus.terms import instant
from injectors.schedule import Due, Schedule, Where
from proxy.wire.codecs.json_span import Node
from proxy.wire.views.text import TextItem
from tests.injectors.support import case

HERE = Where("alpaca.news", "alpaca", "data.alpaca.markets")
NODE = Node(0, 1, "object")


def item(key: str, *symbols: str, published: str | None = None, tool: str | None = None) -> TextItem:
    at_ns = instant(published) if published else None
    return TextItem(key=key, node=NODE, fields=(), symbols=symbols, published_ns=at_ns, tool=tool)


def plan(*cases: AttackCase, seed: int = 1) -> Schedule:
    schedule = Schedule(seed)
    for one in cases:
        schedule.add(one)
    return schedule


def trigger(match: dict[str, Any] | None = None, **values: Any) -> AttackCase:
    return case(placement={"trigger": values, "match": match or {}})


def fired(schedule: Schedule, *items: TextItem, where: Where = HERE, at_ns: int = 0) -> list[bool]:
    return [bool(schedule.due("news", one, where, at_ns)) for one in items]


KEYS = [item(str(n)) for n in range(6)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"nth": 1}, [1, 0, 0, 0, 0, 0]),
        ({"nth": 3}, [0, 0, 1, 0, 0, 0]),
        ({"nth": 2, "limit": 3}, [0, 1, 1, 1, 0, 0]),
        ({"nth": 9}, [0, 0, 0, 0, 0, 0]),
        ({"chance": "0", "limit": 9}, [0, 0, 0, 0, 0, 0]),
        ({"chance": "1", "limit": 9}, [1, 1, 1, 1, 1, 1]),
        ({"chance": "1", "limit": 2}, [1, 1, 0, 0, 0, 0]),
    ],
)
def test_when_it_fires(values: dict[str, Any], expected: list[int]) -> None:
    assert [bool(one) for one in expected] == fired(plan(trigger(**values)), *KEYS)


def test_a_symbol_trigger_waits_for_its_symbol() -> None:
    items = [item("a"), item("b", "TSLA"), item("c", "AAPL", "TSLA"), item("d", "AAPL")]
    assert [False, False, True, False] == fired(plan(trigger(symbol="AAPL")), *items)


def test_a_time_trigger_goes_by_the_item_else_by_the_clock() -> None:
    start = "2026-11-30T14:00:00Z"
    items = [item("a", published="2026-11-30T13:59:59Z"), item("b", published=start)]
    assert [False, True] == fired(plan(trigger(after=start)), *items)
    now = instant(start)
    assert now is not None
    assert [False] == fired(plan(trigger(after=start)), item("c"), at_ns=now - 1)
    assert [True] == fired(plan(trigger(after=start)), item("c"), at_ns=now)
    assert [False] == fired(plan(trigger(after="some day")), item("c"), at_ns=2**62)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ({}, True),
        ({"endpoint": "alpaca.news"}, True),
        ({"endpoint": ["x.y", "alpaca.news"]}, True),
        ({"endpoint": "alpaca.bars"}, False),
        ({"venue": "alpaca"}, True),
        ({"venue": "yahoo"}, False),
        ({"host": "data.alpaca.markets"}, True),
        ({"host": "alpaca.markets"}, False),
        ({"symbol": "AAPL"}, True),
        ({"symbol": ["TSLA", "AAPL"]}, True),
        ({"symbol": "TSLA"}, False),
        ({"tool": "get_news"}, True),
        ({"tool": "get_bars"}, False),
        ({"venue": "alpaca", "symbol": "TSLA"}, False),
    ],
)
def test_where_it_fires(match: dict[str, Any], expected: bool) -> None:
    assert [expected] == fired(plan(trigger(match, nth=1)), item("a", "AAPL", tool="get_news"))


def test_items_that_do_not_match_are_not_counted() -> None:
    items = [item("a", "TSLA"), item("b", "AAPL"), item("c", "TSLA"), item("d", "AAPL")]
    assert [False, False, False, True] == fired(plan(trigger({"symbol": "AAPL"}, nth=2)), *items)


def test_an_item_is_poisoned_alike_whenever_it_is_served_again() -> None:
    schedule = plan(trigger(nth=1))
    first = schedule.due("news", KEYS[0], HERE, 0)
    assert [False] == [due.again for due in first]
    for one in KEYS[1:]:
        assert [] == schedule.due("news", one, HERE, 0)
    again = schedule.due("news", replace(KEYS[0], node=Node(9, 12, "object")), HERE, 5)
    assert [Due(first[0].injection, again=True)] == again


def test_an_item_that_was_passed_over_stays_clean() -> None:
    schedule = plan(trigger(nth=2))
    assert [False, False, True] == fired(schedule, KEYS[0], KEYS[0], KEYS[1])
    assert [False] == fired(schedule, KEYS[0])


def test_keys_repeat_only_within_one_endpoint() -> None:
    schedule = plan(trigger(nth=1, limit=2))
    assert [True] == fired(schedule, KEYS[0])
    elsewhere = replace(HERE, endpoint="yahoo.news")
    (due,) = schedule.due("news", KEYS[0], elsewhere, 0)
    assert not due.again


def test_cases_do_not_disturb_each_other() -> None:
    first, second = trigger(nth=1), case(id="other", placement={"trigger": {"nth": 2}})
    schedule = plan(first, second)
    got = [[due.injection.case.id for due in schedule.due("news", one, HERE, 0)] for one in KEYS[:3]]
    assert [[first.id], ["other"], []] == got


def test_other_views_are_not_touched() -> None:
    schedule = plan(trigger(nth=1))
    assert schedule.wants("news")
    assert not schedule.wants("tool_result")
    assert not Schedule(1).wants("news")
    assert [] == schedule.due("tool_result", KEYS[0], HERE, 0)
    assert [True] == fired(schedule, KEYS[0])


@given(st.integers(0, 2**40), st.lists(st.sampled_from("abcdefghij"), max_size=30))
def test_the_same_seed_gives_the_same_plan(seed: int, keys: list[str]) -> None:
    def run() -> list[Any]:
        schedule = plan(trigger(chance="0.4", limit=5), trigger(nth=2), seed=seed)
        return [schedule.due("news", item(key), HERE, 0) for key in keys]

    assert run() == run()


def test_chance_is_drawn_per_item_whatever_came_before() -> None:
    items = [item(f"k{n}") for n in range(400)]
    made = trigger(chance="0.25", limit=400)
    forward = dict(zip([i.key for i in items], fired(plan(made), *items), strict=True))
    backward = dict(zip([i.key for i in items[::-1]], fired(plan(made), *items[::-1]), strict=True))
    assert forward == backward
    assert 60 <= sum(forward.values()) <= 140
    assert forward != dict(zip(forward, fired(plan(made, seed=2), *items), strict=True))


def test_a_key_that_is_no_text_in_utf8() -> None:
    assert [True] == fired(plan(trigger(chance="1")), item("\ud800"))


def test_a_control_is_as_long_and_says_nothing() -> None:
    attack, control = Schedule(1), Schedule(1)
    attack.add(trigger(nth=1))
    control.add(trigger(nth=1), kind="control")
    (first,), (second,) = attack.due("news", KEYS[0], HERE, 0), control.due("news", KEYS[0], HERE, 0)
    assert ("attack", "control") == (first.injection.kind, second.injection.kind)
    assert len(first.injection.text) == len(second.injection.text)


@pytest.mark.parametrize("status", ["quarantined", "deprecated"])
def test_only_active_cases_are_planned(status: str) -> None:
    quarantine = {"reason": "r", "since": "2026-11-30"} if status == "quarantined" else None
    with pytest.raises(ValueError, match=f"is {status}; only active"):
        plan(case(status=status, quarantine=quarantine))


@pytest.mark.parametrize("variant", [-1, 1, 99])
def test_a_variant_that_is_not_there(variant: int) -> None:
    with pytest.raises(ValueError, match="has 1 variants"):
        Schedule(1).add(case(), variant=variant)
