"""
JSON values as byte spans.

A body is never parsed and dumped again: a reader descends along the path that a view names, every value
that it finds keeps its place in the bytes, and an edit replaces that place alone. Duplicate keys, NaN and
numbers of any length are kept as printed. Bytes in, spans and exact values out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

from corpus.terms import decimal
from proxy.wire.edit import Unreadable

MAX_DEPTH: Final = 500

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
# Possessive, so that a string costs its length once and an unclosed one does too.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR: Final = re.compile(rb"[-+.0-9A-Za-z]+")
_NUMBER: Final = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_WORDS: Final = {b"true": True, b"false": False, b"null": None}
_NOT_FINITE: Final = (b"NaN", b"Infinity", b"-Infinity")
_NESTED: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
_NO_BRACKET: Final = bytes(set(range(256)) - set(b"[]{}"))

type Kind = Literal["object", "array", "string", "number", "word"]

_KINDS: Final[dict[int, Kind]] = {
    0x22: "string",
    0x7B: "object",
    0x5B: "array",
    0x74: "word",
    0x66: "word",
    0x6E: "word",
}


class Node(NamedTuple):
    """One value: `data[start:end]` is its text. `key` is its member name or its index in the parent."""

    start: int
    end: int
    kind: Kind
    key: str | int | None = None


def _space(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return found.end() if found else at


def node_at(data: bytes, at: int, key: str | int | None = None) -> Node:
    """The value that starts at or after `at`. Raises Unreadable where none does."""
    at = _space(data, at)
    head = data[at : at + 1]
    if head == b'"':
        found = _STRING.match(data, at)
        if found is None:
            raise Unreadable(f"byte {at}: a string has no end")
        return Node(at, found.end(), "string", key)
    if head in (b"{", b"["):
        return Node(at, _nested_end(data, at), "object" if head == b"{" else "array", key)
    found = _SCALAR.match(data, at)
    if found is None:
        raise Unreadable(f"byte {at}: no JSON value")
    text = found[0]
    if text in _WORDS:
        return Node(at, found.end(), "word", key)
    if _NUMBER.match(text) or text in _NOT_FINITE:
        return Node(at, found.end(), "number", key)
    raise Unreadable(f"byte {at}: no JSON value")


def _nested_end(data: bytes, at: int) -> int:
    depth = 0
    for found in _NESTED.finditer(data, at):
        head = data[found.start()]
        if head == 0x7B or head == 0x5B:
            depth += 1
        elif head == 0x7D or head == 0x5D:
            depth -= 1
            if depth == 0:
                return found.end()
    raise Unreadable(f"byte {at}: a bracket has no end")


def members(data: bytes, node: Node) -> Iterator[Node]:
    """The members of an object in document order, duplicates kept; each node's key is its name."""
    at = _space(data, node.start + 1)
    if data[at : at + 1] == b"}":
        return
    while True:
        name = node_at(data, at)
        if name.kind != "string":
            raise Unreadable(f"byte {name.start}: a member needs a name")
        at = _space(data, name.end)
        if data[at : at + 1] != b":":
            raise Unreadable(f"byte {at}: a colon is missing")
        child = node_at(data, at + 1, text_of(data, name))
        yield child
        at = _space(data, child.end)
        head = data[at : at + 1]
        if head == b"}":
            return
        if head != b",":
            raise Unreadable(f"byte {at}: a comma is missing")
        at = _space(data, at + 1)


def items(data: bytes, node: Node) -> Iterator[Node]:
    """The items of an array in order; each node's key is its index."""
    at = _space(data, node.start + 1)
    if data[at : at + 1] == b"]":
        return
    n = 0
    while True:
        child = node_at(data, at, n)
        yield child
        n += 1
        at = _space(data, child.end)
        head = data[at : at + 1]
        if head == b"]":
            return
        if head != b",":
            raise Unreadable(f"byte {at}: a comma is missing")
        at += 1


def member(data: bytes, node: Node, name: str) -> Node | None:
    """The last member of that name (as every JSON parser reads duplicates), or None."""
    if node.kind != "object":
        return None
    wanted = _wanted(name)
    if wanted is None:
        return _member_slow(data, node, name)
    decoder, pattern = wanted
    try:
        value = decoder.decode(memoryview(data)[node.start : node.end]).value
    except (msgspec.MsgspecError, RecursionError):
        return _member_slow(data, node, name)
    if value is msgspec.UNSET:
        return None
    raw = bytes(value)
    first = pattern.search(data, node.start, node.end)
    if first is None or not data.startswith(raw, first.end()):
        return _member_slow(data, node, name)
    # A name printed with escapes is the same name and is not found by its pattern.
    if _ESCAPED_NAME.search(data, node.start, node.end) is not None:
        return _member_slow(data, node, name)
    end = first.end() + len(raw)
    # The same name again, nested or twice, leaves open which one this is.
    if pattern.search(data, end, node.end) is not None:
        return _member_slow(data, node, name)
    return Node(first.end(), end, _KINDS.get(raw[0], "number"), name)


def _member_slow(data: bytes, node: Node, name: str) -> Node | None:
    found = None
    for child in members(data, node):
        if child.key == name:
            found = child
    return found


_COLON: Final = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*")
_ODD_NAME: Final = re.compile(r"[^A-Za-z0-9_. -]")
_ESCAPED_NAME: Final = re.compile(rb"\\u00(?:2[0dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])")
"""An escape of a character that needs none; nobody prints text so, but a name may be hidden by it."""


@lru_cache(maxsize=4096)
def _wanted(name: str) -> tuple[msgspec.json.Decoder[Any], re.Pattern[bytes]] | None:
    """A decoder of one member as raw bytes that skips the others, and the member's name as it is printed."""
    if _ODD_NAME.search(name):
        return None
    struct = msgspec.defstruct("Wanted", [("value", msgspec.Raw, msgspec.UNSET)], rename={"value": name})
    return msgspec.json.Decoder(struct), re.compile(re.escape(f'"{name}"'.encode()) + _COLON.pattern)


def children(data: bytes, node: Node) -> Iterator[Node]:
    """The children of an object or array in document order; none of a scalar."""
    if node.kind == "object":
        return _members_fast(data, node)
    if node.kind == "array":
        return _items_fast(data, node)
    return iter(())


_BETWEEN: Final = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")


def _members_fast(data: bytes, node: Node) -> Iterator[Node]:
    try:
        values = _ANY_OBJECT.decode(memoryview(data)[node.start : node.end])
    except (msgspec.MsgspecError, RecursionError):
        return members(data, node)
    out: list[Node] = []
    at = node.start + 1
    for name, value in values.items():
        raw = bytes(value)
        gap = _BETWEEN.match(data, at)
        at = gap.end() if gap else at
        quoted = f'"{name}"'.encode("utf-8", "surrogatepass")
        found = _COLON.match(data, at + len(quoted)) if data.startswith(quoted, at) else None
        # A name printed with escapes, or a member that stands twice, does not follow on: read slowly.
        if found is None or not data.startswith(raw, found.end()):
            return members(data, node)
        at = found.end() + len(raw)
        out.append(Node(found.end(), at, _KINDS.get(raw[0], "number"), name))
    if _space(data, at) != node.end - 1:
        return members(data, node)
    return iter(out)


_ANY_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _items_fast(data: bytes, node: Node) -> Iterator[Node]:
    try:
        rows = msgspec.json.decode(memoryview(data)[node.start : node.end], type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        yield from items(data, node)
        return
    at = node.start + 1
    for n, row in enumerate(rows):
        raw = bytes(row)
        # Only white space and one comma lie between, so the first match is this row.
        at = data.index(raw, at)
        yield Node(at, at + len(raw), _KINDS.get(raw[0], "number"), n)
        at += len(raw)


def root(data: bytes) -> Node:
    """
    The document's value, checked to be one whole JSON document (NaN and Infinity allowed).

    Raises:
        Unreadable: Not JSON, not UTF-8, nested too deep, or bytes follow the document.
    """
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    _check(data[start:] if start else data)
    _check_depth(data)
    start = _space(data, start)
    # The document is known to be whole, so its end needs no scan.
    return Node(start, len(data.rstrip(b" \t\r\n")), _KINDS.get(data[start], "number"))


def _check(data: bytes) -> None:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
        data.decode("utf-8")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        loads(data)


def _check_depth(data: bytes) -> None:
    """Deep documents make every step below them slow, and readers differ in how deep they go."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return
    brackets = data.translate(None, _NO_BRACKET)
    for _ in range(16):
        # Most documents are a few levels deep: brackets with nothing between them go, level by level.
        fewer = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if not fewer:
            return
        if len(fewer) == len(brackets):
            break
        brackets = fewer
    depth = 0
    for found in _NESTED.finditer(data):
        head = data[found.start()]
        if head == 0x7B or head == 0x5B:
            depth += 1
            if depth > MAX_DEPTH:
                raise Unreadable(f"nested deeper than {MAX_DEPTH} levels")
        elif head == 0x7D or head == 0x5D:
            depth -= 1


def text_of(data: bytes, node: Node) -> str:
    """A string node's text. Raises Unreadable for a broken escape."""
    raw = data[node.start : node.end]
    if b"\\" not in raw:
        try:
            return raw[1:-1].decode("utf-8")
        except UnicodeDecodeError:
            raise Unreadable(f"byte {node.start}: a string is not UTF-8") from None
    try:
        value = json.loads(raw.decode("utf-8"), strict=False)
    except (ValueError, UnicodeDecodeError):
        raise Unreadable(f"byte {node.start}: a string has a broken escape") from None
    return str(value)


def printed(data: bytes, node: Node) -> str | None:
    """A scalar as its source text (strings unescaped); None for null, objects and arrays."""
    if node.kind == "string":
        return text_of(data, node)
    if node.kind in ("number", "word"):
        text = data[node.start : node.end].decode("ascii")
        return None if text == "null" else text
    return None


class Number(str):
    """A JSON number as printed; kept apart from strings, exact at any length."""

    __slots__ = ()

    def decimal(self) -> Decimal | None:
        return decimal(str(self))


class Ambiguous(str):
    """The value of a name that stands twice with different values: it is present, and what it says is not known."""

    __slots__ = ()


AMBIGUOUS: Final = Ambiguous()


def loads(data: bytes) -> Any:
    """
    The whole document as plain values, numbers as `Number` (source text); NaN and Infinity too.

    Raises:
        Unreadable: Not JSON, not UTF-8, or nested too deep.
    """
    return _loads(data, None)


def loads_strict(data: bytes) -> tuple[Any, frozenset[str]]:
    """
    Like `loads`, for what must not be taken for the last of several values.

    Returns:
        The document, in which a name that one object holds twice with different values, exactly or but for
        case (as Go decodes), is `AMBIGUOUS` in every spelling; and those names, case-folded.

    Raises:
        Unreadable: As `loads`.
    """
    names: set[str] = set()

    def settle(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len({name.casefold() for name in made}) == len(pairs):
            return made
        first: dict[str, Any] = {}
        twice = {key for name, value in pairs if not same(first.setdefault(key := name.casefold(), value), value)}
        names.update(twice)
        settled = {name: AMBIGUOUS if name.casefold() in twice else value for name, value in made.items()}
        return settled | dict.fromkeys(twice, AMBIGUOUS)

    return _loads(data, settle), frozenset(names)


def same(one: Any, two: Any) -> bool:
    """Whether two values say the same: equal, or the same number however printed."""
    if one == two:
        return True
    number = decimal(one)
    return number is not None and number == decimal(two)


def _loads(data: bytes, settle: Callable[[list[tuple[str, Any]]], Any] | None) -> Any:
    try:
        text = data.decode("utf-8-sig")
        _check_depth(data)
        return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number, object_pairs_hook=settle)
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}: not UTF-8") from None
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} at {error.pos}") from None
    except (RecursionError, ValueError):
        raise Unreadable("nested too deep to read") from None


_PART: Final = re.compile(r"\.?(?:\[(\*|\d+)\]|\*|([^.\[\]*]+))")

type Step = str | int | None
"""A member name, an index, or None for every child."""


@lru_cache(maxsize=8192)
def compile_path(path: str) -> tuple[Step, ...]:
    """
    Read a path such as `news[*].headline` or `bars.*[*].c`; `$` is the document.

    Raises:
        ValueError: The text is no path.
    """
    rest = path.removeprefix("$").removeprefix(".") if path.startswith("$") else path
    steps: list[Step] = []
    at = 0
    while at < len(rest):
        found = _PART.match(rest, at)
        if found is None or found.end() == at:
            raise ValueError(f"{path!r} is no path: look at {rest[at:]!r}")
        index, name = found[1], found[2]
        steps.append(name if name is not None else int(index) if index and index != "*" else None)
        at = found.end()
    return tuple(steps)


def select(data: bytes, node: Node, steps: tuple[Step, ...]) -> Iterator[tuple[Node, tuple[str | int, ...]]]:
    """
    Every value at a path below a node, with the keys that lead to it.

    Args:
        data: The document's bytes.
        node: Where to start.
        steps: From `compile_path`.

    Yields:
        The value's node, and the keys of every step taken.
    """
    if not steps:
        yield node, ()
        return
    step, rest = steps[0], steps[1:]
    if step is None:
        for child in children(data, node):
            key = child.key if child.key is not None else 0
            if rest:
                for found, keys in select(data, child, rest):
                    yield found, (key, *keys)
            else:
                yield child, (key,)
    elif isinstance(step, int):
        if node.kind == "array":
            for child in _items_fast(data, node):
                if child.key == step:
                    for found, keys in select(data, child, rest):
                        yield found, (step, *keys)
                    return
    else:
        child_or_none = member(data, node, step)
        if child_or_none is not None:
            for found, keys in select(data, child_or_none, rest):
                yield found, (step, *keys)


def encode_text(text: str, like: bytes) -> bytes:
    """
    A string's JSON text, escaped in the style of what it replaces.

    Args:
        text: The new value.
        like: The old value's bytes; when they are pure ASCII with \\u escapes, so is the result.

    Returns:
        The text with its quotes.
    """
    ascii_only = b"\\u" in like and like.isascii()
    out = json.dumps(text, ensure_ascii=ascii_only)
    if b"\\/" in like:
        out = out.replace("/", "\\/")
    try:
        return out.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(text, ensure_ascii=True).encode("ascii")
