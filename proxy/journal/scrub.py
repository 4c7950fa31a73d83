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

from proxy.journal.names import Kind, counts

# A string without an end runs to the end of the body, so that no byte is looked at twice.
_STRING: Final = rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\\?\Z)'
_TOKEN: Final = re.compile(_STRING + rb"([ \t\r\n]*+:)?", re.DOTALL)
_INSIDE: Final = re.compile(_STRING + rb"([ \t\r\n]*+:)?|[\[\]{}]|[^\s\[\]{}\",:]+", re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_SCALAR: Final = re.compile(rb"[^\s\[\]{}\",:]+")
# Of JSON schema, as models are told of the tools that they may call.
_SCHEMA: Final = re.compile(
    rb'\{\s*+"(?:type"\s*+:\s*+(?:"(?:string|number|integer|boolean|object|array|null)"|\[)'
    rb'|(?:description|title|enum|anyOf|oneOf|allOf|default|\$ref)"\s*+:)'
)
_SCHEMA_PARENTS: Final = (b"properties", b"parameters", b"input_schema", b"definitions", b"$defs")
_WORDS: Final = (b"true", b"false", b"null")
_LOOSE: Final = re.compile(rb"[=:%<]|-----|[Bb]earer | is |/bot")
_NAMES_OF_PAIRS: Final = frozenset("name key header field param parameter k n".split())
_VALUES_OF_PAIRS: Final = frozenset("value val v content".split())
_FIRST: Final = re.compile(rb"[\[,]\s*\[\s*\Z")
_NEXT: Final = re.compile(rb"\s*+,\s*+")
_NAME_NEXT: Final = re.compile(rb'\s*+,\s*+"(?:name|key|header|field|param|parameter|k|n)"\s*+:\s*+"([^"\\]{1,64})"')
_NEAR: Final = 400


class Value(NamedTuple):
    """One value that a redactor must look at: `body[start:end]`, its text, and whether its name is secret."""

    start: int
    end: int
    text: str
    secret: bool
    nested: bool = False
    kind: Kind = Kind.YES


def values(body: bytes, kind_of: Callable[[str], Kind], *, loose: bool = False) -> Iterator[Value]:
    """
    Values with secret names, and string values that may hide something.

    Args:
        body: Any bytes.
        kind_of: What a member's name says of its value.
        loose: Also yield strings that may hold secrets without escapes, and read pairs of a name and a value.

    Yields:
        Values in document order. All scalars of an object or list with a secret name are secret (`nested`),
        unless it describes a parameter, as tools of models do.
    """
    at = 0
    places = _Places(body)
    member = ""
    paired, near = Kind.NO, 0
    while (found := _TOKEN.search(body, at)) is not None:
        at = found.end()
        if found[2] is None:
            if loose:
                kind = kind_of(text) if len(text := _text(found[1])) <= 64 else Kind.NO
                if kind is not Kind.NO:
                    if member in _NAMES_OF_PAIRS:
                        paired, near = kind, at + _NEAR
                    elif _FIRST.search(body[max(0, found.start() - 20) : found.start()]) is not None:
                        comma = _NEXT.match(body, at)
                        second = _scalar(body, comma.end()) if comma is not None else None
                        if second is not None and counts(kind, second.text, string=True):
                            at = second.end
                            yield second._replace(kind=kind)
            if b"\\" in found[1] or (loose and _LOOSE.search(found[1]) is not None):
                yield Value(found.start(), found.end(), _text(found[1]), secret=False)
            continue
        member = _text(found[1])
        kind = kind_of(member)
        if loose and member in _VALUES_OF_PAIRS and kind is Kind.NO:
            if paired is not Kind.NO and at < near and body.find(b"}", near - _NEAR, found.start()) < 0:
                kind = paired
            else:
                kind = _named_after(body, at, kind_of)
            paired = Kind.NO
        if kind is not Kind.NO:
            at = yield from _named(body, at, kind, places)


def _named_after(body: bytes, at: int, kind_of: Callable[[str], Kind]) -> Kind:
    one = _scalar(body, _space(body, at))
    named = _NAME_NEXT.match(body, one.end) if one is not None else None
    return kind_of(named[1].decode("utf-8", "replace")) if named is not None else Kind.NO


def _space(body: bytes, at: int) -> int:
    found = _SPACE.match(body, at)
    return found.end() if found else at


def _named(body: bytes, at: int, kind: Kind, places: _Places) -> Generator[Value, None, int]:
    """What stands after a secret name; returns where to go on."""
    at = _space(body, at)
    head = body[at : at + 1]
    if head in (b"{", b"["):
        if kind is Kind.STRINGS and head == b"[" and body[(start := _space(body, at + 1)) : start + 1] != b'"':
            return at
        if kind in (Kind.RANDOM, Kind.TEXT) or (kind is Kind.STRINGS and head == b"{"):
            return at
        if _SCHEMA.match(body, at) is not None and places.parent(at) in _SCHEMA_PARENTS:
            return at
        return (yield from _all(body, at, kind))
    one = _scalar(body, at)
    if one is None:
        return at
    if one.text and not counts(kind, one.text, string=head == b'"'):
        return at
    if one.text:
        yield one._replace(kind=kind)
    return one.end


class _Places:
    """What holds a value, by name; asked in document order, so that a body is passed once at most."""

    def __init__(self, body: bytes) -> None:
        self._tokens = _INSIDE.finditer(body)
        self._ahead: re.Match[bytes] | None = None
        self._names: list[bytes] = []
        self._member = b""

    def parent(self, at: int) -> bytes:
        """The name of the object or list in which the value that starts at `at` stands."""
        while True:
            if self._ahead is None:
                self._ahead = next(self._tokens, None)
            if self._ahead is None or self._ahead.start() >= at:
                return self._names[-1] if self._names else b""
            self._take(self._ahead)
            self._ahead = None

    def _take(self, token: re.Match[bytes]) -> None:
        head = token[0][:1]
        if head in (b"{", b"["):
            self._names.append(self._member)
            self._member = b""
        elif head in (b"}", b"]"):
            if self._names:
                self._names.pop()
            self._member = b""
        else:
            self._member = token[1] if head == b'"' and token[2] is not None else b""


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


def _all(body: bytes, at: int, kind: Kind) -> Generator[Value, None, int]:
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
            if found[2] is None and found[1] and counts(kind, text := _text(found[1]), string=True):
                yield Value(found.start(), found.end(), text, secret=True, nested=True)
        elif found[0] not in _WORDS and kind is not Kind.STRINGS:
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
