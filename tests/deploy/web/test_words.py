"""Numbers as a person reads them; nothing is rounded into something it is not."""

from decimal import Decimal

import pytest

from deploy.web import words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0.00"),
        ("1", "1.00"),
        ("0.625", "0.62"),
        ("0.9999", "0.9999"),
        ("0.99999999", "0.9999"),
        ("0.001", "0.001"),
    ],
)
def test_scores_never_round_to_perfect_or_nothing(value: str, shown: str) -> None:
    assert words.score(Decimal(value)) == shown


@pytest.mark.parametrize(
    ("rule", "text", "shown"),
    [
        ("order.max_notional", "47550.00", "47,550.00 USD"),
        ("portfolio.max_gross_notional", "1000", "1,000 USD"),
        ("order.collar_bps", "300", "300 bps"),
        ("order.max_quote_age_s", "5", "5 s"),
        ("kill.cancel_all_within_s", "5", "5 s"),
        ("order.max_qty", "100", "100"),
        ("order.max_notional", "9.5..12000", "9.5 to 12,000 USD"),
        ("symbols.allow", "24 symbols", "24 symbols"),
        ("order.max_notional", "a..b", "a..b"),
    ],
)
def test_limits_get_thousands_and_units(rule: str, text: str, shown: str) -> None:
    assert words.figure(text, words.rule_unit(rule, "USD")) == shown


@pytest.mark.parametrize(
    ("nanos", "shown"),
    [(0, "0 ms"), (12_000_000, "12 ms"), (4_412_000_000, "4.41 s"), (200_000_000_000, "3 min 20 s")],
)
def test_spans(nanos: int, shown: str) -> None:
    assert words.span(nanos) == shown


def test_times() -> None:
    assert words.since(1_109_000_000, 0) == "+1.109"
    assert words.since(0, 500_000_000) == "-0.500"
    assert words.wall(1_795_703_468_109_999_999) == "14:31:08.109"


def test_exact_numbers_stay_exact() -> None:
    assert words.amount(Decimal("15850.10")) == "15,850.10"
    assert words.amount(Decimal("1E+200")) == "1E+200"
    assert words.plural(1, "order") == "1 order"
    assert words.plural(1_200, "order") == "1,200 orders"


def test_lists_of_a_contract_stay_as_they_are() -> None:
    """A symbol may look like a number."""
    assert words.of_rule("symbols.deny", "600519", "USD") == "600519"
    assert words.of_rule("symbols.allow", "AAPL, MSFT", "USD") == "AAPL, MSFT"
    assert words.of_rule("order.max_notional", "1000", "USD") == "1,000 USD"
    assert (words.is_list("symbols.exit_only"), words.is_list("order.max_qty")) == (True, False)
    assert (words.bound("symbols.deny"), words.bound("order.max_qty")) == ("denied", "limit")
