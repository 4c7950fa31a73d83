"""Whether a payload reached a model: its words, found again in what the model is asked to read. Pure."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable

_TAGS = re.compile(r"<[^<>]{0,2000}>")
_SPACES = re.compile(r"\s+")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})")


def folded(text: str) -> str:
    """
    Text without what agents change on the way: escapes, tags, entities, invisible characters, white space.

    JSON inside JSON is common (a tool result is a string of JSON), so escapes are undone twice.
    """
    for _ in range(2):
        if "\\" in text:
            text = _ESCAPES.sub(lambda found: chr(int(found[1], 16)), text)
            text = (
                text.replace("\\n", " ")
                .replace("\\t", " ")
                .replace('\\"', '"')
                .replace("\\/", "/")
                .replace("\\\\", "\\")
            )
    text = html.unescape(_TAGS.sub(" ", html.unescape(text)))
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def found(needle: str, texts: Iterable[str]) -> str | None:
    """
    How a payload stands in any of the texts.

    Args:
        needle: The payload's words.
        texts: From `folded`, so that many needles fold a long conversation once.

    Returns:
        `whole`, or `start` when at least the first 60 % is there (agents cut long results), or None.
    """
    wanted = folded(needle)
    if not wanted:
        return None
    head = wanted[: max(24, len(wanted) * 6 // 10)]
    best = None
    for inside in texts:
        if wanted in inside:
            return "whole"
        if len(head) < len(wanted) and head in inside:
            best = "start"
    return best
