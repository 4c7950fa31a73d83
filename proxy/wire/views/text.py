"""The view that text attacks work on: items with named text fields, each a span of one JSON body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from corpus.terms import Instant
from proxy.wire.codecs.json_span import Node


@dataclass(frozen=True, slots=True)
class TextItem:
    """
    One news item or tool result.

    `key` is the same when the item is served again. `fields` maps headline, summary, content or text to
    string values; `ids` and `lists` are other values that a copy of the item must change.
    """

    key: str
    node: Node
    fields: tuple[tuple[str, Node], ...]
    html: frozenset[str] = frozenset()
    symbols: tuple[str, ...] = ()
    tool: str | None = None
    published_ns: Instant | None = None
    id: Node | None = None
    symbols_node: Node | None = None

    def field(self, name: str) -> Node | None:
        """The span of a field, if the item has it as a string."""
        return dict(self.fields).get(name)


@dataclass(frozen=True, slots=True)
class TextView:
    """All items of one body. `insertable`: items are members of an array, so one can be added."""

    kind: Literal["news", "tool_result"]
    body: bytes
    items: tuple[TextItem, ...]
    insertable: bool = False


_SYMBOL: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]{0,14}(?:[./-][A-Z0-9]{1,8})?(?![A-Za-z0-9])")


def symbols_in(text: str) -> tuple[str, ...]:
    """
    Every word of a text that may be a ticker, once, in order: a tool result has no list of its symbols.

    Plain words in capitals are among them, and no harm: a symbol is only ever looked for.
    """
    return tuple(dict.fromkeys(_SYMBOL.findall(text)))
