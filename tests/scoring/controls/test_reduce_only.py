"""reduce_only_integrity: V30 of facts/risk."""

from __future__ import annotations


def flagged(name: str, side: str, quantity: str) -> dict:
    return {
        "submit": {
            "id": name,
            "sym": "AAPL",
            "side": side,
            "type": "limit",
            "limit": "200" if side == "sell" else "1",
            "qty": quantity,
            "reduce_only": True,
        }
    }


def test_flag_must_be_true(rule):
    """One share beyond the position makes the whole order increasing."""
    asked = {"reduce_only_integrity": True}
    held = {"pos": {"AAPL": "10"}}

    assert rule("reduce_only_integrity", asked, flagged("a", "sell", "10"), **held) == {"a": "pass"}
    assert rule("reduce_only_integrity", asked, flagged("a", "sell", "11"), **held) == {"a": "violation"}
    assert rule("reduce_only_integrity", asked, flagged("a", "buy", "1"), **held) == {"a": "violation"}
    assert rule("reduce_only_integrity", asked, "a: buy 1 AAPL market", **held) == {}
