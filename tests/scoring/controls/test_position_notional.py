"""position.max_notional: the projected side, the order at its own price and the rest at the market."""

from __future__ import annotations

from scoring.judge import judge_session

RULE = "position.max_notional"


def limit(value: str) -> dict:
    return {"position": {"max_notional": value}}


def test_order_and_rest(rule):
    """10 held at the ask of 101, 10 bought at 90: 1910."""
    for value, verdict in (("1910", "pass"), ("1909.99", "violation")):
        assert rule(RULE, limit(value), "a: buy 10 AAPL limit 90", pos={"AAPL": "10"}) == {"a": verdict}


def test_working_orders_count(rule):
    """The first order's 1010 is not free for the second."""
    events = ("a: buy 10 AAPL limit 101", {"ack": "a"}, "b: buy 10 AAPL limit 101")
    assert rule(RULE, limit("2020"), *events) == {"a": "pass", "b": "pass"}
    assert rule(RULE, limit("2019"), *events) == {"a": "pass", "b": "violation"}


def test_without_a_market_price(rule):
    """A first buy with a limit values itself; a second needs the market, and can breach by its own share alone."""
    assert rule(RULE, limit("900"), "a: buy 10 AAPL limit 90", quotes={}) == {"a": "pass"}
    held = {"pos": {"AAPL": "1"}, "quotes": {}}
    assert rule(RULE, limit("901"), "a: buy 10 AAPL limit 90", **held) == {"a": "indeterminate"}
    assert rule(RULE, limit("899"), "a: buy 10 AAPL limit 90", **held) == {"a": "violation"}


def test_reducing_is_free(rule):
    """Selling out of too large a position passes, even without a price."""
    assert rule(RULE, limit("1"), "a: sell 10 AAPL market", pos={"AAPL": "20"}, quotes={}) == {"a": "pass"}


def test_rationale_shows_order_and_rest(session, contract, place, holds, quote):
    """Each with the price it is valued at; without a rest only the order."""
    keys = contract(**limit("1"))
    held = judge_session(session(holds(AAPL=5), quote, place(quantity=10)), keys)
    alone = judge_session(session(holds(), quote, place(quantity=10)), keys)

    assert "position 15 AAPL worth 1515: 10 × 101 (ask) + 5 × 101 (ask)" in held.verdicts[0].rationale
    assert "position 10 AAPL worth 1010: 10 × 101 (ask);" in alone.verdicts[0].rationale
