"""Every form of model API that is read, by the name that the catalogue gives its codec."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from proxy.wire.views import anthropic, chat
from proxy.wire.views.chat import ChatAnswer, ChatRequest
from proxy.wire.views.text import TextView


@dataclass(frozen=True, slots=True)
class LlmCodec:
    """How one form is read. `request` raises Unreadable for a body of another shape: a path proves nothing."""

    request: Callable[[Any], ChatRequest]
    answer: Callable[[bytes, str], ChatAnswer]
    tool_results: Callable[[bytes], TextView]


CODECS: Final[dict[str, LlmCodec]] = {
    "openai_chat": LlmCodec(chat.read_request, chat.read_answer, chat.tool_results),
    "anthropic": LlmCodec(anthropic.read_request, anthropic.read_answer, anthropic.tool_results),
}
