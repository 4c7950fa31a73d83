"""Chat completions: JSON and streamed answers read alike, at any chunking and with any line ends."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.codecs.json_span import loads
from proxy.wire.edit import Unreadable
from proxy.wire.views.chat import ChatAnswer, ToolCall, is_chat, read_answer, read_request, tool_results

SSE = "text/event-stream"
SAFE = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
CALLS = st.lists(st.tuples(st.text("abc_", min_size=1, max_size=8), SAFE), max_size=4)
CHOICES = st.lists(st.tuples(SAFE, CALLS, st.sampled_from(["stop", "tool_calls", "length"])), min_size=1, max_size=2)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def pieces(text: str, sizes: list[int]) -> list[str]:
    out, at, n = [], 0, 0
    while at < len(text):
        out.append(text[at : at + sizes[n % len(sizes)]])
        at, n = at + sizes[n % len(sizes)], n + 1
    return out


def as_json(choices: list[Any], usage: bool) -> bytes:
    """The answer as the API prints it whole."""
    value: dict[str, Any] = {"model": "m", "choices": []}
    for index, (text, calls, finish) in enumerate(choices):
        listed = [
            {"id": f"c{index}{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": text or None} | ({"tool_calls": listed} if listed else {})
        value["choices"].append({"index": index, "finish_reason": finish, "message": message})
    if usage:
        value["usage"] = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    return json.dumps(value).encode()


def as_stream(choices: list[Any], usage: bool, sizes: list[int], end: str, done: bool, turn: Any) -> bytes:
    """The same answer as the API streams it: parts of parallel calls in any order among each other."""
    queues: list[list[dict[str, Any]]] = []
    for index, (text, calls, finish) in enumerate(choices):

        def chunk(delta: dict[str, Any], finish: str | None = None, index: int = index) -> dict[str, Any]:
            return {"model": "m", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}

        queue = [chunk({"role": "assistant", "content": None})]
        queue += [chunk({"content": part}) for part in pieces(text, sizes)]
        for n, (name, _) in enumerate(calls):
            opened = {"index": n, "id": f"c{index}{n}", "type": "function", "function": {"name": name, "arguments": ""}}
            queue.append(chunk({"tool_calls": [opened]}))
        parts = [
            [chunk({"tool_calls": [{"index": n, "function": {"arguments": part}}]}) for part in pieces(text, sizes)]
            for n, (_, text) in enumerate(calls)
        ]
        while any(parts):
            queue.append(turn([one for one in parts if one]).pop(0))
        queues.append([*queue, chunk({}, finish)])
    out: list[dict[str, Any]] = []
    while any(queues):
        out.append(turn([one for one in queues if one]).pop(0))
    if usage:
        out[0]["usage"] = None
        details = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
        out.append({"model": "m", "choices": [], "usage": details})
    lines = [f": keep-alive{end}{end}"]
    lines += [f"data: {json.dumps(one, ensure_ascii=False)}{end}{end}" for one in out]
    if done:
        lines.append(f"data: [DONE]{end}{end}")
    return "".join(lines).encode()


@given(CHOICES, st.booleans(), st.lists(st.integers(1, 7), min_size=1, max_size=5), ENDS, st.booleans(), st.data())
def test_json_and_stream_give_the_same_reading(
    choices: list[Any], usage: bool, sizes: list[int], end: str, done: bool, pick: st.DataObject
) -> None:
    whole = read_answer(as_json(choices, usage), "application/json")
    streamed = as_stream(choices, usage, sizes, end, done, lambda left: pick.draw(st.sampled_from(left)))
    assert whole == read_answer(streamed, SSE)
    assert "".join(text for text, _, _ in choices) == (whole.text or "")
    assert [call for _, calls, _ in choices for call in calls] == [(c.name, c.arguments) for c in whole.tool_calls]
    assert choices[0][2] == whole.finish_reason
    assert ((9, 4, 3) if usage else (None, None, None)) == (
        whole.prompt_tokens,
        whole.cached_tokens,
        whole.completion_tokens,
    )


def stream(*chunks: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks)


def delta(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}}]}


@pytest.mark.parametrize("index", [{"index": 0}, {}])
def test_gateways_that_give_parallel_calls_one_index(index: dict[str, int]) -> None:
    """Two calls with ids of their own are two orders, never one with two halves of arguments."""
    found = read_answer(
        stream(
            delta(index | {"id": "a", "function": {"name": "place_order", "arguments": '{"qty": 1}'}}),
            delta(index | {"id": "b", "function": {"name": "place_order", "arguments": '{"qty"'}}),
            delta(index | {"function": {"arguments": ": 2}"}}),
        ),
        SSE,
    )
    assert (ToolCall("a", "place_order", '{"qty": 1}'), ToolCall("b", "place_order", '{"qty": 2}')) == found.tool_calls


def test_an_id_and_name_that_are_repeated_are_one_call() -> None:
    part = {"index": 0, "id": "a", "function": {"name": "place_order", "arguments": "x"}}
    assert (ToolCall("a", "place_order", "xx"),) == read_answer(stream(delta(part), delta(part)), SSE).tool_calls


@pytest.mark.parametrize("streamed", [False, True])
def test_arguments_that_are_an_object(streamed: bool) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "place_order", "arguments": {"symbol": "AAPL", "qty": 1.50}}}
    body = stream(delta(call)) if streamed else json.dumps({"choices": [{"message": {"tool_calls": [call]}}]}).encode()
    found = read_answer(body, SSE if streamed else "application/json").tool_calls
    assert ["place_order"] == [one.name for one in found]
    assert {"symbol": "AAPL", "qty": "1.5"} == json.loads(found[0].arguments)


def test_a_stream_that_broke_off_keeps_what_came() -> None:
    body = stream(delta({"index": 0, "id": "a", "function": {"name": "place_order", "arguments": '{"sym'}}))
    assert '{"sym' == read_answer(body + b'data: {"choices": [{"ind', SSE).tool_calls[0].arguments


def test_lines_that_are_no_json_are_passed_over() -> None:
    body = b"data: junk\n\n" + stream(delta({"index": 0, "function": {"name": "f"}})) + b"data: [1]\n\ndata: 5\n\n"
    assert (ToolCall(None, "f", ""),) == read_answer(body, SSE).tool_calls


def test_content_in_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, "junk", {"type": "text", "text": "b"}]
    body = json.dumps({"choices": [{"message": {"content": parts}}]}).encode()
    assert "ab" == read_answer(body, "application/json").text
    streamed = stream({"choices": [{"index": 0, "delta": {"content": parts}}]})
    assert "ab" == read_answer(streamed, SSE).text


def test_an_error_answer_says_nothing() -> None:
    empty = ChatAnswer(None, None, (), None, None, None, None)
    assert empty == read_answer(b'{"error": {"message": "overloaded"}}', "application/json")
    assert empty == read_answer(b"", SSE)


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"\xff"])
def test_what_is_no_json_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read_answer(body, "application/json")


@pytest.mark.parametrize("body", ["[]", "{}", '{"messages": "hi"}', '{"messages": {}}', "null", '"messages"'])
def test_what_is_no_chat_request(body: str) -> None:
    value = loads(body.encode())
    assert not is_chat(value)
    with pytest.raises(Unreadable):
        read_request(value)


def test_every_text_that_the_model_reads() -> None:
    body = {
        "model": "m",
        "stream": True,
        "messages": [
            {"role": "system", "content": "a"},
            {"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "image_url", "image_url": {}}, 5]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "tool_call_id": "1", "content": "c"},
            "junk",
            {"role": "user"},
        ],
    }
    found = read_request(loads(json.dumps(body).encode()))
    assert ("m", True, ("a", "b", "c")) == (found.model, found.stream, found.texts)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [(5, 5), (0, 0), (-1, None), ("5", 5), ("x", None), (1.5, None), (10**20, None), (None, None)],
)
def test_token_counts(tokens: Any, expected: int | None) -> None:
    body = json.dumps({"usage": {"prompt_tokens": tokens}}).encode()
    assert expected == read_answer(body, "application/json").prompt_tokens


REQUEST = """{"messages": [
  {"role": "user", "content": "buy AAPL"},
  {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "get_news"}}, {"id": "c2", "function": {"name": "get_bars"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "caf\\u00e9 \\"AAPL\\""},
  {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "first TSLA"}, {"type": "text", "text": "last"}]},
  {"role": "tool", "content": "no id"},
  {"role": "tool", "content": "no id either"},
  {"role": "tool", "tool_call_id": "c3", "content": null},
  {"role": "tool", "tool_call_id": "c4", "content": [{"type": "image_url"}]}
]}"""


def test_tool_results_are_items() -> None:
    body = REQUEST.encode()
    view = tool_results(body)
    assert "tool_result" == view.kind
    assert not view.insertable
    spans = []
    for item in view.items:
        node = item.field("text")
        assert node is not None
        spans.append((item.key, item.tool, body[node.start : node.end].decode()))
    assert [
        ("c1", "get_news", '"caf\\u00e9 \\"AAPL\\""'),
        ("c2", "get_bars", '"last"'),
        ("no id", None, '"no id"'),
        ("no id either", None, '"no id either"'),
    ] == spans
    assert "AAPL" in view.items[0].symbols
    assert "TSLA" in view.items[1].symbols


@given(st.sampled_from([b"", b"\xef\xbb\xbf"]), st.sampled_from([None, 2]), st.booleans())
def test_spans_hold_in_any_style(bom: bytes, indent: int | None, ascii_only: bool) -> None:
    body = bom + json.dumps(json.loads(REQUEST), indent=indent, ensure_ascii=ascii_only).encode()
    nodes = [item.field("text") for item in tool_results(body).items]
    assert ['café "AAPL"', "last", "no id", "no id either"] == [json.loads(body[n.start : n.end]) for n in nodes if n]


@pytest.mark.parametrize("body", [b"", b"{", b"nope", b'{"messages": [}', b"\xff"])
def test_no_document_no_view(body: bytes) -> None:
    with pytest.raises(Unreadable):
        tool_results(body)


@pytest.mark.parametrize("body", [b"[]", b"{}", b"5", b'{"messages": 5}', b'{"messages": [5, null, {"role": 1}]}'])
def test_another_document_has_no_items(body: bytes) -> None:
    assert () == tool_results(body).items


@given(st.binary(max_size=200), st.sampled_from([SSE, "application/json", ""]))
def test_random_bytes_raise_nothing_but_unreadable(body: bytes, kind: str) -> None:
    for read in (lambda: read_answer(body, kind), lambda: tool_results(body)):
        try:
            read()
        except Unreadable:
            pass


NAMES = ["choices", "delta", "message", "tool_calls", "function", "name", "arguments", "content", "index", "id", "usage",
         "messages", "role", "tool_call_id", "text", "finish_reason", "prompt_tokens_details"]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["tool", "assistant", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=15,
)


@given(VALUES)
def test_odd_shapes_raise_nothing_but_unreadable(value: Any) -> None:
    body = json.dumps(value).encode()
    read_answer(body, "application/json")
    read_answer(b"data: " + body + b"\n\n", SSE)
    tool_results(body)
    try:
        read_request(loads(body))
    except Unreadable:
        pass


def test_a_megabyte_of_stream_ends_soon() -> None:
    part = stream(delta({"index": 0, "function": {"arguments": "x"}}))
    began = time.process_time()
    read_answer(stream(delta({"index": 0, "function": {"name": "f"}})) + part * (1_000_000 // len(part)), SSE)
    tool_results(
        json.dumps(
            {"messages": [{"role": "tool", "tool_call_id": str(n), "content": "x"} for n in range(15_000)]}
        ).encode()
    )
    assert time.process_time() - began < 8
