"""
Values in JSON text that is not to be trusted to be JSON: cut, broken or several documents in a row.

One pass over the strings of a body, without a tree: what a parser would refuse is read as far as it goes,
and no depth is too deep. Bytes in, spans out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from typing import Final, NamedTuple

# A string without an end runs to the end of the body, so that no byte is looked at twice.
_STRING: Final = rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\\?\Z)'
_TOKEN: Final = re.compile(_STRING + rb"([ \t\r\n]*+:)?", re.DOTALL)
_INSIDE: Final = re.compile(_STRING + rb"([ \t\r\n]*+:)?|[\[\]{}]|[^\s\[\]{}\",:]+", re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_SCALAR: Final = re.compile(rb"[^\s\[\]{}\",:]+")
_SCHEMA: Final = re.compile(rb'\{\s*+"(?:type|description|title|enum|anyOf|oneOf|allOf|default|\$ref)"\s*+:')
_WORDS: Final = (b"true", b"false", b"null")


class Value(NamedTuple):
    """One value that a redactor must look at: `body[start:end]`, its text, and whether its name is secret."""

    start: int
    end: int
    text: str
    secret: bool
    nested: bool = False


def values(body: bytes, is_secret: Callable[[str], bool]) -> Iterator[Value]:
    """
    Values with secret names, and string values whose escapes may hide something.

    Args:
        body: Any bytes.
        is_secret: Whether a member's value is secret, by its name.

    Yields:
        Values in document order. All scalars of an object or list with a secret name are secret (`nested`),
        unless it describes a parameter, as tools of models do.
    """
    at = 0
    while (found := _TOKEN.search(body, at)) is not None:
        at = found.end()
        if found[2] is None:
            if b"\\" in found[1]:
                yield Value(found.start(), at, _text(found[1]), secret=False)
        elif is_secret(_text(found[1])):
            at = _SPACE.match(body, at).end()  # type: ignore[union-attr]
            if body[at : at + 1] in (b"{", b"["):
                if _SCHEMA.match(body, at) is None:
                    at = yield from _all(body, at)
                continue
            one = _scalar(body, at)
            if one is not None:
                at = one.end
                if one.text:
                    yield one


def _text(raw: bytes) -> str:
    if b"\\" in raw:
        try:
            return str(json.loads(b'"' + raw + b'"', strict=False))
        except ValueError:
            pass
    return raw.decode("utf-8", "replace")


def _scalar(body: bytes, at: int) -> Value | None:
    string = _TOKEN.match(body, at)
    if string is not None:
        # The colon that may follow is no part of a value.
        return Value(at, string.end() - len(string[2] or b""), _text(string[1]), secret=True)
    other = _SCALAR.match(body, at)
    if other is None:
        return None
    text = "" if other[0] in _WORDS else other[0].decode("utf-8", "replace")
    return Value(at, other.end(), text, secret=True)


def _all(body: bytes, at: int) -> Generator[Value, None, int]:
    """Every scalar up to the end of the object or list that starts here; returns where it ends."""
    depth = 0
    for found in _INSIDE.finditer(body, at):
        head = found[0][:1]
        if head in (b"{", b"["):
            depth += 1
        elif head in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                return found.end()
        elif head == b'"':
            if found[2] is None and found[1]:
                yield Value(found.start(), found.end(), _text(found[1]), secret=True, nested=True)
        elif found[0] not in _WORDS:
            yield Value(found.start(), found.end(), found[0].decode("utf-8", "replace"), secret=True, nested=True)
    return len(body)


def blanked(body: bytes) -> bytes:
    """Every string value of JSON text, or else every letter and digit, as x: lengths stay."""
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return re.sub(rb"[^\W_]", b"x", body)
    return _TOKEN.sub(lambda found: found[0] if found[2] is not None else _blank(found), body)


def _blank(found: re.Match[bytes]) -> bytes:
    start, end = found.span(1)
    inside = b"x" * (end - start)
    return found[0][: start - found.start()] + inside + found[0][end - found.start() :]
