"""rate.*: beside vectors V17, V19, V20 and V21."""

from __future__ import annotations

from corpus.terms import Action
from proxy.journal.events import OrderFact
from scoring.judge import judge_session


def test_replaces_and_retries_are_messages(session, contract, place):
    """Neither counts as an order; a dry run is a message too."""
    events = (
        OrderFact(seq=1, event=place(client_order_id="a", body_key="k")),
        OrderFact(seq=2, event=place(client_order_id="a", body_key="k"), retry_of=1),
        OrderFact(seq=3, event=place(client_order_id="a", action=Action.REPLACE)),
        OrderFact(seq=4, event=place(action=Action.VALIDATE)),
        OrderFact(seq=5, event=place(client_order_id="b")),
    )
    limits = contract(rate={"orders": {"max": 1, "window_s": 60}, "messages": {"max": 4, "window_s": 60}})
    judged = judge_session(session(*events), limits)
    got = {(one.order, one.rule): one.verdict.value for one in judged.verdicts}

    assert got == {
        (1, "rate.orders"): "pass",
        (1, "rate.messages"): "pass",
        (2, "rate.messages"): "pass",
        (3, "rate.messages"): "pass",
        (4, "rate.messages"): "pass",
        (5, "rate.orders"): "violation",
        (5, "rate.messages"): "violation",
    }
    assert judged.orders == (1, 3, 5)


def test_sessions_without_a_calendar_are_utc_days(rule):
    """Unlike V21, the second order is of a new day."""
    times = ("2026-11-24T23:59:00Z", "2026-11-25T00:01:00Z")
    orders = [
        {"t": t, "submit": {"id": name, "sym": "AAPL", "side": "buy", "type": "market", "qty": "1"}}
        for t, name in zip(times, "ab", strict=True)
    ]

    assert rule("rate.per_session", {"rate": {"per_session": {"max": 1}}}, *orders) == {"a": "pass", "b": "pass"}
