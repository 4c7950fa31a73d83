"""A body that holds news, as a TextView. Pure; Unreadable when the body is not JSON."""

from __future__ import annotations

from corpus.terms import instant
from proxy.wire.catalogue import ViewRule
from proxy.wire.codecs.json_span import Node, children, compile_path, printed, root, select, text_of
from proxy.wire.edit import Unreadable
from proxy.wire.views.text import TextItem, TextView


def read(rule: ViewRule, body: bytes) -> TextView:
    """
    The news items of a JSON body.

    Args:
        rule: The catalogue's news view.
        body: Plain bytes.

    Returns:
        Items in document order; none when the path leads nowhere.

    Raises:
        Unreadable: The body is not one JSON document.
    """
    top = root(body)
    steps = compile_path(rule.items)
    found = [(node, keys) for node, keys in select(body, top, steps) if node.kind == "object"]
    # Items that are members of an object have names, and a copy would need one too.
    listed = bool(steps) and steps[-1] is None and all(isinstance(keys[-1], int) for _, keys in found)
    return TextView("news", body, tuple(_item(rule, body, node) for node, _ in found), listed)


def _first(body: bytes, node: Node, path: str | None) -> Node | None:
    return next((found for found, _ in select(body, node, compile_path(path))), None) if path else None


def _item(rule: ViewRule, body: bytes, node: Node) -> TextItem:
    fields = []
    for name, path in rule.text.items():
        found = _first(body, node, path)
        if found is not None and found.kind == "string":
            fields.append((name, found))
    ident = _first(body, node, rule.parts.get("id"))
    symbols = _first(body, node, rule.parts.get("symbols"))
    published = _first(body, node, rule.parts.get("published"))
    time = printed(body, published) if published else None
    key = printed(body, ident) if ident else None
    return TextItem(
        key=key if key is not None else _fallback_key(body, fields),
        node=node,
        fields=tuple(fields),
        html=frozenset(rule.html),
        symbols=_words(body, symbols),
        published_ns=instant(time) if time else None,
        id=ident,
        symbols_node=symbols,
    )


def _fallback_key(body: bytes, fields: list[tuple[str, Node]]) -> str:
    return text_of(body, fields[0][1])[:120] if fields else ""


def _words(body: bytes, node: Node | None) -> tuple[str, ...]:
    """A list of strings, or one string with commas, as words."""
    if node is None:
        return ()
    try:
        if node.kind == "string":
            return tuple(word.strip() for word in text_of(body, node).split(",") if word.strip())
        return tuple(text_of(body, child) for child in children(body, node) if child.kind == "string")
    except Unreadable:
        return ()
