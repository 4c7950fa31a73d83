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


def _first(body: bytes, node: Node, members: dict[str, Node], path: str | None) -> Node | None:
    if path is None:
        return None
    steps = compile_path(path)
    if len(steps) == 1 and isinstance(steps[0], str):
        return members.get(steps[0])
    return next((found for found, _ in select(body, node, steps)), None)


def _item(rule: ViewRule, body: bytes, node: Node) -> TextItem:
    # One pass for all members; of a name that stands twice the last counts.
    members = {str(child.key): child for child in children(body, node)}
    fields = []
    for name, path in rule.text.items():
        found = _first(body, node, members, path)
        if found is not None and found.kind == "string":
            fields.append((name, found))
    ident = _first(body, node, members, rule.parts.get("id"))
    symbols = _first(body, node, members, rule.parts.get("symbols"))
    published = _first(body, node, members, rule.parts.get("published"))
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
