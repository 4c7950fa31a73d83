"""Text items and the words in them that may be tickers."""

from __future__ import annotations

import time

import pytest

from proxy.wire.codecs.json_span import Node
from proxy.wire.views.text import TextItem, symbols_in


def test_a_field_is_found_by_its_name() -> None:
    node = Node(1, 2, "string")
    item = TextItem(key="k", node=Node(0, 9, "object"), fields=(("headline", node),))
    assert node == item.field("headline")
    assert item.field("content") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Buy AAPL, sell TSLA. AAPL again", ("AAPL", "TSLA")),
        ("BTC/USD BRK.B BTC-USD", ("BTC/USD", "BRK.B", "BTC-USD")),
        ("lower aapl Mixed AaPL", ()),
        ('(NVDA) "AMD" $F', ("NVDA", "AMD", "F")),
        ("", ()),
    ],
)
def test_words_that_may_be_tickers(text: str, expected: tuple[str, ...]) -> None:
    assert expected == symbols_in(text)


@pytest.mark.parametrize("piece", ["A", "A.", "A ", "A/", "AAAAAAAAAAAAAAA.AAAAAAAA"])
def test_a_megabyte_ends_soon(piece: str) -> None:
    began = time.process_time()
    symbols_in(piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 5
