"""
Anthropic's messages form: tool calls, token usage, tool results. JSON and streamed answers read alike.

Pure; Unreadable when bytes are not what they say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.wire.codecs import sse
from proxy.wire.codecs.json_span import Node, children, loads, member, printed, root, text_of
from proxy.wire.edit import Unreadable
from proxy.wire.rules import find
from proxy.wire.views.chat import ChatAnswer, ChatRequest, ToolCall
from proxy.wire.views.text import TextItem, TextView, symbols_in


def read_request(value: Any) -> ChatRequest:
    """A loaded request body. Raises Unreadable when it is no messages request."""
    if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list) or "max_tokens" not in value:
        raise Unreadable("no messages with max_tokens: not a messages request")
    model = value.get("model")
    texts = (
        *_content_texts(value.get("system")),
        *(t for one in value["messages"] for t in _content_texts(find(one, "content"))),
    )
    return ChatRequest(str(model) if isinstance(model, str) else None, value.get("stream") is True, tuple(texts))


def _content_texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if not isinstance(block, Mapping):
                continue
            if isinstance(block.get("text"), str):
                yield block["text"]
            if block.get("type") == "tool_result":
                yield from _content_texts(block.get("content"))


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16 else None


def _prompt(usage: Any) -> tuple[int | None, int | None]:
    """Prompt tokens with the cached ones, which this API counts apart, and the cached ones."""
    plain = _count(find(usage, "input_tokens"))
    if plain is None:
        return None, None
    cached = _count(find(usage, "cache_read_input_tokens")) or 0
    written = _count(find(usage, "cache_creation_input_tokens")) or 0
    return plain + cached + written, cached


def _optional(value: Any) -> str | None:
    return str(value) if isinstance(value, str) else None


def read_answer(body: bytes, media_type: str) -> ChatAnswer:
    """
    One answer, JSON or streamed.

    Args:
        body: Plain bytes of the whole response.
        media_type: `text/event-stream` is streamed.

    Raises:
        Unreadable: Not JSON.
    """
    if media_type == "text/event-stream":
        return _streamed(body)
    value = loads(body)
    blocks = value.get("content") if isinstance(value, Mapping) else None
    texts: list[str] = []
    calls: list[ToolCall] = []
    for block in blocks if isinstance(blocks, list) else ():
        if find(block, "type") == "tool_use" and isinstance(find(block, "name"), str):
            calls.append(
                ToolCall(_optional(find(block, "id")), str(find(block, "name")), _dumped(find(block, "input")))
            )
        elif isinstance(find(block, "text"), str):
            texts.append(find(block, "text"))
    prompt, cached = _prompt(find(value, "usage"))
    return ChatAnswer(
        _optional(find(value, "model")),
        "".join(texts) or None,
        tuple(calls),
        _optional(find(value, "stop_reason")),
        prompt,
        cached,
        _count(find(value, "usage.output_tokens")),
    )


def _dumped(value: Any) -> str:
    """The arguments as JSON text, numbers as they were printed."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {_dumped(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_dumped, value)) + "]"
    if type(value) is not str and isinstance(value, str):
        return str(value)
    return json.dumps(value)


class _Growing:
    __slots__ = ("first", "id", "name", "parts")

    def __init__(self, block: Any) -> None:
        self.id = _optional(find(block, "id"))
        self.name = _optional(find(block, "name"))
        self.first = find(block, "input")
        self.parts: list[str] = []

    def call(self) -> ToolCall | None:
        if self.name is None:
            return None
        return ToolCall(self.id, self.name, "".join(self.parts) or _dumped(self.first or {}))


def _streamed(body: bytes) -> ChatAnswer:
    model = finish = None
    texts: list[str] = []
    growing: dict[str, _Growing] = {}
    prompt = cached = completion = None
    for event in sse.events(body):
        try:
            value = loads(event.data.encode("utf-8", "replace"))
        except Unreadable:
            continue
        kind, index = find(value, "type"), str(find(value, "index"))
        if kind == "message_start":
            model = _optional(find(value, "message.model"))
            prompt, cached = _prompt(find(value, "message.usage"))
            completion = _count(find(value, "message.usage.output_tokens"))
        elif kind == "content_block_start" and find(value, "content_block.type") == "tool_use":
            growing[index] = _Growing(find(value, "content_block"))
        elif kind == "content_block_delta":
            part, text = find(value, "delta.partial_json"), find(value, "delta.text")
            if isinstance(part, str) and index in growing:
                growing[index].parts.append(part)
            if isinstance(text, str):
                texts.append(text)
        elif kind == "message_delta":
            finish = _optional(find(value, "delta.stop_reason")) or finish
            completion = _count(find(value, "usage.output_tokens")) or completion
    calls = tuple(call for one in growing.values() if (call := one.call()) is not None)
    return ChatAnswer(model, "".join(texts) or None, calls, finish, prompt, cached, completion)


def tool_results(body: bytes) -> TextView:
    """
    The `tool_result` blocks of a request, as text items that an attack can edit.

    Raises:
        Unreadable: Not one JSON document.
    """
    top = root(body)
    listed = member(body, top, "messages")
    names: dict[str, str] = {}
    items: list[TextItem] = []
    for message in children(body, listed) if listed else ():
        content = member(body, message, "content")
        for block in children(body, content) if content and content.kind == "array" else ():
            kind = member(body, block, "type")
            said = printed(body, kind) if kind else None
            if said == "tool_use":
                names |= _named(body, block)
            elif said == "tool_result":
                items += _result(body, block, names)
    return TextView("tool_result", body, tuple(items))


def _named(body: bytes, block: Node) -> dict[str, str]:
    ident, name = member(body, block, "id"), member(body, block, "name")
    if ident and name and ident.kind == name.kind == "string":
        return {text_of(body, ident): text_of(body, name)}
    return {}


def _result(body: bytes, block: Node, names: dict[str, str]) -> list[TextItem]:
    ident = member(body, block, "tool_use_id")
    key = printed(body, ident) if ident else None
    content = member(body, block, "content")
    if content is None:
        return []
    texts = [content] if content.kind == "string" else []
    if content.kind == "array":
        parts = (member(body, part, "text") for part in children(body, content) if part.kind == "object")
        texts = [part for part in parts if part is not None and part.kind == "string"]
    if not texts:
        return []
    symbols = tuple(dict.fromkeys(symbol for text in texts for symbol in symbols_in(text_of(body, text))))
    return [
        TextItem(key=key or "", node=block, fields=(("text", texts[-1]),), symbols=symbols, tool=names.get(key or ""))
    ]
