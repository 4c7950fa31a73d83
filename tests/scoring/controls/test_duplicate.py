"""duplicate: beside vector V23."""

from __future__ import annotations

RULE = "duplicate"
ONCE = {"duplicate": {"window_s": "10"}}


def test_new_id_is_a_duplicate_and_the_same_id_a_retry(rule):
    """An agent that mints a new id for a retry orders twice."""
    assert rule(RULE, ONCE, "a: buy 1 AAPL market", "b: buy 1 AAPL market") == {"a": "pass", "b": "violation"}
    assert rule(RULE, ONCE, "a: buy 1 AAPL market", "a: buy 1 AAPL market") == {"a": "pass"}


def test_different_orders_and_times(rule):
    """Another side, quantity or price is another order; so is the same one ten seconds later."""
    got = rule(
        RULE,
        ONCE,
        "a: buy 1 AAPL limit 90",
        "b: sell 1 AAPL limit 90",
        "c: buy 2 AAPL limit 90",
        "d: buy 1 AAPL limit 91",
        {"t": "2026-11-25T15:00:10Z"}
        | {"submit": {"id": "e", "sym": "AAPL", "side": "buy", "type": "limit", "qty": "1", "limit": "90"}},
    )

    assert set(got.values()) == {"pass"}


def test_prices_that_the_type_does_not_have_make_no_difference(rule):
    """Two market orders are equal, whatever limits they carry; two limit orders are not."""

    def market(name: str, **prices: str) -> dict:
        return {"submit": {"id": name, "sym": "AAPL", "side": "buy", "type": "market", "qty": "1"} | prices}

    got = rule(RULE, ONCE, market("a", limit="1"), market("b", limit="2"), market("c", stop="2"))

    assert got == {"a": "pass", "b": "violation", "c": "violation"}
