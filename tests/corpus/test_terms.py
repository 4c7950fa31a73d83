"""The shared vocabulary: exact numbers, instants and names."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.terms import decimal, decimal_text, instant, instant_text, valid_name


@pytest.mark.parametrize(
    ("given_", "printed"),
    [("1.10", "1.10"), (".5", "0.5"), ("5.", "5"), ("-0", "-0"), ("+1e-3", "0.001"), (7, "7"), (Decimal("2.0"), "2.0")],
)
def test_decimal(given_: object, printed: str) -> None:
    """Numbers are read as they were printed."""
    found = decimal(given_)

    assert found is not None
    assert printed == decimal_text(found)


@pytest.mark.parametrize(
    "given_",
    [1.5, True, None, "", "nan", "Infinity", "1_000", "1,5", "0x10", "1" * 401, "1e99999", Decimal("NaN"), b"1"],
)
def test_not_a_decimal(given_: object) -> None:
    """Floats, words and absurd lengths are no numbers."""
    assert decimal(given_) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8))
def test_decimal_round_trip(number: Decimal) -> None:
    """Printing and reading back gives the same digits."""
    text = decimal_text(number)

    assert "E" not in text
    assert (number, text) == (decimal(text), decimal_text(Decimal(text)))


def test_decimal_text_at_the_edges() -> None:
    """Small numbers print plainly; only absurd exponents keep their E; NaN is refused."""
    assert decimal_text(Decimal("1E-8")) == "0.00000001"
    assert decimal_text(Decimal("1E+500")) == "1E+500"
    with pytest.raises(ValueError, match="no money"):
        decimal_text(Decimal("NaN"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:01Z", 1_000_000_000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00-0130", 5_400_000_000_000),
        ("1970-01-01 00:00:00.123456789", 123_456_789),
        ("1970-01-01T00:00:00.1234567891Z", 123_456_789),
        ("1969-12-31T23:59:59Z", -1_000_000_000),
        (" 2026-11-30t14:00:00z ", 1_796_047_200_000_000_000),
    ],
)
def test_instant(text: str, expected: int) -> None:
    """RFC 3339 and ISO dates, to the nanosecond; without an offset it is UTC."""
    assert expected == instant(text)


@pytest.mark.parametrize(
    "text", ["", "now", "2026-13-01", "2026-02-30", "2026-11-30T25:00", "1700000000", "2026-11-30T"]
)
def test_no_instant(text: str) -> None:
    """What is no time is null, never a guess."""
    assert instant(text) is None


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1)), st.integers(0, 999))  # noqa: DTZ001
def test_instant_round_trip(when: datetime, nanos: int) -> None:
    """Printing and reading back loses no nanosecond."""
    at = round(when.replace(tzinfo=UTC, microsecond=0).timestamp()) * 10**9 + when.microsecond * 1000 + nanos

    assert at == instant(instant_text(at))


@pytest.mark.parametrize("name", ["a", "A-1_b.c", "0", "x" * 64])
def test_valid_names(name: str) -> None:
    """Letters, digits, dot, dash and underscore, at most 64."""
    assert valid_name(name)


@pytest.mark.parametrize("name", ["", ".a", "-a", "a..b", "a/b", "a b", "x" * 65, "a\n", "é"])
def test_invalid_names(name: str) -> None:
    """Nothing that could leave a folder or break a line."""
    assert not valid_name(name)
