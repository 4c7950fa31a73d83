"""
Chat completions (OpenAI's form, spoken by many gateways): tool calls, token usage, tool results.

JSON and streamed answers give the same reading. Pure; Unreadable when bytes are not what they say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.wire.codecs import sse
from proxy.wire.codecs.json_span import Node, children, loads, member, printed, root, text_of
from proxy.wire.edit import Unreadable
from proxy.wire.rules import find
from proxy.wire.views.text import TextItem, TextView, symbols_in


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model emitted. `arguments` is JSON text as the model wrote it."""

    call_id: str | None
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One model answer. Prompt tokens include the cached ones."""

    model: str | None
    text: str | None
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str | None
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a chat request says: its model, whether it streams, and every text that the model will read."""

    model: str | None
    stream: bool
    texts: tuple[str, ...]


def is_chat(value: Any) -> bool:
    """Whether a request body has the shape of a chat request (the path alone does not prove it)."""
    return isinstance(value, Mapping) and isinstance(value.get("messages"), list)


def read_request(value: Any) -> ChatRequest:
    """A loaded request body. Raises Unreadable when it is no chat request."""
    if not is_chat(value):
        raise Unreadable("no messages: not a chat request")
    model = value.get("model")
    texts = tuple(text for message in value["messages"] for text in _texts(message))
    return ChatRequest(str(model) if isinstance(model, str) else None, value.get("stream") is True, texts)


def _texts(message: Any) -> Iterator[str]:
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            text = part.get("text") if isinstance(part, Mapping) else None
            if isinstance(text, str):
                yield text


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16 else None


def _usage(value: Any) -> tuple[int | None, int | None, int | None]:
    usage = value.get("usage") if isinstance(value, Mapping) else None
    return (
        _count(find(usage, "prompt_tokens")),
        _count(find(usage, "prompt_tokens_details.cached_tokens")),
        _count(find(usage, "completion_tokens")),
    )


def _optional(value: Any) -> str | None:
    return str(value) if isinstance(value, str) else None


def _call(value: Any) -> ToolCall | None:
    name = find(value, "function.name")
    if not isinstance(name, str) or not name:
        return None
    arguments = find(value, "function.arguments")
    return ToolCall(_optional(find(value, "id")), str(name), _arguments(arguments))


def _arguments(value: Any) -> str:
    """The arguments as text; some servers print the object itself, numbers of which then stand in quotes."""
    return str(value) if isinstance(value, str) else json.dumps(value) if value is not None else ""


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
    choices = value.get("choices") if isinstance(value, Mapping) else None
    texts: list[str] = []
    calls: list[ToolCall] = []
    for choice in choices if isinstance(choices, list) else ():
        message = find(choice, "message")
        texts += _texts(message)
        listed = find(message, "tool_calls")
        calls += [call for entry in (listed if isinstance(listed, list) else ()) if (call := _call(entry))]
    prompt, cached, completion = _usage(value)
    return ChatAnswer(
        _optional(find(value, "model")),
        "".join(texts) or None,
        tuple(calls),
        _optional(find(value, "choices[0].finish_reason")),
        prompt,
        cached,
        completion,
    )


class _Growing:
    __slots__ = ("arguments", "id", "name")

    def __init__(self) -> None:
        self.id: str | None = None
        self.name = ""
        self.arguments: list[str] = []


@dataclass(slots=True)
class _Choice:
    """One choice while it streams. `open` holds the call that each index grows at the moment."""

    texts: list[str] = field(default_factory=list)
    calls: list[_Growing] = field(default_factory=list)
    open: dict[str, _Growing] = field(default_factory=dict)
    finish: str | None = None

    def take(self, choice: Any) -> None:
        self.finish = _optional(find(choice, "finish_reason")) or self.finish
        self.texts += _texts(find(choice, "delta"))
        listed = find(choice, "delta.tool_calls")
        for entry in listed if isinstance(listed, list) else ():
            self.grow(entry)

    def grow(self, entry: Any) -> None:
        key, ident, name = str(find(entry, "index")), _optional(find(entry, "id")), find(entry, "function.name")
        one = self.open.get(key)
        # Some gateways give every parallel call the index 0, or none: another id and a name begin another call.
        if one is None or (ident and one.id and ident != one.id and isinstance(name, str) and name):
            one = self.open[key] = _Growing()
            self.calls.append(one)
        one.id = ident or one.id
        if isinstance(name, str) and name and not one.name:
            one.name = str(name)
        one.arguments.append(_arguments(find(entry, "function.arguments")))


def _streamed(body: bytes) -> ChatAnswer:
    model: str | None = None
    choices: dict[str, _Choice] = {}
    usage: tuple[int | None, int | None, int | None] = (None, None, None)
    for event in sse.events(body):
        if event.data.strip() == "[DONE]":
            continue
        try:
            chunk = loads(event.data.encode("utf-8", "replace"))
        except Unreadable:
            continue
        model = _optional(find(chunk, "model")) or model
        if isinstance(find(chunk, "usage"), Mapping):
            usage = _usage(chunk)
        listed = find(chunk, "choices")
        for choice in listed if isinstance(listed, list) else ():
            choices.setdefault(str(find(choice, "index")), _Choice()).take(choice)
    inorder = [choices[key] for key in sorted(choices, key=lambda key: int(_count(key) or 0))]
    calls = tuple(
        ToolCall(one.id, one.name, "".join(one.arguments)) for choice in inorder for one in choice.calls if one.name
    )
    first = inorder[0] if inorder else _Choice()
    text = "".join(part for choice in inorder for part in choice.texts)
    return ChatAnswer(model, text or None, calls, first.finish, *usage)


def tool_results(body: bytes) -> TextView:
    """
    The tool results of a chat request, as text items that an attack can edit.

    Args:
        body: Plain bytes of the request.

    Returns:
        One item for each `role: tool` message, keyed by its tool_call_id; field `text`.

    Raises:
        Unreadable: Not one JSON document.
    """
    top = root(body)
    listed = member(body, top, "messages")
    messages = [node for node in children(body, listed) if node.kind == "object"] if listed else []
    names: dict[str, str] = {}
    items: list[TextItem] = []
    for node in messages:
        role = member(body, node, "role")
        said = printed(body, role) if role else None
        if said == "assistant":
            names |= _call_names(body, node)
        elif said == "tool":
            items += _result(body, node, names)
    return TextView("tool_result", body, tuple(items))


def _call_names(body: bytes, message: Node) -> dict[str, str]:
    calls = member(body, message, "tool_calls")
    out: dict[str, str] = {}
    for call in children(body, calls) if calls and calls.kind == "array" else ():
        ident, function = member(body, call, "id"), member(body, call, "function")
        name = member(body, function, "name") if function else None
        if ident and name and ident.kind == name.kind == "string":
            out[text_of(body, ident)] = text_of(body, name)
    return out


def _result(body: bytes, message: Node, names: dict[str, str]) -> list[TextItem]:
    ident = member(body, message, "tool_call_id")
    key = printed(body, ident) if ident else None
    content = member(body, message, "content")
    if content is None:
        return []
    texts = [content] if content.kind == "string" else []
    if content.kind == "array":
        parts = (member(body, part, "text") for part in children(body, content) if part.kind == "object")
        texts = [part for part in parts if part is not None and part.kind == "string"]
    if not texts:
        return []
    # The last text part: what is appended there ends the result.
    symbols = tuple(dict.fromkeys(symbol for text in texts for symbol in symbols_in(text_of(body, text))))
    return [
        TextItem(
            # Without an id the text is the key, so that two results are never taken for one.
            key=key or text_of(body, texts[0])[:120],
            node=message,
            fields=(("text", texts[-1]),),
            symbols=symbols,
            tool=names.get(key or ""),
        )
    ]
