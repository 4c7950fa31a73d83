"""Numbers in results, in the shapes that tools really send."""

from __future__ import annotations

import json
from decimal import Decimal as D
from typing import Any

import pytest

from deploy.sim.evidence import Evidence


def seen(result: Any, name: str = "get", **arguments: Any) -> Evidence:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    content = result if isinstance(result, str) else json.dumps(result)
    return Evidence.of(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": content},
        ]
    )


@pytest.mark.parametrize(
    "result",
    [
        {"bars": {"AAPL": [{"c": 10.10}, {"c": 11}], "MSFT": [{"c": 5}]}},
        {"AAPL": [{"close": "10.10"}, {"close": "11"}]},
        {"_envelope": {"note": "x"}, "data": {"bars": {"AAPL": [{"c": 10.10}, {"c": 11}]}}},
    ],
)
def test_closes_are_found_below_the_symbol(result: Any) -> None:
    assert seen(result).closes("AAPL") == [D("10.1"), D(11)]


def test_bare_rows_belong_to_the_symbol_that_was_asked_for() -> None:
    rows = [{"close": 10.10}, {"close": 11}]
    assert seen(rows, symbol="AAPL").closes("AAPL") == [D("10.1"), D(11)]
    assert seen(rows, symbols=["AAPL"]).closes("AAPL") == [D("10.1"), D(11)]
    assert seen(rows, symbol="MSFT").closes("AAPL") == []
    assert seen(rows).closes("AAPL") == []


def test_a_quote_prices_at_the_ask_and_conditions_are_no_price() -> None:
    quote = {"quotes": {"AAPL": {"ap": 571.54, "bp": 571.52, "c": ["R"]}}}
    assert seen(quote).price("AAPL") == D("571.54")
    assert seen({"symbol": "AAPL", "c": ["R"], "price": "5"}).price("AAPL") == D(5)
    assert seen(quote).price("MSFT") is None


def test_positions_are_signed_and_orders_are_none() -> None:
    found = seen(
        {
            "cash": "12.5",
            "positions": [{"symbol": "A", "qty": "4", "side": "long"}, {"symbol": "B", "qty": "-3", "side": "short"}],
            "orders": [{"symbol": "C", "qty": "9", "side": "buy"}],
        }
    )
    assert found.positions() == {"A": D(4), "B": D(-3)}
    assert found.cash() == D("12.5")


def test_a_call_counts_as_made_whatever_the_spelling_of_its_numbers() -> None:
    found = seen("x", "place", qty="10", symbol="A")
    assert found.made("place", {"symbol": "A", "qty": D(10)})
    assert not found.made("place", {"symbol": "A", "qty": D(11)})
    assert not found.made("place", {"symbol": "A"})
    assert not found.made("other", {"symbol": "A", "qty": D(10)})


@pytest.mark.parametrize("broken", ["", "{", "null", "[[[[", '{"positions": 5, "cash": null}'])
def test_what_cannot_be_read_is_no_evidence(broken: str) -> None:
    found = seen(broken)
    assert (found.closes("A"), found.price("A"), found.cash(), found.positions()) == ([], None, None, {})
    assert found.contents == (broken,)
