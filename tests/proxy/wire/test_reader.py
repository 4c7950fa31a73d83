"""Whole exchanges: what can't be read is marked and yields nothing, and nothing raises."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import Action, Source
from proxy.wire.catalogue import load_catalogue
from proxy.wire.order_events import PositionsRead, unreadable
from proxy.wire.reader import Reader
from tests.proxy.wire.support import JSON, request, response

READER = Reader(load_catalogue())
ORDERS = "https://api.alpaca.markets/v2/orders"
CHAT = "https://api.openai.com/v1/chat/completions"
ORDER = b'{"symbol":"AAPL","qty":"1","side":"buy"}'
ASK = b'{"model":"m","messages":[{"role":"user","content":"hi"}]}'
CALL = json.dumps(
    {
        "model": "m",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "message": {
                    "tool_calls": [
                        {"id": "1", "function": {"name": "get_news", "arguments": "{}"}},
                        {
                            "id": "2",
                            "function": {
                                "name": "place_order",
                                "arguments": '{"symbol": "AAPL", "side": "buy", "qty": 2}',
                            },
                        },
                        {"id": "3", "function": {"name": "place_order", "arguments": '{"symbol": '}},
                    ]
                },
            }
        ],
    }
).encode()


def test_an_unknown_url_is_read_as_far_as_it_goes() -> None:
    asked = READER.request(request("POST", "https://example.com/x", b"a"), 1)
    assert (None, None, b"a", (), ()) == (asked.endpoint, asked.host, asked.plain, asked.orders, asked.marks)
    said = READER.response(asked, response(200, b"b"), 1)
    assert (b"b", (), ()) == (said.plain, said.events, said.marks)


def test_an_unknown_url_of_a_trading_host_is_still_a_trading_host() -> None:
    asked = READER.request(request("POST", "https://api.alpaca.markets/v3/orders", ORDER), 1)
    assert asked.endpoint is None
    assert asked.host is not None
    assert "trading" == asked.host.role


@pytest.mark.parametrize(
    ("body", "head", "marks"),
    [
        (gzip.compress(ORDER, mtime=0), {"content-encoding": "gzip"}, ()),
        (gzip.compress(ORDER, mtime=0)[:-3], {"content-encoding": "gzip"}, ("bad_encoding",)),
        (ORDER, {"content-encoding": "snappy"}, ("bad_encoding",)),
        (None, {}, ("not_inspected",)),
        (ORDER[:-1], {}, ("unreadable",)),
    ],
)
def test_an_order_is_told_whatever_became_of_its_body(
    body: bytes | None, head: dict[str, str], marks: tuple[str, ...]
) -> None:
    asked = READER.request(request("POST", ORDERS, body, JSON | head), 1)
    assert [Action.PLACE] == [order.action for order in asked.orders]
    assert marks == asked.marks
    assert ("AAPL" if not marks else None) == asked.orders[0].symbol


def test_an_order_in_the_path_survives_an_unreadable_body() -> None:
    asked = READER.request(request("PATCH", f"{ORDERS}/o-1?client_order_id=c", b"\xff", JSON), 1)
    assert [(Action.REPLACE, "o-1", "c")] == [(o.action, o.venue_order_id, o.client_order_id) for o in asked.orders]
    assert ("unreadable",) == asked.marks


@pytest.mark.parametrize(
    ("came", "marks"),
    [
        (response(200, None), ("not_inspected",)),
        (response(200, b'{"id":"1","status":"new"}', {"content-encoding": "gzip"}), ("bad_encoding",)),
        (response(200, b'{"id":"1","status":"new"}', JSON, complete=False), ("cut",)),
        (response(200, b'{"id":"1","sta', JSON), ("unreadable",)),
    ],
)
def test_an_answer_that_can_not_be_read_leaves_the_order_unknown(came, marks: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    asked = READER.request(request("POST", ORDERS, ORDER, JSON), 1)
    said = READER.response(asked, came, 1)
    assert ["unknown"] == [event.kind for event in said.events]
    assert marks == said.marks


def test_no_answer_leaves_every_order_unknown() -> None:
    asked = READER.request(request("POST", ORDERS, ORDER, JSON), 4)
    lost = READER.lost(asked, 4, 9)
    assert [("unknown", 0, "no answer", 9, 4)] == [(e.kind, e.answers, e.reason, e.at_ns, e.exchange) for e in lost]
    assert () == READER.lost(READER.request(request("GET", ORDERS), 1), 1, 1)


def test_a_model_call_and_what_it_asks_for() -> None:
    asked = READER.request(request("POST", CHAT, ASK, JSON), 3)
    assert asked.chat is not None
    assert ("m", ("hi",)) == (asked.chat.model, asked.chat.texts)
    said = READER.response(asked, response(200, CALL, JSON), 3)
    assert ["get_news", "place_order", "place_order"] == [intent.call.name for intent in said.intents]
    orders = [intent.order for intent in said.intents]
    assert orders[0] is None
    assert [(0, "AAPL", Source.LLM, 3), (1, None, Source.LLM, 3)] == [
        (o.item, o.symbol, o.source, o.exchange) for o in orders if o is not None
    ]


@pytest.mark.parametrize("host", ["localhost:8000", "gateway.example"])
def test_any_host_that_speaks_the_form_is_a_model(host: str) -> None:
    assert READER.request(request("POST", f"http://{host}/v1/chat/completions", ASK, JSON), 1).chat is not None


@pytest.mark.parametrize("body", [b'{"input": "x"}', b"[1]", b"nonsense", b""])
def test_the_path_alone_makes_no_model_call(body: bytes) -> None:
    elsewhere = READER.request(request("POST", "https://forum.example/chat/completions", body, JSON), 1)
    assert (None, None, ()) == (elsewhere.endpoint, elsewhere.chat, elsewhere.marks)
    known = READER.request(request("POST", CHAT, body, JSON), 1)
    assert known.endpoint is not None
    assert ("unreadable",) == known.marks


def test_a_cut_answer_of_a_model_is_marked() -> None:
    asked = READER.request(request("POST", CHAT, ASK, JSON), 1)
    said = READER.response(asked, response(200, CALL[:-9], JSON, complete=False), 1)
    assert (None, ()) == (said.answer, said.intents)
    assert {"cut", "unreadable"} == set(said.marks)


def test_positions_are_read() -> None:
    asked = READER.request(request("GET", "https://api.alpaca.markets/v2/positions"), 1)
    said = READER.response(asked, response(200, b'[{"symbol":"AAPL","qty":"-1"}]', JSON), 1)
    assert [PositionsRead] == [type(event) for event in said.events]


URLS = st.sampled_from(
    [ORDERS, f"{ORDERS}/x", CHAT, "https://data.alpaca.markets/v1beta1/news", "https://api.alpaca.markets/v2/positions",
     "https://data.alpaca.markets/v2/stocks/quotes/latest", "https://api.alpaca.markets/v2/account", "https://x.example/"]
)  # fmt: skip
KINDS = st.sampled_from(["application/json", "text/event-stream", "text/html", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["id", "messages", "choices", "symbol", "quotes", "news", "status", "message", "usage"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
BODIES = st.binary(max_size=120) | VALUES.map(lambda value: json.dumps(value).encode())


@given(URLS, st.sampled_from(["GET", "POST", "PATCH", "DELETE"]), BODIES, BODIES, KINDS, st.integers(100, 599))
def test_nothing_raises(url: str, method: str, sent: bytes, came: bytes, kind: str, status: int) -> None:
    asked = READER.request(request(method, url, sent, {"content-type": kind}), 1)
    READER.response(asked, response(status, came, {"content-type": kind}), 1)
    READER.lost(asked, 1, 1)


@pytest.mark.parametrize(
    ("url", "body", "unread"),
    [
        (ORDERS + "?qty=1", b'{"symbol":"AAPL","qty":"1000","side":"buy"}', "quantity"),
        (ORDERS, b'{"symbol":"AAPL","Qty":"1","qty":"1000","side":"buy"}', "quantity"),
        (ORDERS, b'{"symbol":"AAPL","qty":"1","qty":"1000","notional":"5","side":"buy"}', "quantity"),
        (ORDERS, b'{"symbol":"AAPL","symbol":"ZVTX","qty":"1","side":"buy","side":"sell"}', "side symbol"),
        (ORDERS, b'{"symbol":"AAPL","qty":"1","type":"limit","limit_price":1,"LIMIT_PRICE":9}', "limit_price"),
    ],
)
def test_what_a_request_says_twice_is_null_and_marked(url: str, body: bytes, unread: str) -> None:
    asked = READER.request(request("POST", url, body, JSON), 1)
    (order,) = asked.orders
    assert ("ambiguous",) == asked.marks
    assert (("unreadable", unread),) == order.extra
    assert {None} == {getattr(order, name) for name in unread.split()}


@pytest.mark.parametrize("text", ["abc", "1e99999", "NaN"])
def test_a_number_that_is_none_is_told_from_a_field_that_is_absent(text: str) -> None:
    asked = READER.request(request("DELETE", f"https://api.alpaca.markets/v2/positions/AAPL?qty={text}", b""), 1)
    (order,) = asked.orders
    assert (None, frozenset({"quantity"}), ()) == (order.quantity, unreadable(order), asked.marks)
    asked = READER.request(request("DELETE", "https://api.alpaca.markets/v2/positions/AAPL", b""), 1)
    assert frozenset() == unreadable(asked.orders[0])
