"""JSON spans: every value is where the bytes say, whatever the document looks like."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.codecs.json_span import (
    MAX_DEPTH,
    Node,
    Number,
    children,
    compile_path,
    encode_text,
    items,
    loads,
    loads_strict,
    member,
    members,
    node_at,
    printed,
    root,
    select,
    text_of,
)
from proxy.wire.edit import Unreadable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=5),
    max_leaves=25,
)
STYLES = st.sampled_from(
    [
        {"separators": (",", ":")},
        {"separators": (", ", ": ")},
        {"indent": 2},
        {"indent": "\t", "ensure_ascii": False},
        {"separators": (" ,\r\n", "\t: "), "ensure_ascii": False},
    ]
)


def walk(data: bytes, node: Any) -> Any:
    """The document rebuilt from spans alone."""
    if node.kind == "object":
        return {child.key: walk(data, child) for child in members(data, node)}
    if node.kind == "array":
        return [walk(data, child) for child in items(data, node)]
    return json.loads(data[node.start : node.end])


def surrogate_free(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@given(VALUES.filter(surrogate_free), STYLES)
def test_spans_rebuild_the_document_as_the_standard_library_reads_it(value: Any, style: dict[str, Any]) -> None:
    data = json.dumps(value, **style).encode()
    assert json.dumps(json.loads(data)) == json.dumps(walk(data, root(data)))


@given(VALUES.filter(surrogate_free), STYLES)
def test_the_fast_way_to_children_and_members_equals_the_slow_way(value: Any, style: dict[str, Any]) -> None:
    data = json.dumps(value, **style).encode()

    def check(node: Any) -> None:
        slow = (
            list(members(data, node))
            if node.kind == "object"
            else list(items(data, node))
            if node.kind == "array"
            else []
        )
        assert slow == list(children(data, node))
        for child in slow:
            if node.kind == "object":
                last = [other for other in slow if other.key == child.key][-1]
                assert last == member(data, node, str(child.key))
            check(child)

    check(root(data))


@given(st.binary(max_size=200))
def test_random_bytes_raise_unreadable_or_nothing(data: bytes) -> None:
    try:
        node = root(data)
    except Unreadable:
        return
    walk_ok = node.start <= node.end
    assert walk_ok


@given(st.text(alphabet='{}[]",:\\ntrue0129.eE-NaIfy \u00e9', max_size=60))
def test_almost_json_is_read_like_the_standard_library_or_refused(text: str) -> None:
    data = text.encode()
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError):
        with pytest.raises(Unreadable):
            root(data)
        return
    assert json.dumps(expected) == json.dumps(walk(data, root(data)))


@pytest.mark.parametrize(
    ("data", "start", "end"),
    [
        (b'{"x":{"c":1},"c":1}', 17, 18),  # the nested twin comes first
        (b'{"c":1,"c":2}', 11, 12),  # twice: the last counts
        (b'{"c":2,"c":2}', 11, 12),
        (b'{"s":"\\"c\\":7","c":7}', 19, 20),  # the name inside a string
        (b'{"c":NaN,"d":1}', 5, 8),
        (b'{"\\u0063":5}', 10, 11),  # the name printed with an escape
        (b'\xef\xbb\xbf{"c": -0.0e+5 }', 9, 16),
        (b'{"x":{"c":1},"\\u0063":1}', 22, 23),  # a nested twin of the same value hides the escaped name
        (b'{"c":2,"\\u0063":2}', 16, 17),  # twice, once with an escape: the last counts
        (b'{"c":2,"s":"\\u0063"}', 5, 6),
    ],
)
def test_member_finds_the_value_that_counts(data: bytes, start: int, end: int) -> None:
    found = member(data, root(data), "c")
    assert found is not None
    assert (start, end) == (found.start, found.end)


def test_select_follows_names_indices_and_wildcards() -> None:
    data = b'{"bars":{"A":[{"c":1.10},{"c":2}],"B":[{"c":3}]},"n":[10,20]}'
    got = [(data[n.start : n.end], keys) for n, keys in select(data, root(data), compile_path("$.bars.*[*].c"))]
    assert got == [
        (b"1.10", ("bars", "A", 0, "c")),
        (b"2", ("bars", "A", 1, "c")),
        (b"3", ("bars", "B", 0, "c")),
    ]
    assert [data[n.start : n.end] for n, _ in select(data, root(data), compile_path("n[1]"))] == [b"20"]
    assert list(select(data, root(data), compile_path("n[7]"))) == []


@pytest.mark.parametrize("path", ["a..b", "a[", "a[x]", "[-1]"])
def test_a_bad_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="no path"):
        compile_path(path)


def test_numbers_survive_as_printed() -> None:
    value = loads(b'{"a":1.10,"b":1e-8,"c":12345678901234567890.5,"d":NaN,"e":"1.10","f":1E400}')
    assert [str(value[k]) for k in "abcdf"] == ["1.10", "1e-8", "12345678901234567890.5", "NaN", "1E400"]
    assert all(isinstance(value[k], Number) for k in "abcdf")
    assert not isinstance(value["e"], Number)
    assert value["d"].decimal() is None


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 5000 + b"1" + b"}" * 5000, b'"\xed\xa0\x80"', b"", b" "])
def test_what_no_reader_should_touch_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        root(data)


@given(st.text(max_size=40).filter(surrogate_free), st.sampled_from([b'"x"', b'"\\u00e9"', b'"a\\/b"', '"é"'.encode()]))
def test_encoded_text_reads_back_and_keeps_the_style(text: str, like: bytes) -> None:
    out = encode_text(text, like)
    assert text == json.loads(out)
    if b"\\u" in like:
        assert out.isascii()
    if b"\\/" in like:
        assert b"/" not in out.replace(b"\\/", b"")


def test_printed_and_text() -> None:
    data = b'["a\\n\\u00e9", 1.50, true, null, [1]]'
    got = [printed(data, node) for node in items(data, root(data))]
    assert got == ["a\né", "1.50", "true", None, None]
    with pytest.raises(Unreadable):
        text_of(b'"\\ud800\\q"', node_at(b'"\\ud800\\q"', 0))


ESCAPED = st.text("ab", min_size=1, max_size=2)


@given(
    st.lists(
        st.tuples(ESCAPED, st.booleans(), st.sampled_from(["1", '{"a":1}', '{"\\u0061":1,"b":1}', '"a"'])), max_size=5
    )
)
def test_names_printed_with_escapes_are_the_same_names(members_: list[tuple[str, bool, str]]) -> None:
    """The standard library says which member counts; the span must be that one's, not a twin's."""

    def name(text: str, escaped: bool) -> str:
        return "".join(f"\\u{ord(char):04x}" for char in text) if escaped else text

    parts = [f'"{name(text, escaped)}":{value}' for text, escaped, value in members_]
    data = f"{{{','.join(parts)}}}".encode()
    last = {text: n for n, (text, _, _) in enumerate(members_)}
    for wanted in ("a", "b", "aa", "ab"):
        found = member(data, root(data), wanted)
        if wanted not in last:
            assert found is None
            continue
        at = len("{" + ",".join(parts[: last[wanted]])) + (last[wanted] > 0)
        value = members_[last[wanted]][2]
        assert found is not None
        assert (at + len(parts[last[wanted]]) - len(value), value) == (
            found.start,
            data[found.start : found.end].decode(),
        )


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1])
@pytest.mark.parametrize("pad", ["", "[", "{}", '\\"[{'])
def test_depth_is_limited_whatever_stands_in_strings(depth: int, pad: str) -> None:
    data = (f'["{pad * 600}",' + "[" * (depth - 1) + "]" * (depth - 1) + "]").encode()
    for read in (root, loads):
        if depth > MAX_DEPTH:
            with pytest.raises(Unreadable, match="nested deeper"):
                read(data)
        else:
            read(data)


@pytest.mark.parametrize(
    "data",
    [
        b'["' + b'\\"' * 500_000 + b'", NaN]',
        b'["' + b'\\"' * 500_000,
        b'{"a":' * 400 + b'["' + b"x," * 300_000 + b'",NaN]' + b"}" * 400,
        b"[" + b"[NaN]," * 150_000 + b"1]",
        b"{" + b'"a":NaN,' * 120_000 + b'"a":1}',
        b"[" + b'{"a":1},' * 120_000 + b"1]",
        b'{"' + b"\\u0061" * 160_000 + b'":1}',
        b"[" + b"1" * 1_000_000 + b"]",
        b"[" * 400 + b'"' + b"[" * 900_000 + b'"' + b"]" * 400,
        b'["' + b"{" * 1_000_000 + b'"]',
        b"[{}" + b",{}" * 300_000 + b"]",
    ],
    ids=range(11),
)
def test_a_megabyte_of_anything_ends_soon(data: bytes) -> None:
    began = time.process_time()
    try:
        node = root(data)
    except Unreadable:
        node = Node(0, 0, "word")
    while node.kind in ("object", "array"):
        found = member(data, node, "a") if node.kind == "object" else next(children(data, node), None)
        node = found or Node(0, 0, "word")
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("data", "value", "names"),
    [
        (b'{"a": 1, "b": {"c": "x"}}', {"a": "1", "b": {"c": "x"}}, set()),
        (b'{"a": 1, "a": "1.0", "A": 1}', {"a": "1.0", "A": "1"}, set()),
        (b'{"a": [1], "a": [1]}', {"a": ["1"]}, set()),
        (b'{"a": 1, "A": 2, "b": 3}', {"a": "", "A": "", "b": "3"}, {"a"}),
        (b'{"x": [{"a": 1, "a": 2}]}', {"x": [{"a": ""}]}, {"a"}),
        (b'{"A": true, "A": false}', {"A": "", "a": ""}, {"a"}),
    ],
)
def test_names_that_stand_twice_with_different_values_have_none(data, value, names):
    """Exact or as decoders take them that pass over case; equal values are one."""
    assert (value, frozenset(names)) == loads_strict(data)


def test_strict_reading_refuses_what_reading_refuses():
    for data in (b"{", b"\xff", b"[" * 600 + b"]" * 600):
        with pytest.raises(Unreadable):
            loads_strict(data)
