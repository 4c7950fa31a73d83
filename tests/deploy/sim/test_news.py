"""The shipped news, and what a user's file must look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.load import BadCorpus
from corpus.terms import instant
from deploy.sim import bars, news

ITEM = """items:
  - id: 1
    created: 2012-06-15T12:00:00Z
    updated: 2012-06-15T12:00:00Z
    symbols: [AAPL]
    headline: One
"""


def test_the_shipped_items_are_of_2012_about_listed_symbols_and_recent_at_the_demo_date() -> None:
    items, listed = news.load(None), bars.load(None)
    assert len(items) == 28
    assert all(instant("2012-01-01") <= item.created <= item.updated < instant("2013-01-01") for item in items)  # type: ignore[operator]
    assert {symbol for item in items for symbol in item.symbols} == set(listed)
    fresh = [
        item for item in items if instant("2012-06-14T15:30:00Z") < item.updated <= instant("2012-06-15T15:30:00Z")
    ]  # type: ignore[operator]
    assert {"AAPL", "MSFT", "ZVTX"} <= {symbol for item in fresh for symbol in item.symbols}


def test_items_come_by_update_time(tmp_path: Path) -> None:
    file = tmp_path / "news.yaml"
    later = (
        ITEM.replace("items:\n", "")
        .replace("id: 1", "id: 2")
        .replace("updated: 2012-06-15T12", "updated: 2012-06-15T13")
    )
    earlier = ITEM.replace("items:\n", "").replace("id: 1", "id: 3").replace("2012-06-15", "2012-06-14")
    file.write_text(ITEM + later + earlier)
    assert [item.id for item in news.load(file)] == [3, 1, 2]


@pytest.mark.parametrize(
    ("text", "line", "key", "says"),
    [
        (ITEM.replace("    headline: One\n", ""), 2, "items[0].headline", "this key is missing; add it"),
        (ITEM + "    title: One\n", 7, "items[0].title", "unknown key; "),
        (ITEM.replace("2012-06-15T12:00:00Z", "June", 1), 3, "items[0].created", '"June" is no time'),
        (ITEM.replace("id: 1", "id: 0"), 2, "items[0].id", "must be 1 or more"),
        (ITEM + ITEM.replace("items:\n", ""), 7, "items[1].id", "another item has this id; give each its own"),
        (ITEM.replace("2012-06-15T12", "2012-06-16T12", 1), 2, "items[0].updated", "updated lies before created"),
    ],
)
def test_a_bad_file_says_where_and_what_to_do(tmp_path: Path, text: str, line: int, key: str, says: str) -> None:
    file = tmp_path / "news.yaml"
    file.write_text(text)
    with pytest.raises(BadCorpus) as caught:
        news.load(file)
    assert (caught.value.file, caught.value.line, caught.value.key) == (str(file), line, key)
    assert says in caught.value.reason


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadCorpus, match=r"none\.yaml: can't be read"):
        news.load(tmp_path / "none.yaml")
