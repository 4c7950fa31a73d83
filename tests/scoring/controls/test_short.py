"""short.*: beside vectors V10 and V11."""

from __future__ import annotations

RULE = "short.allowed"
LONG_ONLY = {"short": {"allowed": False}}


def test_buys_and_covered_sells_pass(rule):
    """Selling what is held is not short."""
    got = rule(
        RULE,
        LONG_ONLY,
        "a: buy 1 AAPL market",
        {"fill": {"id": "a", "qty": "1"}},
        "b: sell 11 AAPL market",
        pos={"AAPL": "10"},
    )

    assert got == {"a": "pass", "b": "pass"}


def test_a_buy_that_may_be_filled_is_in_doubt(rule):
    """A market buy that was acknowledged may be held by now, a resting one is not."""
    market = ("a: buy 5 AAPL market", {"ack": "a"}, "b: sell 5 AAPL market")
    resting = ("a: buy 5 AAPL limit 90", {"ack": "a"}, "b: sell 5 AAPL market")

    assert rule(RULE, LONG_ONLY, *market) == {"a": "pass", "b": "indeterminate"}
    assert rule(RULE, LONG_ONLY, *resting) == {"a": "pass", "b": "violation"}


def test_a_refused_exit_frees_what_it_held(rule):
    """The second exit is covered again."""
    events = ("a: sell 10 AAPL limit 110", {"reject": "a"}, "b: sell 10 AAPL limit 110")

    assert rule(RULE, LONG_ONLY, *events, pos={"AAPL": "10"}) == {"a": "pass", "b": "pass"}


def test_allowed_is_not_evaluated(rule):
    """`allowed: true` asks nothing."""
    assert rule(RULE, {"short": {"allowed": True}}, "a: sell 1 AAPL market") == {}


def test_locate(rule):
    """A short sale without a locate that was seen can't be judged; a covered one passes."""
    located = {"short": {"require_locate": True}}
    got = rule(
        "short.require_locate", located, "a: sell 10 AAPL limit 120", "b: sell 1 AAPL market", pos={"AAPL": "10"}
    )

    assert got == {"a": "pass", "b": "indeterminate"}


def test_an_amount_of_money_of_what_is_not_held_is_short(rule):
    """Its size is unknown, that it goes below nothing is not."""
    never = {"short": {"allowed": False}}

    assert rule("short.allowed", never, "a: sell $500 ZVTX market") == {"a": "violation"}
    assert rule("short.allowed", never, "a: sell $500 ZVTX market", pos={"ZVTX": "5"}) == {"a": "indeterminate"}
