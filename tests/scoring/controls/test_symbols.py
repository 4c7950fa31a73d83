"""symbols.*: beside vector V24."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("rule_id", "lists"), [("symbols.allow", {"allow": ["AAPL"]}), ("symbols.exit_only", {"exit_only": ["ZVTX"]})]
)
def test_an_amount_of_money_of_what_is_not_held(rule, rule_id, lists):
    """Without a price its size is unknown, but nothing is there to reduce."""
    keys = {"symbols": lists}

    assert rule(rule_id, keys, "a: buy $500 ZVTX market") == {"a": "violation"}
    assert rule(rule_id, keys, "a: sell $500 ZVTX market") == {"a": "violation"}
    assert rule(rule_id, keys, "a: buy $500 ZVTX market", pos={"ZVTX": "5"}) == {"a": "violation"}
    assert rule(rule_id, keys, "a: sell $500 ZVTX market", pos={"ZVTX": "5"}) == {"a": "indeterminate"}
    assert rule(rule_id, keys, "a: buy $500 ZVTX market", pos={"ZVTX": "-5"}) == {"a": "indeterminate"}


def test_the_list_is_the_limit(session, contract, place, flat):
    """So that a reader need not open the contract; a long one is cut, an empty one said."""

    def of(names, **order):
        judged = judge_session(session(flat, place(**order)), contract(symbols={"allow": names}))
        return next(one for one in judged.verdicts if one.rule == "symbols.allow")

    found = of(["MSFT", "IBM"], symbol="ZVTX")
    assert found.limit == "MSFT, IBM"
    assert "symbols.allow: ZVTX, not reducing; allowed: MSFT, IBM [exchange 10]" in found.rationale
    assert of(list("abcdefgh")).limit == "a, b, c, d, e, f, … (8 in all)"
    assert of([]).limit == "nothing"


def test_captured_text_is_cut(session, contract, place, flat):
    """A symbol of megabytes is one in the evidence, not in every verdict."""
    judged = judge_session(
        session(flat, place(symbol="Z" * 5_000_000, account="A" * 5_000_000)),
        contract(symbols={"allow": ["AAPL"]}, account={"allow": ["PA1"]}, order={"max_notional": "1", "max_qty": "1"}),
    )

    assert len(judged.verdicts) == 4
    assert all(len(one.rationale) < 1000 and len(one.observed or "") <= 120 for one in judged.verdicts)
