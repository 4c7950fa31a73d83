"""Values in text that may be JSON: whole, cut, broken, or several documents."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.journal.names import Kind
from proxy.journal.scrub import blanked, values


def secret(name: str) -> Kind:
    return Kind.YES if name in ("key", "k\u00e9y") else Kind.NO


def found(body: str | bytes) -> list[tuple[str, bool]]:
    raw = body.encode() if isinstance(body, str) else body
    return [(one.text, one.secret) for one in values(raw, secret)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"key": "abc"}', ["abc"]),
        ('{"key" :\t"abc"}', ["abc"]),
        ('{"key": 12.50}', ["12.50"]),
        ('{"key": null, "a": 1}', []),
        ('{"key": true}', []),
        ('{"key": ""}', []),
        ('{"a": {"b": [{"key": "deep"}]}}', ["deep"]),
        ('{"key": "a", "key": "b"}', ["a", "b"]),
        ('{"\\u006bey": "escaped name"}', ["escaped name"]),
        ('{"k\u00e9y": "x"}', ["x"]),
        ('{"key": "caf\\u00e9 \\"q\\""}', ['caf\u00e9 "q"']),
        ('{"key": {"user": "u", "n": 5, "deeper": ["w", null]}, "z": "out"}', ["u", "5", "w"]),
        ('{"key": ["a", ["b"]], "key": "c"}', ["a", "b", "c"]),
        ('{"key": [], "b": "out"}', []),
        # broken in every way
        ('{"key": "cut off', ["cut off"]),
        ('{"key": "cut \\', ["cut "]),  # half an escape is no character
        ('{"key": {"a": "cut', ["cut"]),
        ('{"key": "a",,}{"key": "b"}\n{"key": "c"}', ["a", "b", "c"]),
        ('{"key": abc}', ["abc"]),
        ('callback({"key": "jsonp"})', ["jsonp"]),
        ('{"key":', []),
        ('{"key"', []),
        ("key: abc", []),
        ("", []),
    ],
)
def test_values_with_secret_names(body: str, expected: list[str]) -> None:
    assert expected == [text for text, is_secret in found(body) if is_secret]


def test_the_parameters_of_a_tool_are_no_secrets() -> None:
    body = '{"properties": {"key": {"type": "string", "description": "Your key"}}, "key": "real"}'
    assert [("real", True)] == found(body)


@pytest.mark.parametrize("parent", ["properties", "parameters", "input_schema", "definitions", "$defs"])
def test_schemas_stand_below_known_names(parent: str) -> None:
    """And nowhere else; what only looks like one is none."""
    schema = '{"key": {"type": "string", "title": "Key"}}'
    assert [] == found(f'{{"x": [], "{parent}": {schema}}}')
    assert [] == found(f'{{"{parent}": {{"a": {{"type": "number"}}, {schema[1:]}}}')
    for body in (schema, f'{{"{parent}": 1, "other": {schema}}}', f'[{{"{parent}": [{schema}]}}]'):
        assert ["string", "Key"] == [text for text, is_secret in found(body) if is_secret]
    assert [("bearer", True), ("S", True)] == found(f'{{"{parent}": {{"key": {{"type": "bearer", "value": "S"}}}}}}')


@pytest.mark.parametrize(
    "body",
    [
        '{"name":"key","value":"S"}',
        '{"value":"S","name":"key"}',
        '{"name":"key","in":"header","value":"S"}',
        '[["key","S"]]',
        '[["a","b"],["key", "S"]]',
        '{"k":"key","v":"S"}',
    ],
)
def test_pairs(body: str) -> None:
    raw = body.encode()
    assert ["S"] == [one.text for one in values(raw, secret, loose=True) if one.secret]
    assert ["S"] == [raw[one.start + 1 : one.end - 1].decode() for one in values(raw, secret, loose=True) if one.secret]


@pytest.mark.parametrize(
    "body", ['{"required":["key","S"]}', '{"name":"a","value":"S"}', '[{"name":"key"},{"value":"S"}]', '["key","S"]']
)
def test_no_pairs(body: str) -> None:
    assert [] == [one.text for one in values(body.encode(), secret, loose=True) if one.secret]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Kind.RANDOM, ["a1b2c3d4e5f6a7b8"]),
        (Kind.TEXT, ["w", "a1b2c3d4e5f6a7b8"]),
        (Kind.STRINGS, ["w", "a1b2c3d4e5f6a7b8", "s", "t"]),
    ],
)
def test_kinds(kind: Kind, expected: list[str]) -> None:
    body = b'{"key":"w","key":5,"key":"a1b2c3d4e5f6a7b8","key":{"x":"y"},"key":["s",6,["t"]],"key":[{"x":"z"}]}'
    got = [one.text for one in values(body, lambda name: kind if name == "key" else Kind.NO) if one.secret]
    assert expected == got


def test_strings_with_escapes_are_told_as_well() -> None:
    assert [("a\nb", False), ('{"key": "x"}', False)] == found(
        '{"t": "a\\nb", "u": "plain", "v": "{\\"key\\": \\"x\\"}"}'
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["key", "a", "b"]), inner, max_size=3),
    max_leaves=12,
)


def scalars(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in scalars(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in scalars(inner)]
    return [] if value is None or value == "" or isinstance(value, bool) else [str(value)]


def under_key(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for name, inner in value.items() for one in (scalars(inner) if name == "key" else under_key(inner))]
    return [one for inner in value for one in under_key(inner)] if isinstance(value, list) else []


@given(VALUES, st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]))
def test_whole_documents_are_read_as_the_standard_library_reads_them(value: Any, style: dict[str, Any]) -> None:
    body = json.dumps(value, **style).encode()
    got = [one for one in values(body, secret) if one.secret]
    assert under_key(value) == [one.text for one in got]
    for one in got:
        printed = json.loads(body[one.start : one.end])
        assert one.text == str(printed)


@given(st.binary(max_size=200))
def test_random_bytes_give_spans_in_order(body: bytes) -> None:
    at = 0
    for one in values(body, lambda name: Kind.YES):
        assert at <= one.start < one.end <= len(body)
        at = one.end


@pytest.mark.parametrize(
    "piece",
    [
        b'"',
        b'\\"',
        b'"key":',
        b'"key":{',
        b'{"key":[',
        b"\\",
        b'"key":"',
        b'{"key":"x"},',
        b'"\\u0041"',
        b"[",
        b'"key" ',
    ],
)
def test_a_megabyte_of_anything_ends_soon(piece: bytes) -> None:
    began = time.process_time()
    body = piece * (1_000_000 // len(piece))
    for _ in values(body, secret):
        pass
    for _ in values(b'"' + body, secret):
        pass
    blanked(b"{" + body)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"access_token": "abc-1", "n": 5, "l": ["x", "y\\"z"]}',
            b'{"access_token": "xxxxx", "n": 5, "l": ["x", "xxxx"]}',
        ),
        (b"access_token=abc&scope=a_b", b"xxxxxx_xxxxx=xxx&xxxxx=x_x"),
        (b'{"cut": "abc', b'{"cut": "xxx'),
        (b"", b""),
    ],
)
def test_blanked_keeps_lengths(body: bytes, expected: bytes) -> None:
    assert expected == blanked(body)


@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_blanked_keeps_the_length_of_anything(body: bytes) -> None:
    assert len(body) == len(blanked(body))
