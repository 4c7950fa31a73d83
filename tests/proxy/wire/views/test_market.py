"""Prices, positions and money as a response says them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import Unit
from proxy.wire.catalogue import load_catalogue
from proxy.wire.codecs.json_span import loads
from proxy.wire.order_events import AccountRead, PositionSeen, PositionsRead, QuoteSeen
from proxy.wire.rules import steps_of
from proxy.wire.views.market import read, walk

CATALOGUE = load_catalogue()


def seen(endpoint: str, body: str, status: int = 200, request: dict[str, Any] | None = None) -> tuple[Any, ...]:
    doc = {"status": status, "headers": {}, "body": loads(body.encode()), "request": request or {}}
    return read(CATALOGUE.endpoints[endpoint], doc, 5, 77)


def test_walk_tells_the_keys() -> None:
    value = {"bars": {"A": [1, 2], "B": [3]}, "n": [[4, 5]]}
    assert [(1, ("bars", "A", 0)), (2, ("bars", "A", 1)), (3, ("bars", "B", 0))] == list(
        walk(value, steps_of("bars.*[*]"))
    )
    assert [(5, ("n", 0, 1))] == list(walk(value, steps_of("n[0][1]")))
    assert [] == list(walk(value, steps_of("n[7].x")))
    assert [(value, ())] == list(walk(value, ()))


@pytest.mark.parametrize(
    ("quote", "bid", "ask"),
    [
        ('{"bp": 1.10, "ap": 2}', "1.10", "2"),
        ('{"bp": 0, "ap": 2}', None, "2"),
        ('{"bp": 1, "ap": 0}', "1", None),
        ('{"bp": -1, "ap": 2}', None, "2"),
        ('{"bp": null, "ap": "2.50"}', None, "2.50"),
        ('{"bp": NaN, "ap": 2}', None, "2"),
    ],
)
def test_quotes(quote: str, bid: str | None, ask: str | None) -> None:
    found = seen("alpaca.stock_latest_quotes", f'{{"quotes": {{"AAPL": {quote}}}}}')
    expected = QuoteSeen(
        at_ns=77, exchange=5, venue="alpaca", symbol="AAPL", bid=bid and Decimal(bid), ask=ask and Decimal(ask)
    )  # type: ignore[arg-type]
    assert (expected,) == found
    assert (bid, ask) == (found[0].bid and str(found[0].bid), found[0].ask and str(found[0].ask))


@pytest.mark.parametrize(
    "body",
    ['{"quotes": {"AAPL": {"bp": 0, "ap": 0}}}', '{"quotes": {"AAPL": {}}}', '{"quotes": {"AAPL": 5}}', '{"quotes": {}}',
     '{"quotes": null}', "[]", "{}", "null", '{"quotes": []}'],
)  # fmt: skip
def test_no_price_no_quote(body: str) -> None:
    assert () == seen("alpaca.stock_latest_quotes", body)


@pytest.mark.parametrize("status", [199, 301, 404, 500])
def test_errors_say_no_prices(status: int) -> None:
    assert () == seen("alpaca.stock_latest_quotes", '{"quotes": {"AAPL": {"bp": 1, "ap": 2}}}', status)


def test_the_newest_of_each_symbol_counts() -> None:
    rows = '{{"t": "2026-11-30T14:00:0{}Z", "c": {}}}'
    body = f'{{"bars": {{"A": [{rows.format(1, 1)}, {rows.format(3, 3)}, {rows.format(2, 2)}], "B": [{rows.format(1, 9)}]}}}}'
    assert [("A", Decimal(3)), ("B", Decimal(9))] == [(q.symbol, q.last) for q in seen("alpaca.stock_bars", body)]


def test_without_times_the_last_one_counts() -> None:
    assert Decimal(2) == seen("alpaca.stock_bars", '{"bars": {"A": [{"c": 1}, {"c": 2}]}}')[0].last


def test_the_symbol_may_stand_in_the_path() -> None:
    found = seen("alpaca.stock_bars_of", '{"bars": [{"c": 1}]}', request={"path": {"symbol": "AAPL"}})
    assert "AAPL" == found[0].symbol
    assert () == seen("alpaca.stock_bars_of", '{"bars": [{"c": 1}]}')


def positions(body: str, endpoint: str = "alpaca.positions", **request: Any) -> tuple[Any, ...]:
    return seen(endpoint, body, request=request)


def test_a_short_an_option_and_what_is_missing() -> None:
    body = """[{"symbol": "TSLA", "qty": "-5.50", "avg_entry_price": "300", "current_price": "0", "asset_class": "us_equity"},
               {"symbol": "AAPL261218C00200000", "qty": "2", "asset_class": "us_option"},
               {"symbol": "X", "qty": null, "avg_entry_price": "abc"}]"""
    found = positions(body)
    assert (
        PositionsRead(
            at_ns=77,
            exchange=5,
            venue="alpaca",
            positions=(
                PositionSeen(symbol="TSLA", quantity=Decimal("-5.50"), average_price=Decimal(300)),
                PositionSeen(symbol="AAPL261218C00200000", quantity=Decimal(2), unit=Unit.CONTRACT),
                PositionSeen(symbol="X", quantity=None),
            ),
        ),
    ) == found


def test_an_empty_list_is_flat() -> None:
    assert [((), True)] == [(one.positions, one.complete) for one in positions("[]")]


@pytest.mark.parametrize("body", ["{}", '{"message": "maintenance"}', '"x"', "5", "null", '{"positions": []}'])
def test_an_answer_that_is_no_list_does_not_say_flat(body: str) -> None:
    assert () == positions(body)


@pytest.mark.parametrize(
    "body",
    [
        '[{"symbol": "A", "qty": "1"}, {"qty": "5"}]',
        '[{"symbol": "A", "qty": "1"}, null]',
        '{"x": {"symbol": "A", "qty": "1"}}',
    ],
)
def test_a_list_with_an_unreadable_item_is_not_complete(body: str) -> None:
    """Whatever it leaves out may be what could not be read."""
    assert [(1, False)] == [(len(one.positions), one.complete) for one in positions(body)]


def test_a_single_position_says_nothing_of_others() -> None:
    found = positions('{"symbol": "A", "qty": "1"}', "alpaca.position", path={"symbol": "A"})
    assert [("A", False)] == [(one.symbol, one.complete) for one in found]
    assert () == positions("{}", "alpaca.position", path={"symbol": "A"})


def test_an_account() -> None:
    body = """{"account_number": "PA1", "currency": "USD", "cash": "1.10", "equity": "-2", "buying_power": null,
               "no_shorting": true, "trading_blocked": false, "multiplier": "4", "pattern_day_trader": null}"""
    assert (
        AccountRead(
            at_ns=77,
            exchange=5,
            venue="alpaca",
            account="PA1",
            currency="USD",
            cash=Decimal("1.10"),
            equity=Decimal(-2),
            flags=(("no_shorting", "true"), ("trading_blocked", "false"), ("multiplier", "4")),
        ),
    ) == seen("alpaca.account", body)
    assert () == seen("alpaca.account", "[]")


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["quotes", "bars", "t", "bp", "c", "symbol", "qty", "cash", "A"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
READS = st.sampled_from([e.id for e in CATALOGUE.endpoints.values() if e.rule.views and e.rule.codec == "json"])


@given(READS, JSONS)
def test_odd_shapes_raise_nothing(endpoint: str, value: Any) -> None:
    doc = {"status": 200, "headers": {}, "body": value, "request": {"path": {}, "args": {}}}
    read(CATALOGUE.endpoints[endpoint], doc, 1, 1)
