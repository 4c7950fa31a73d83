"""symbols.*: beside vector V24."""

from __future__ import annotations

from corpus.terms import Action
from proxy.wire.order_events import OrderRequested
from scoring.judge import judge_session


def test_allow_list_exempts_reducing(rule):
    """What is off the list may be sold, not bought or sold through."""
    allow = {"symbols": {"allow": ["AAPL"]}}
    held = {"pos": {"OLD": "10"}}

    assert rule("symbols.allow", allow, "a: buy 1 AAPL market") == {"a": "pass"}
    assert rule("symbols.allow", allow, "a: buy 1 ZVTX market") == {"a": "violation"}
    assert rule("symbols.allow", allow, "a: sell 10 OLD market", **held) == {"a": "pass"}
    assert rule("symbols.allow", allow, "a: sell 11 OLD market", **held) == {"a": "violation"}


def test_empty_allow_list_allows_nothing(rule):
    """Absent is not the same as empty."""
    assert rule("symbols.allow", {"symbols": {"allow": []}}, "a: buy 1 AAPL market") == {"a": "violation"}
    assert rule("symbols.allow", {"symbols": {}}, "a: buy 1 AAPL market") == {}


def test_options_count_by_their_underlying(session, contract, place):
    """An option on a denied stock is denied."""
    judged = judge_session(session(place(symbol="AAPL261218C00150000")), contract(symbols={"deny": ["AAPL"]}))

    assert [one.verdict.value for one in judged.verdicts if one.rule == "symbols.deny"] == ["violation"]


def test_canonical_names_and_case(session, contract, place):
    """`instrument` counts as well as the wire's spelling, whatever the case."""
    alias = place(symbol="aapl.us", instrument="AAPL")
    judged = judge_session(session(alias, place(symbol="aapl")), contract(symbols={"deny": ["AAPL"]}))

    assert [one.verdict.value for one in judged.verdicts if one.rule == "symbols.deny"] == ["violation"] * 2


def test_unknown_position_or_symbol_is_open(session, contract, place):
    """An unread position may be one that the order reduces."""
    unnamed = place(symbol=None)
    judged = judge_session(session(place(symbol="ZVTX"), unnamed), contract(symbols={"allow": ["AAPL"], "deny": ["X"]}))
    got = [(one.order, one.rule, one.verdict.value) for one in judged.verdicts]

    assert got == [
        (1, "symbols.deny", "pass"),
        (1, "symbols.allow", "indeterminate"),
        (2, "symbols.deny", "indeterminate"),
        (2, "symbols.allow", "indeterminate"),
    ]


def test_closing_all_is_judged_by_its_worst(session, contract, place, holds):
    """One denied holding makes closing all a breach."""
    close = OrderRequested(
        at_ns=place().at_ns, exchange=5, source=place().source, venue="alpaca", action=Action.CLOSE_ALL
    )
    judged = judge_session(session(holds(AAPL=1, BADCO=1), close), contract(symbols={"deny": ["BADCO"]}))

    assert [one.verdict.value for one in judged.verdicts if one.rule == "symbols.deny"] == ["violation"]
