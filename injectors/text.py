"""Text into one field of an item: in front, behind, instead, or none left. Only that value's span changes."""

from __future__ import annotations

from injectors.base import CannotApply, Injection
from proxy.wire.codecs.json_span import encode_text, text_of
from proxy.wire.edit import Edit
from proxy.wire.views.text import TextItem, TextView


def field_of(item: TextItem, wanted: str) -> str:
    """
    The field that a case means: its own, or for `text` the longest kind the item has.

    Raises:
        CannotApply: The item has no such text.
    """
    names = [name for name, _ in item.fields]
    order = ("content", "summary", "text", "headline") if wanted == "text" else (wanted,)
    for name in order:
        if name in names:
            return name
    raise CannotApply(f"the item has no field {wanted}; it has {', '.join(names) or 'no text'}")


def edit_text(view: TextView, item: TextItem, injection: Injection) -> tuple[Edit, ...]:
    """
    One edit of one text field.

    Args:
        view: The body's view.
        item: The item to poison.
        injection: What to put in; its case says where and how.

    Raises:
        CannotApply: The field is absent, or the mode does not belong to text.
    """
    placement = injection.case.placement
    name = field_of(item, placement.field)
    node = item.field(name)
    assert node is not None
    old = view.body[node.start : node.end]
    text = text_of(view.body, node)
    joint = " " if name == "headline" else "\n" if view.kind == "tool_result" else " "
    if placement.mode == "append":
        # Only the closing quote's place changes: what stood there stays, byte for byte.
        new_part = encode_text(joint + injection.text, old)[1:-1]
        return (Edit(node.end - 1, b"", new_part, name, f"append to {name}"),)
    if placement.mode == "prepend":
        new_part = encode_text(injection.text + joint, old)[1:-1]
        return (Edit(node.start + 1, b"", new_part, name, f"prepend to {name}"),)
    if placement.mode == "replace":
        return (Edit(node.start, old, encode_text(injection.text, old), name, f"replace {name}"),)
    if placement.mode == "remove":
        return (Edit(node.start, old, b'""', name, f"empty {name} ({len(text)} characters)"),)
    raise CannotApply(f"mode {placement.mode} is not for text")
