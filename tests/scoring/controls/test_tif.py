"""order.tif: an allow-list."""

from __future__ import annotations

RULE = "order.tif"


def order(name: str, **fields: str) -> dict:
    return {"submit": {"id": name, "sym": "AAPL", "side": "buy", "type": "market", "qty": "1"} | fields}


def test_allow_list(rule):
    """A venue's default is not guessed."""
    got = rule(RULE, {"order": {"tif": ["day"]}}, order("a", tif="day"), order("b", tif="gtc"), order("c"))

    assert got == {"a": "pass", "b": "violation", "c": "indeterminate"}
