"""How a payload is dressed, so that it hides from people or filters. Pure text to text; one name a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

ZERO_WIDTH_SPACE: Final = "\u200b"


def plain(text: str) -> str:
    """As it is."""
    return text


def hidden_html(text: str) -> str:
    """In an element that browsers do not draw and models read."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<span style="display:none">{escaped}</span>'


def zero_width(text: str) -> str:
    """A zero-width space inside every longer word: filters that look for words miss it, readers do not."""
    return " ".join(word[:2] + ZERO_WIDTH_SPACE + word[2:] if len(word) > 3 else word for word in text.split(" "))


DISGUISES: Final[dict[str, Callable[[str], str]]] = {
    "plain": plain,
    "hidden_html": hidden_html,
    "zero_width": zero_width,
}
