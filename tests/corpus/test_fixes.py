"""Errors in the author's words: what was given, and what to write instead."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, ValidationError

from corpus.base import Frozen, Text
from corpus.fixes import fix, near, shown
from corpus.strict_yaml import Printed
from corpus.terms import Side


class Inner(Frozen):
    name: str = ""


class Sample(Frozen):
    count: Annotated[int, Field(ge=1, strict=True)] = 1
    flag: bool = False
    mode: Literal["crossing", "any_opposite", "off"] = "off"
    only: Literal["one"] = "one"
    yes: Literal[True] = True
    side: Side = Side.BUY
    id: str = Field(default="a", pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    code: str = Field(default="X", pattern=r"^X$")
    words: tuple[str, ...] = ()
    params: dict[str, Text] = {}
    inner: Inner = Inner()


def said(**given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate(given)
    error = caught.value.errors(include_url=False)[0]
    return fix(error, Sample, tuple(error["loc"]))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"count": "20"}, 'write a whole number without quotes: 20, not "20"'),
        ({"count": "25,000"}, 'write a whole number without quotes and commas: 25000, not "25,000"'),
        ({"count": Printed("20.5")}, "a whole number is wanted here, such as 20, not 20.5"),
        ({"count": True}, "a whole number is wanted here, such as 20, not true"),
        ({"count": "many"}, 'a whole number is wanted here, such as 20, not "many"'),
        ({"count": 0}, "must be 1 or more, not 0"),
        ({"flag": "perhaps"}, 'write true or false, not "perhaps"'),
        ({"mode": "cros"}, 'must be crossing, any_opposite or off, not "cros"; did you mean crossing?'),
        ({"mode": 7}, "must be crossing, any_opposite or off, not 7"),
        ({"only": "two"}, 'must be one, not "two"'),
        ({"yes": False}, "must be true, not false"),
        ({"side": "bye"}, 'must be buy or sell, not "bye"; did you mean buy?'),
        ({"id": "My Own"}, 'lower-case letters, digits, dots, dashes and underscores only, at most 64, not "My Own"'),
        ({"code": "Y"}, 'must be of the form ^X$, not "Y"'),
        ({"words": "a"}, "a list is wanted here"),
        ({"words": [7]}, 'text is wanted here; put it in quotes: "7"'),
        ({"words": [True]}, "text is wanted here; put it in quotes"),
        ({"params": {"n": 7}}, 'text is wanted here; put it in quotes: "7"'),
        ({"params": {"n": Printed("400.5")}}, 'text is wanted here; put it in quotes: "400.5"'),
        ({"inner": 7}, "keys with values are wanted here"),
        ({"inner": {"nam": "x"}}, "unknown key; did you mean name? Known keys here: name"),
        ({"inner": {"000": None}}, "write 25000 or 0.25, without a comma"),
    ],
)
def test_fix(given: dict[str, Any], words: str) -> None:
    """The value stands in the message."""
    assert words in said(**given)


def test_shown() -> None:
    """As it may stand in the file; never endless."""
    assert ('"a"', "1.10", "null", "[1]") == (shown("a"), shown(Printed("1.10")), shown(None), shown([1]))
    assert len(shown("x" * 1000)) == 61


def test_near() -> None:
    """Only what is close."""
    assert ("did you mean market? ", "") == (near("markt", ["market", "limit"]), near("zzz", ["market"]))
