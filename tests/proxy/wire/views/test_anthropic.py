"""Anthropic's messages: JSON and streamed answers say the same; tool results are spans."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.codecs.json_span import loads
from proxy.wire.edit import Unreadable
from proxy.wire.views.anthropic import read_answer, read_request, tool_results
from proxy.wire.views.chat import ToolCall

ARGUMENTS = '{"symbol": "AAPL", "qty": 1.10, "note": "a\\"b"}'
USAGE = {"input_tokens": 36, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 60, "output_tokens": 20}


def answer() -> bytes:
    return (
        b'{"id":"msg_1","model":"claude-x","content":[{"type":"text","text":"Buying. "},'
        b'{"type":"tool_use","id":"toolu_1","name":"place_order","input":' + ARGUMENTS.encode() + b"}],"
        b'"stop_reason":"tool_use","usage":' + json.dumps(USAGE).encode() + b"}"
    )


def stream(cuts: list[int], newline: str) -> bytes:
    def event(kind: str, value: dict[str, Any]) -> str:
        return f"event: {kind}{newline}data: {json.dumps({'type': kind, **value})}{newline}{newline}"

    bounds = [0, *sorted(cut % (len(ARGUMENTS) + 1) for cut in cuts), len(ARGUMENTS)]
    parts = [ARGUMENTS[a:b] for a, b in pairwise(bounds)]
    out = event("message_start", {"message": {"model": "claude-x", "usage": {**USAGE, "output_tokens": 1}}})
    out += event("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
    out += event("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "Buying. "}})
    block = {"type": "tool_use", "id": "toolu_1", "name": "place_order", "input": {}}
    out += event("content_block_start", {"index": 1, "content_block": block}) + event("ping", {})
    for part in parts:
        out += event("content_block_delta", {"index": 1, "delta": {"type": "input_json_delta", "partial_json": part}})
    out += event("content_block_stop", {"index": 1})
    out += event("message_delta", {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}})
    return (out + event("message_stop", {})).encode()


def test_an_answer_is_read_with_numbers_as_printed_and_cached_tokens_counted_in() -> None:
    got = read_answer(answer(), "application/json")
    assert got.tool_calls == (ToolCall("toolu_1", "place_order", ARGUMENTS),)
    assert (got.model, got.text, got.finish_reason) == ("claude-x", "Buying. ", "tool_use")
    assert (got.prompt_tokens, got.cached_tokens, got.completion_tokens) == (100, 60, 20)


@given(st.lists(st.integers(0, 60), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_streamed_answer_says_the_same_however_it_is_cut(cuts: list[int], newline: str) -> None:
    assert read_answer(answer(), "application/json") == read_answer(stream(cuts, newline), "text/event-stream")


def test_a_stream_that_breaks_off_gives_what_was_said() -> None:
    got = read_answer(stream([5], "\n")[:-400], "text/event-stream")
    assert got.model == "claude-x"
    assert got.finish_reason is None


def test_what_a_model_will_read_is_found() -> None:
    value = loads(
        b'{"model":"m","max_tokens":9,"system":[{"type":"text","text":"S"}],"messages":[{"role":"user","content":"U"},'
        b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"R"}]}]}]}'
    )
    asked = read_request(value)
    assert (asked.model, asked.stream, asked.texts) == ("m", False, ("S", "U", "R"))


@pytest.mark.parametrize("value", [None, [], {}, {"messages": []}, {"messages": "x", "max_tokens": "1"}])
def test_another_shape_is_not_taken_for_one(value: Any) -> None:
    with pytest.raises(Unreadable):
        read_request(value)


def test_tool_results_are_spans_with_their_tool() -> None:
    body = (
        b'{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_news","input":{}}]},'
        b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"first"},'
        b'{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"a"},{"type":"text","text":"last"}]}'
        b"]}]}"
    )
    view = tool_results(body)
    got = [(one.key, one.tool, body[one.fields[0][1].start : one.fields[0][1].end]) for one in view.items]
    assert got == [("t1", "get_news", b'"first"'), ("t2", None, b'"last"')]


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_but_unreadable(data: bytes) -> None:
    for read in (lambda: read_answer(data, "application/json"), lambda: tool_results(data)):
        try:
            read()
        except Unreadable:
            pass
    read_answer(data, "text/event-stream")
