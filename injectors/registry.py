"""Which injector serves which placement."""

from __future__ import annotations

from injectors.base import CannotApply, Injection
from injectors.insert_item import insert_item
from injectors.text import edit_text
from proxy.wire.edit import Edit
from proxy.wire.views.text import TextItem, TextView


def edits_for(view: TextView, item: TextItem, injection: Injection) -> tuple[Edit, ...]:
    """
    The edits of an injection on one item.

    Raises:
        CannotApply: It does not fit; the reason is for the journal.
    """
    mode = injection.case.placement.mode
    if injection.case.payload is None:
        raise CannotApply("transforms are not known to this version")
    if mode == "insert_item":
        return insert_item(view, item, injection)
    return edit_text(view, item, injection)
