"""What every model of the corpus is built on."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from pydantic import ValidationError

from corpus.base import Day, Exact, Frozen, Several, canonical
from corpus.strict_yaml import Printed


class Sample(Frozen):
    number: Exact | None = None
    day: Day | None = None
    words: Several[str] = ()


@pytest.mark.parametrize(
    ("given", "printed"),
    [("1.10", "1.10"), (5, "5"), (Decimal("0.30"), "0.30"), (" -2 ", "-2"), ("1e2", "1E+2"), (None, "None")],
)
def test_exact(given: object, printed: str) -> None:
    """Numbers keep their digits."""
    assert printed == str(Sample.model_validate({"number": given}).number)


@pytest.mark.parametrize("given", [1.1, True, "nan", "inf", "", "1,000", "0x1", Printed("1.1"), [], {}])
def test_exact_refuses(given: object) -> None:
    """What has lost digits already, or is no number, is refused."""
    with pytest.raises(ValidationError):
        Sample.model_validate({"number": given})


def test_the_fix_for_a_float_is_spelt_out() -> None:
    """The author sees what to write instead."""
    with pytest.raises(ValidationError, match=r'write numbers as decimal strings: "1\.10", not 1\.10'):
        Sample.model_validate({"number": Printed("1.10")})


def test_day() -> None:
    """ISO days only."""
    assert date(2026, 11, 30) == Sample.model_validate({"day": "2026-11-30"}).day
    with pytest.raises(ValidationError):
        Sample.model_validate({"day": "30.11.2026"})


def test_several() -> None:
    """One value is a tuple of one."""
    assert Sample.model_validate({"words": "a"}).words == ("a",)
    assert Sample.model_validate({"words": ["a", "b"]}).words == ("a", "b")


def test_unknown_keys_are_errors() -> None:
    """A misspelt key is never silently ignored."""
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Sample.model_validate({"numbr": "1"})


def test_canonical() -> None:
    """Key order does not matter, and characters are not escaped."""
    assert '{"a":"é","b":[1,null]}' == canonical({"b": [1, None], "a": "é"}) == canonical({"a": "é", "b": [1, None]})
