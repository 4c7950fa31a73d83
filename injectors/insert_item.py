"""A whole new item before an existing one: a copy of its bytes with other texts, id and symbols."""

from __future__ import annotations

import json
from random import Random

from injectors.base import CannotApply, Injection
from proxy.wire.codecs.json_span import Node, encode_text, printed
from proxy.wire.edit import Edit, apply
from proxy.wire.views.text import TextItem, TextView


def insert_item(view: TextView, item: TextItem, injection: Injection) -> tuple[Edit, ...]:
    """
    Insert a fabricated item.

    The payload's text becomes the field that the case names (the longest text by default); parameters
    called headline, summary, content and symbol fill the others. Times, urls and member order are the
    neighbour's, so that it looks like its kind.

    Raises:
        CannotApply: Items do not stand in a list, or the neighbour has no text.
    """
    if not view.insertable:
        raise CannotApply("items of this view do not stand in a list")
    params = dict(injection.params)
    wanted = injection.case.placement.field
    names = [name for name, _ in item.fields]
    main = wanted if wanted in names else next((n for n in ("content", "summary", "headline") if n in names), None)
    if main is None:
        raise CannotApply("the neighbouring item has no text to replace")
    edits: list[Edit] = []
    for name, node in item.fields:
        text = injection.text if name == main else params.get(name)
        if text is None:
            text = params.get("headline", injection.needle) if name == "headline" else ""
        edits.append(_replace(view.body, item.node, node, text, name))
    if item.id is not None and item.id.kind in ("string", "number"):
        edits.append(_new_id(view, item, item.id, injection.seed))
    if item.symbols_node is not None and "symbol" in params:
        edits.append(_symbols(view.body, item, item.symbols_node, params["symbol"]))
    copy = apply(view.body[item.node.start : item.node.end], edits)
    # In front of its neighbour, the white space between items as the sender writes it.
    return (Edit(item.node.start, b"", copy + b"," + _gap(view), "item", "insert an item"),)


def _replace(body: bytes, item: Node, node: Node, text: str, name: str) -> Edit:
    old = body[node.start : node.end]
    return Edit(node.start - item.start, old, encode_text(text, old), name, "")


def _new_id(view: TextView, item: TextItem, node: Node, seed: int) -> Edit:
    old = view.body[node.start : node.end]
    text = printed(view.body, node) or ""
    taken = {printed(view.body, other.id) for other in view.items if other.id is not None}
    chance = Random(seed)  # noqa: S311 (repeatable on purpose)
    new = text
    for n in range(1000):
        if new not in taken:
            break
        # Same length and alphabet, so that it looks like the sender's ids; one longer when all of these are taken.
        new = _alike(text + text[-1:] * (n // 100), chance, number=node.kind == "number")
    encoded = new.encode() if node.kind == "number" else encode_text(new, old)
    return Edit(node.start - item.node.start, old, encoded, "id", "")


def _alike(text: str, chance: Random, *, number: bool) -> str:
    out = ""
    for char in text:
        if char in "0123456789":
            # No number begins with a zero.
            out += chance.choice("123456789" if number and not out.strip("-") else "0123456789")
        elif number or not char.isalpha():
            out += char
        else:
            out += chance.choice("ABCDEF" if char.isupper() else "abcdef")
    return out


def _symbols(body: bytes, item: TextItem, node: Node, symbol: str) -> Edit:
    old = body[node.start : node.end]
    new = json.dumps([symbol]).encode() if node.kind == "array" else encode_text(symbol, old)
    return Edit(node.start - item.node.start, old, new, "symbols", "")


def _gap(view: TextView) -> bytes:
    """What stands between two items after the comma."""
    if len(view.items) < 2:
        before = view.body[: view.items[0].node.start]
        indent = before[len(before.rstrip(b" \t\r\n")) :]
        return indent if b"\n" in indent else b" " if b'": ' in view.body[:400] else b""
    between = view.body[view.items[0].node.end : view.items[1].node.start]
    return between.partition(b",")[2] if between.strip() == b"," else b""
