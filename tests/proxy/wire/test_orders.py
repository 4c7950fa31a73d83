"""Order reading: every vector of tests/vectors, and what must hold for any body."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.terms import Action, Unit, instant
from proxy.wire.catalogue import load_catalogue
from proxy.wire.codecs.json_span import Number
from proxy.wire.order_events import OrderRequested, OrderUpdate
from proxy.wire.orders import read_reply, with_body_key
from proxy.wire.reader import Reader
from tests.proxy.wire.support import JSON, placed, request, response, shown

VECTORS = Path(__file__).parents[2] / "vectors"
CATALOGUE = load_catalogue()
READER = Reader(CATALOGUE)
ORDERS = "https://paper-api.alpaca.markets/v2/orders"


def cases() -> list[Any]:
    return list(_cases())


def _cases() -> Iterator[Any]:
    for path in sorted(VECTORS.glob("*.*/*.yaml")):
        for case in yaml.safe_load(path.read_text("utf-8"))["cases"]:
            yield pytest.param(path.parent.name, case, id=f"{path.parent.name}-{case['id']}")


def exchange_of(case: dict[str, Any]) -> tuple[Any, Any]:
    asked, said = case["request"], case["response"]
    return (
        request(asked["method"], asked["url"], asked.get("body", "").encode(), asked.get("headers")),
        response(said["status"], said.get("body", "").encode(), said.get("headers")),
    )


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: one for name, one in value.items() if name not in names}


def expected_event(event: dict[str, Any]) -> dict[str, Any]:
    quoted = event.get("quoted_at")
    out = without(event, "quoted_at") | ({"quoted_at_ns": instant(quoted)} if quoted else {})
    # `complete` is true unless said otherwise; a position counts the base unit by default.
    if out.get("complete") is True:
        del out["complete"]
    if "positions" in out:
        out["positions"] = [{k: v for k, v in one.items() if (k, v) != ("unit", "base")} for one in out["positions"]]
    return {k: v for k, v in out.items() if k == "kind" or (k, v) not in (("unit", "unknown"), ("flags", []))}


def kept(event: Any) -> dict[str, Any]:
    out = without(shown(event), "at_ns", "exchange", "venue")
    return out | {"kind": event.kind}


@pytest.mark.parametrize(("endpoint", "case"), cases())
def test_vector(endpoint: str, case: dict[str, Any]) -> None:
    """Every field of every fact is as the vector's author wrote it, and there is no other fact."""
    sent, came = exchange_of(case)
    asked = READER.request(sent, 7)
    said = READER.response(asked, came, 7)

    assert asked.endpoint is not None
    assert endpoint == asked.endpoint.id
    wanted = [{"source": "wire", "venue": "alpaca"} | order for order in case.get("orders", ())]
    wanted = [{k: v for k, v in one.items() if (k, v) != ("unit", "unknown")} for one in wanted]
    assert wanted == [without(shown(order), "at_ns", "exchange", "body_key") for order in asked.orders]
    assert [expected_event(one) for one in case.get("events", ())] == [kept(event) for event in said.events]
    assert case.get("request_marks", []) == list(asked.marks)
    assert case.get("response_marks", []) == list(said.marks)
    if "answer" in case:
        assert said.answer is not None
        answer = shown(said.answer)
        answer["tool_calls"] = [[c["call_id"], c["name"], c["arguments"]] for c in answer["tool_calls"]]
        assert case["answer"] == {k: v for k, v in answer.items() if v is not None}
        intents = [without(shown(i.order), "at_ns", "exchange", "body_key") for i in said.intents if i.order]
        assert case["intents"] == intents


@pytest.mark.parametrize(("endpoint", "case"), cases())
def test_the_bytes_of_a_vector_are_the_ones_its_author_saw(endpoint: str, case: dict[str, Any]) -> None:
    asked, said = case["request"], case["response"]
    text = "\n".join(
        [f"{asked['method']} {asked['url']}", asked.get("body", ""), str(said["status"]), said.get("body", "")]
    )
    assert case["sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_every_alpaca_endpoint_has_a_vector() -> None:
    """An endpoint that nobody has seen on the wire, or in the venue's documentation, is a guess."""
    have = {path.parent.name for path in VECTORS.glob("*.*/*.yaml")}
    assert [name for name in CATALOGUE.endpoints if name.startswith("alpaca.") and name not in have] == []


def test_every_endpoint_that_acts_has_a_vector() -> None:
    have = {path.parent.name for path in VECTORS.glob("*.*/*.yaml")}
    acting = [e.id for e in CATALOGUE.endpoints.values() if e.rule.action or e.rule.order]
    assert [name for name in acting if name not in have] == []


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.*/*.yaml")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_vector_file_says_where_it_comes_from(path: Path) -> None:
    head = yaml.safe_load(path.read_text("utf-8"))
    assert {"source", "licence", "cases"} <= set(head)
    assert "captured_at" in head or "written_at" in head
    ids = [case["id"] for case in head["cases"]]
    assert len(ids) == len(set(ids))


@given(
    st.binary(max_size=300),
    st.sampled_from(["application/json", "application/x-www-form-urlencoded", "text/plain", ""]),
)
def test_any_body_to_an_acting_url_is_an_order(body: bytes, kind: str) -> None:
    """Bytes that nobody can read still were a request to place an order."""
    asked = READER.request(request("POST", ORDERS, body, {"content-type": kind}), 1)
    assert [Action.PLACE] == [order.action for order in asked.orders]


@given(st.binary(max_size=300), st.integers(100, 599), st.sampled_from(["application/json", "text/html", ""]))
def test_any_answer_answers_the_order_once_and_never_acknowledges_junk(body: bytes, status: int, kind: str) -> None:
    asked = READER.request(request("POST", ORDERS, b'{"symbol":"AAPL","qty":"1","side":"buy"}', JSON), 1)
    said = READER.response(asked, response(status, body, {"content-type": kind}), 1)
    assert [0] == [event.answers for event in said.events if isinstance(event, OrderUpdate)]
    assert all(event.kind in ("unknown", "rejected") for event in said.events)


NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=Decimal("-1e30"), max_value=Decimal("1e30"))


@given(NUMBERS, st.booleans())
def test_a_quantity_is_exact_at_any_length(value: Decimal, quoted: bool) -> None:
    text = format(value, "f")
    body = json.dumps({"symbol": "AAPL", "side": "buy", "qty": text}) if quoted else f'{{"symbol":"AAPL","qty":{text}}}'
    order = READER.request(request("POST", ORDERS, body.encode(), JSON), 1).orders[0]
    assert order.quantity is not None
    assert text == format(order.quantity, "f")


@given(st.text(max_size=40))
def test_words_are_never_a_quantity(word: str) -> None:
    body = json.dumps({"symbol": "AAPL", "qty": word}).encode()
    quantity = READER.request(request("POST", ORDERS, body, JSON), 1).orders[0].quantity
    if quantity is not None:
        assert Decimal(word.strip()) == quantity


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=10,
)
NAMES = [
    "symbol",
    "qty",
    "notional",
    "side",
    "type",
    "legs",
    "take_profit",
    "stop_loss",
    "order_class",
    "client_order_id",
]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(NAMES), JSONS))
def test_values_of_any_kind_are_read_or_left_out(body: dict[str, Any]) -> None:
    orders = READER.request(request("POST", ORDERS, json.dumps(body).encode(), JSON), 1).orders
    assert 1 == len(orders)


def test_where_the_fields_stand_makes_no_difference() -> None:
    query = "symbol=AAPL&qty=10&side=buy&client_order_id=c"
    body = json.dumps({"symbol": "AAPL", "qty": "10", "side": "buy", "client_order_id": "c"}).encode()
    form = {"content-type": "application/x-www-form-urlencoded"}
    found = [
        READER.request(one, 1).orders
        for one in (
            request("POST", ORDERS, body, JSON),
            request("POST", ORDERS, query.encode(), form),
            request("POST", f"{ORDERS}?{query}"),
            request("POST", ORDERS, body, form),
            request("POST", ORDERS, b"\xef\xbb\xbf" + body, {"content-type": "text/plain"}),
        )
    ]
    assert [found[0]] * 5 == found


def test_equal_requests_share_a_key_and_others_do_not() -> None:
    base = with_body_key(placed(client_order_id="a", quantity=Decimal("1.0")))
    assert (
        base.body_key
        == with_body_key(placed(client_order_id="b", quantity=Decimal("1.000"), at_ns=9, exchange=4)).body_key
    )
    others = [
        placed(quantity=Decimal("1.01")),
        placed(symbol="TSLA"),
        placed(limit_price=Decimal(1)),
        placed(stop_price=Decimal(1)),
        placed(account="x"),
        placed(unit=Unit.QUOTE),
        placed(extra=(("trail_percent", "1"),)),
    ]
    assert 1 + len(others) == len({base.body_key, *(with_body_key(one).body_key for one in others)})


@given(st.integers(10**28, 10**45), st.integers(1, 9))
def test_long_quantities_that_differ_in_the_last_digit_are_not_equal(value: int, more: int) -> None:
    first, second = (
        with_body_key(placed(quantity=Decimal(value))),
        with_body_key(placed(quantity=Decimal(value + more))),
    )
    assert first.body_key != second.body_key


def test_answers_to_a_batch_are_told_apart() -> None:
    """More answers than requests all speak of the last request; fewer leave the rest to be read."""
    endpoint = CATALOGUE.endpoints["alpaca.cancel_all"]
    requests = tuple(placed(action=Action.CANCEL, item=n) for n in range(2))
    doc = {"status": 207, "body": [{"id": "a", "status": Number("200")}] * 3, "request": {}}
    events = read_reply(endpoint, doc, requests, 1, 1)
    assert [0, 1, 1] == [event.answers for event in events if isinstance(event, OrderUpdate)]


def test_an_update_of_a_read_answers_nothing() -> None:
    endpoint = CATALOGUE.endpoints["alpaca.orders"]
    doc = {"status": 200, "body": [{"id": "a", "status": "new"}, "junk", {"status": "new"}], "request": {}}
    events = read_reply(endpoint, doc, (), 1, 1)
    assert [("a", None)] == [(e.venue_order_id, e.answers) for e in events if isinstance(e, OrderUpdate)]
    assert not any(isinstance(event, OrderRequested) for event in events)
