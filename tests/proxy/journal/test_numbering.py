"""Order events are numbered in the order they come, chained and told apart from their retries."""

from __future__ import annotations

from typing import Any

from corpus.terms import Source
from proxy.journal.events import ChainLinked, LlmCalled, OrderFact, ToolCalled
from proxy.journal.numbering import Numbering
from proxy.wire.catalogue import load_catalogue
from proxy.wire.order_events import OrderUpdate
from proxy.wire.reader import Intent, Reader
from proxy.wire.views.chat import ToolCall
from tests.proxy.wire.support import JSON, placed, request, response

READER = Reader(load_catalogue())
CHAT = "https://api.openai.com/v1/chat/completions"


def intent(item: int = 0, **values: Any) -> Intent:
    order = placed(source=Source.LLM, venue="unknown", item=item, **values)
    return Intent(ToolCall(f"call{item}", "place_order", "{}"), order)


def test_events_are_counted_from_one() -> None:
    made = Numbering()
    update = OrderUpdate(at_ns=1, exchange=1, venue="alpaca", kind="acked")
    facts = [*made.number(placed()), *made.number(update, "truth"), *made.number(update, "shown")]
    assert [(1, "both"), (2, "truth"), (3, "shown")] == [(f.seq, f.seen) for f in facts if isinstance(f, OrderFact)]
    assert (3, 1) == (made.seqs, made.orders)


def test_an_intent_and_its_order_are_chained() -> None:
    made = Numbering()
    asked = made.intents((intent(), Intent(ToolCall("c", "get_news", "{}"), None)), 4, 9)
    assert [OrderFact, ToolCalled, ToolCalled] == [type(fact) for fact in asked]
    tools = [fact for fact in asked if isinstance(fact, ToolCalled)]
    assert [("place_order", "call0", 1, 4, 9), ("get_news", "c", None, 4, 9)] == [
        (t.name, t.call_id, t.order, t.exchange, t.at_ns) for t in tools
    ]
    sent = made.number(placed(at_ns=2))
    assert [ChainLinked(seq=1, chain=1, how="start"), ChainLinked(seq=2, chain=1, how="fields")] == sent[1:]
    assert 1 == made.orders, "intents are not counted"


def test_a_retry_names_the_first_and_takes_no_intent() -> None:
    made = Numbering()
    made.intents((intent(), intent(1)), 1, 1)
    order = placed(client_order_id="c", body_key="k")
    facts = [made.number(order) for _ in range(3)]
    assert [None, 3, 3] == [fact.retry_of for found in facts for fact in found if isinstance(fact, OrderFact)]
    assert [3, 1, 1] == [len(found) for found in facts]


def test_what_is_no_model_call_says_nothing() -> None:
    asked = READER.request(request("GET", "https://api.alpaca.markets/v2/orders"), 1)
    came = response(200, b"[]", JSON)
    assert [] == Numbering().answer(asked, READER.response(asked, came, 1), came, 1, 1, streamed=False)


def test_a_model_call_that_could_not_be_read_is_still_a_call() -> None:
    asked = READER.request(request("POST", CHAT, b'{"model": "m", "messages": []}', JSON), 1)
    came = response(502, b"<html>", {"content-type": "text/html"})
    (call,) = Numbering().answer(asked, READER.response(asked, came, 1), came, 1, 5, streamed=True)
    assert LlmCalled(at_ns=1, end_ns=3, exchange=5, api="openai.chat", model="m", streamed=True) == call


def test_a_model_call_with_its_usage_and_intents() -> None:
    body = b'{"model": "m-2", "choices": [{"finish_reason": "tool_calls", "message": {"content": "ok", "tool_calls": [{"id": "a", "function": {"name": "buy_stock", "arguments": "{}"}}]}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}'
    asked = READER.request(request("POST", CHAT, b'{"model": "m", "messages": []}', JSON), 1)
    came = response(200, body, JSON)
    facts = Numbering().answer(asked, READER.response(asked, came, 1), came, 1, 5, streamed=False)
    call = facts[0]
    assert isinstance(call, LlmCalled)
    assert ("m-2", 7, None, 2, "tool_calls", "ok") == (
        call.model, call.prompt_tokens, call.cached_tokens, call.completion_tokens, call.finish_reason, call.text,
    )  # fmt: skip
    assert [OrderFact, ToolCalled] == [type(fact) for fact in facts[1:]]
