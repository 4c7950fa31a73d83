"""kill.*: beside vectors V28 and V29."""

from __future__ import annotations


def test_off_again(rule):
    """Once a person re-arms, nothing is asked."""
    events = ({"kill": "halted"}, "a: buy 1 AAPL market", {"kill": "off"}, "b: buy 2 AAPL market")

    assert rule("kill.halted", {}, *events) == {"a": "violation"}


def test_reducing_with_an_unread_position(rule):
    """It can't be said that the order reduces."""
    events = ({"kill": "reducing"}, "a: sell 1 AAPL market")

    assert rule("kill.reducing", {"state": {"start": "unknown"}}, *events) == {"a": "indeterminate"}
