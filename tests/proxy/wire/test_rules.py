"""The language of the catalogue's rules."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from proxy.wire.codecs.json_span import Number, loads
from proxy.wire.rules import (
    FUNCTIONS,
    PathText,
    Take,
    UnitRow,
    When,
    find,
    find_all,
    holds,
    json_in_text,
    pairs,
    steps_of,
)

DOC = loads(
    b'{"a":{"b":[{"c":1},{"c":null},{"d":2}]},"n":null,"e":"","t":true,"f":false,"q":1.50,"l":["x","y"],"o":{},"z":[]}'
) | {"status": 207}


class Rule(BaseModel):
    when: When = {}
    path: PathText | None = None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b[0].c", ["1"]),
        ("a.b[*].c", ["1", None]),
        ("$.a.b[2].d", ["2"]),
        ("a.b[9].c", []),
        ("a.x.c", []),
        ("l[1]", ["y"]),
        ("l.x", []),
        ("o.*", []),
        ("a.*[0].c", ["1"]),
        ("q", ["1.50"]),
        ("q.x", []),
        ("q[0]", []),
    ],
)
def test_paths(path: str, expected: list[Any]) -> None:
    assert expected == find_all(DOC, steps_of(path))
    assert (expected[0] if expected else None) == find(DOC, path)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"a": "present"}, True),
        ({"n": "present"}, False),
        ({"e": "present"}, False),
        ({"z": "present"}, False),
        ({"o": "present"}, False),
        ({"f": "present"}, True),
        ({"n": None}, True),
        ({"missing.x": None}, True),
        ({"q": None}, False),
        ({"q": "1.50"}, True),
        ({"q": "1.5"}, False),
        ({"l[0]": "x"}, True),
        ({"l[0]": ["w", "x"]}, True),
        ({"l[0]": ["w", "v"]}, False),
        ({"t": True}, True),
        ({"t": "true"}, True),
        ({"t": False}, False),
        ({"f": False}, True),
        ({"n": False}, False),
        ({"status": 207}, True),
        ({"status": "2xx"}, True),
        ({"status": ["4xx", 207]}, True),
        ({"status": "4xx"}, False),
        ({"status": "2"}, False),
        ({"l[0]": {"not": "x"}}, False),
        ({"l[0]": {"not": ["y", "z"]}}, True),
        ({"missing": {"not": "x"}}, True),
        ({"l[0]": {"matches": "^[xy]$"}}, True),
        ({"l[0]": {"matches": "^y"}}, False),
        ({"missing": {"matches": ".*"}}, False),
        ({"l[0]": {"present": True, "not": "x"}}, False),
        ({"a": "present", "n": "present"}, False),
        ({}, True),
    ],
)
def test_conditions(condition: dict[str, Any], expected: bool) -> None:
    assert expected is holds(Rule(when=condition).when, DOC)


@pytest.mark.parametrize(
    "bad", [{"when": {"a[": 1}}, {"when": {"a..b": 1}}, {"path": "x["}, {"when": {"a": {"matches": "("}}}]
)
def test_what_can_not_be_read_is_told_when_it_is_loaded(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Rule(**bad)


@pytest.mark.parametrize(
    ("take", "expected"),
    [
        ({"from": "q"}, "1.50"),
        ({"from": ["n", "e", "missing", "l[1]"]}, "y"),
        ({"from": "t"}, "true"),
        ({"from": "a"}, None),
        ({"from": "status"}, None),
        ({"const": "limit"}, "limit"),
        ({"from": "l[0]", "fn": "upper"}, "X"),
        ({"from": "l[0]", "map": {"x": "buy"}}, "buy"),
        ({"from": "l[0]", "map": {"y": "buy"}}, None),
        ({"from": "l[0]", "map": {"*": "other"}}, "other"),
        ({"from": "l[0]", "fn": "upper", "map": {"x": "lower case wins"}}, "lower case wins"),
        ({"from": ["l[0]", "l[1]"], "map": {"y": "second"}}, "second"),
        ({"from": "q", "fn": ["sign_side"]}, "buy"),
    ],
)
def test_takes(take: dict[str, Any], expected: str | None) -> None:
    assert expected == Take.model_validate(take).text(DOC)


@pytest.mark.parametrize(
    "take", [{}, {"from": "a", "const": "b"}, {"from": "a["}, {"from": "a", "fn": "sqrt"}, {"from": "a", "what": 1}]
)
def test_bad_takes(take: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Take.model_validate(take)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("abs", "-1.50", "1.50"),
        ("abs", "ALL", "ALL"),
        ("sign_side", "-1", "sell"),
        ("sign_side", "0", None),
        ("sign_side", "x", None),
        ("micro", "1500000", "1.500000"),
        ("micro", "x", None),
        ("unquote", "BTC%2FUSD", "BTC/USD"),
        ("lower", "GTC", "gtc"),
    ],
)
def test_functions(name: str, value: str, expected: str | None) -> None:
    assert expected == FUNCTIONS[name](value)


@given(st.integers(-(10**60), 10**60))
def test_functions_are_exact_at_any_length(value: int) -> None:
    """The context of decimal would round to 28 digits."""
    assert Decimal(FUNCTIONS["abs"](str(value)) or "x") == abs(value)
    assert value == int((FUNCTIONS["micro"](str(value)) or "x").replace(".", ""))


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=12), max_size=6))
def test_forms_are_read_as_the_standard_library_writes_them(fields: dict[str, str]) -> None:
    clean = {k.encode("utf-8", "replace").decode(): v.encode("utf-8", "replace").decode() for k, v in fields.items()}
    assert clean == pairs(urlencode(clean))


def test_the_last_of_two_fields_counts() -> None:
    assert {"a": "2", "b": ""} == pairs("a=1&a=2&b=")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": 1.10}', {"a": "1.10"}),
        ("[1]", ["1"]),
        ("NaN", "NaN"),
        ("{", None),
        ("", None),
        (None, None),
        ({"a": 1}, None),
        ("[" * 100_000, None),
        ('"' + "x" * 1_000_001 + '"', None),
    ],
)
def test_json_inside_a_text(value: Any, expected: Any) -> None:
    assert expected == json_in_text(value)


def test_numbers_inside_a_text_are_numbers() -> None:
    assert isinstance(json_in_text('{"a": 1}')["a"], Number)


def test_a_unit_row_needs_its_unit() -> None:
    with pytest.raises(ValidationError):
        UnitRow.model_validate({"when": {}})


def test_a_megabyte_of_query_ends_soon() -> None:
    began = time.process_time()
    for text in ("a" * 1_000_000, "%" * 1_000_000, "+" * 1_000_000, "a=" + "%41" * 300_000):
        pairs(text)
    with pytest.raises(ValueError):
        pairs("&" + "a&" * 500_000)
    assert time.process_time() - began < 5
