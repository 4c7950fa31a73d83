"""The strict YAML reader: what it takes, what it refuses, and that a refusal always says where."""

from __future__ import annotations

import json
import time

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corpus import strict_yaml
from corpus.strict_yaml import MAX_BYTES, MAX_DEPTH, BadCorpus, Printed, dotted, parse_yaml

LOADERS = sorted({yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)}, key=lambda loader: loader.__name__)


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type:
    """Both parsers that PyYAML may have: the reader must not depend on which."""
    monkeypatch.setattr(strict_yaml, "_LOADER", request.param)
    return request.param


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", {"a": 1}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: -0", {"a": 0}),
        ("a: +7", {"a": 7}),
        ("a: 010", {"a": "010"}),
        ("a: 0x1F", {"a": "0x1F"}),
        ("a: 1_000", {"a": "1_000"}),
        ("a: 1:30", {"a": "1:30"}),
        ("a: 2020-01-01", {"a": "2020-01-01"}),
        ("a: .inf", {"a": ".inf"}),
        ("a: yes\nb: no\nc: on\nd: True", {"a": "yes", "b": "no", "c": "on", "d": "True"}),
        ("a: true\nb: false", {"a": True, "b": False}),
        ("a: ~\nb: null\nc:", {"a": None, "b": None, "c": None}),
        ("a: '~'\nb: \"1\"\nc: 'true'", {"a": "~", "b": "1", "c": "true"}),
        ("a: NULL", {"a": "NULL"}),
        ("a: |\n  1\n", {"a": "1\n"}),
        ("a: >-\n  b\n  c\n", {"a": "b c"}),
        ("- 1\n- [2, {b: 3}]\n", [1, [2, {"b": 3}]]),
        ("1: a\n'2': b", {"1": "a", "2": "b"}),
        ("a: {}\nb: []", {"a": {}, "b": []}),
        ("%YAML 1.1\n---\na: 1", {"a": 1}),
        ("a: \U0001f600\u200b", {"a": "\U0001f600\u200b"}),
        ("just text", "just text"),
        ('""', ""),
    ],
)
@pytest.mark.usefixtures("loader")
def test_takes(text: str, expected: object) -> None:
    """Plain values come out as their author meant them."""
    assert expected == parse_yaml(text, "f.yaml")[0]


@pytest.mark.parametrize("text", ["1.10", "1.", ".5", "1e5", "-0.30", "9" * 401])
@pytest.mark.usefixtures("loader")
def test_numbers_keep_their_source_text(text: str) -> None:
    """A number that is no plain integer stays printed, trailing zeros and all."""
    found = parse_yaml(f"a: {text}", "f.yaml")[0]["a"]

    assert text == found
    assert Printed is type(found)


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("", 1, "", "the file is empty"),
        ("# only this\n\n", 1, "", "the file is empty"),
        ("---\n", 1, "", "the file is empty"),
        ("a: 1\nb: \x00", 2, "", "U+0000"),
        ("a: 1\nb: c\x85d", 2, "", "U+0085"),
        ("a: 1\nb: c\u2028d", 2, "", "U+2028"),
        ("a: 1\nb: \ud800", 2, "", "U+D800"),
        ("a: 1\n\nb: *x\n", 3, "b", "aliases (*x)"),
        ("a: 1\nb:\n  - &x 2\n", 3, "b[0]", "anchors (&x)"),
        ("x:\n  <<: {a: 1}\n", 2, 'x["<<"]', "merge keys"),
        ("a: 1\na: 2", 2, "a", "stands twice (first in line 1)"),
        ("x:\n  - b: 1\n    b: 2", 3, "x[0].b", "stands twice"),
        ("1: a\n'1': b", 2, "1", "stands twice"),
        ("a: !!python/object:os.system x", 1, "a", "tags"),
        ("a: !!str 5", 1, "a", "tags"),
        ("a: ! 5", 1, "a", "tags"),
        ("a: !foo [1]", 1, "a", "tags"),
        ("a: !foo {b: 1}", 1, "a", "tags"),
        ("!foo a: 1", 1, "", "tags"),
        ("b:\n  ? [a]\n  : 1", 2, "b", "a key must be plain text"),
        ("a: 1\n---\nb: 2", 2, "", "a second document"),
        ("a:\n\t- b", 2, "a", "a tab; indent with spaces"),
        ("a: [1, 2", 1, "a[2]", "not YAML"),
        ("a: 'x", 1, "a", "not YAML"),
        ('a: "\\U00110000"', 1, "a", "not YAML"),
        ('a: "\\xZZ"', 1, "a", "not YAML"),
        ("%YAML 2.0\n---\na: 1", 1, "", "not YAML"),
        (f"%YAML 1.{'9' * 5000}\n---\na: 1", 1, "", "not YAML"),
        ("{a: " * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), 1, "a.a.a.a", "nested deeper"),
        ("- " * (MAX_DEPTH + 1) + "1", 1, "[0][0][0][0]", "nested deeper"),
    ],
)
@pytest.mark.usefixtures("loader")
def test_refuses(text: str, line: int, key: str, words: str) -> None:
    """What is not allowed is refused with file, line, key and what to do."""
    with pytest.raises(BadCorpus) as caught:
        parse_yaml(text, "f.yaml")

    assert words in str(caught.value)
    assert caught.value.file == "f.yaml"
    # The two parsers differ by a line at most in where they notice an unclosed list or quote.
    assert caught.value.line - line in ((0, 1) if "not YAML" in words else (0,))
    if "not YAML" not in words:
        assert key == caught.value.key
    assert f"f.yaml:{caught.value.line}: " in str(caught.value)


def test_error_of_the_parser_names_the_key() -> None:
    """Even a broken token is found at the key that it belongs to."""
    with pytest.raises(BadCorpus) as caught:
        parse_yaml('a:\n  b:\n    - "\\xZZ"', "f.yaml")

    assert (caught.value.key, caught.value.line) == ("a.b[0]", 3)


@pytest.mark.parametrize("surrogate", ['"\\ud83d\\ude00"', '"\\udc00"'])
@pytest.mark.usefixtures("loader")
def test_refuses_surrogates(surrogate: str) -> None:
    """A half character could not be hashed or stored later."""
    with pytest.raises(BadCorpus, match=r"f\.yaml:1: a"):
        parse_yaml(f"a: {surrogate}", "f.yaml")


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 50_000 + "]" * 50_000, "{a: " * 20_000, "- " * 50_000])
@pytest.mark.usefixtures("loader")
def test_depth_costs_nothing(text: str) -> None:
    """Deep nesting is refused where it becomes deep, not after it was built."""
    began = time.perf_counter()

    with pytest.raises(BadCorpus, match=r"f\.yaml:1"):
        parse_yaml(text, "f.yaml")

    assert time.perf_counter() - began < 5


def test_deepest_allowed() -> None:
    """The limit is inclusive."""
    assert parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH, "f.yaml")[0]


def test_size() -> None:
    """The limit counts bytes, not characters, and a file just below it is read."""
    head = "a: "
    assert len(head + parse_yaml(head + "x" * (MAX_BYTES - len(head)), "f.yaml")[0]["a"]) == MAX_BYTES
    for text in ("x" * (MAX_BYTES + 1), "é" * (MAX_BYTES // 2 + 1)):
        with pytest.raises(BadCorpus, match=r"^f\.yaml: larger than 5000000 bytes; split the file$"):
            parse_yaml(text, "f.yaml")


@pytest.mark.usefixtures("loader")
def test_lines() -> None:
    """Every key path has its line; a key's line is where the key stands."""
    _, lines = parse_yaml("# head\na:\n  b: >-\n    x\n    y\n  c:\n    - 1\n    - d: 2\nlast: [1,\n  2]", "f.yaml")

    assert lines == {
        (): 2,
        ("a",): 2,
        ("a", "b"): 3,
        ("a", "c"): 6,
        ("a", "c", 0): 7,
        ("a", "c", 1): 8,
        ("a", "c", 1, "d"): 8,
        ("last",): 9,
        ("last", 0): 9,
        ("last", 1): 10,
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("a", 0, "b-c_1"), "a[0].b-c_1"),
        ((2, "x"), "[2].x"),
        (("a", "b.c"), 'a["b.c"]'),
        (("a", "\x1b[31m"), 'a["\\u001b[31m"]'),
        (("",), '[""]'),
    ],
)
def test_dotted(path: tuple[str | int, ...], expected: str) -> None:
    """Key paths print without doubt, and can't command a terminal."""
    assert expected == dotted(path)


YAMLISH = st.text(alphabet="ab01.-:,[]{}&*!|>'\"%#?~@`\\ \n\t<_uxU\u2028\ufeff\x00é", max_size=200)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)
@given(text=st.one_of(st.text(max_size=200), YAMLISH))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_or_refused(loader: type, text: str) -> None:
    """Whatever comes in, nothing but BadCorpus goes out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_yaml, "_LOADER", loader)
        try:
            value, lines = parse_yaml(text, "f.yaml")
        except BadCorpus as error:
            assert str(error).startswith("f.yaml:")  # noqa: PT017 - this is the claim
        else:
            assert () in lines
            _only_plain(value)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(codec="utf-8"), max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), inner)
    ),
    max_leaves=20,
)


@given(value=VALUES)
@settings(max_examples=200, deadline=None)
def test_agrees_with_json(value: object) -> None:
    """JSON with escapes is YAML: the values are those that went in, as long as numbers are integers."""
    text = json.dumps(value, ensure_ascii=True)
    assume("\\ud" not in text)  # JSON spells characters beyond the BMP as pairs, which YAML does not join
    assert value == parse_yaml(text, "f.yaml")[0]


def _only_plain(value: object) -> None:
    assert type(value) in (dict, list, str, int, bool, type(None), Printed)
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _only_plain(inner)
