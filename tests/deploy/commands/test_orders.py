"""`redtape orders`: what was asked for, as it was sent."""

from __future__ import annotations

import json
from pathlib import Path

from deploy.orders_view import FIELDS


def test_json(redtape, ordinary: str) -> None:
    """One compact object a request, in the order of sending, with what became of it."""
    done = redtape("orders", ordinary, "--json")
    first, second = done.lines

    assert (0, "") == (done.code, done.err)
    assert ["session", "seq", "at", "exchange", "exchange_label", *FIELDS, "chain", "retry_of", "status"] == list(first)
    assert ("ordinary", 1, "2026-11-25T15:00:00Z", 1, "first", "wire", "alpaca", "place") == tuple(
        list(first.values())[:8]
    )
    assert ("AAPL", "10", "base", None, "acked") == tuple(
        first[key] for key in ("symbol", "quantity", "unit", "limit_price", "status")
    )
    assert ("c2", "5000", "99.50", "rejected") == tuple(
        second[key] for key in ("client_order_id", "quantity", "limit_price", "status")
    )
    assert all(line == json.dumps(json.loads(line), separators=(",", ":")) for line in done.out.splitlines())


def test_table(redtape, ordinary: str) -> None:
    """For people, with the venue's reason where it refused."""
    done = redtape("orders", ordinary)

    assert (0, "") == (done.code, done.err)
    assert [
        "seq",
        "time",
        "source",
        "venue",
        "action",
        "symbol",
        "side",
        "type",
        "quantity",
        "unit",
        "limit",
        "status",
        "reason",
    ] == done.out.splitlines()[0].split()
    assert "2026" not in done.out
    assert done.out.splitlines()[2].endswith("5000  base  99.50  rejected  insufficient buying power")


def test_events(redtape, ordinary: str, har) -> None:
    """Everything that was read of orders, for both."""
    lines = redtape("orders", ordinary, "--events", "--json").lines
    assert [("requested", 1), ("acked", 2), ("requested", 3), ("rejected", 4)] == [
        (one["kind"], one["seq"]) for one in lines
    ]
    assert ("2026-11-25T15:00:01.505Z", "insufficient buying power", "40310000") == (
        lines[3]["at"],
        lines[3]["reason"],
        lines[3]["code"],
    )

    people = redtape("orders", ordinary, "--events").out.splitlines()
    assert 4 == len(people)
    assert "kind=rejected" in people[3]
    assert "None" not in "".join(people)


def test_retry_is_a_line_of_its_own(redtape, imported, har) -> None:
    """And says of which."""
    lost = har.entry(body=har.placed("c1"), response=None)
    again = har.entry(body=har.placed("c1"), answer=har.order("c1"), at="2026-11-25T15:00:01Z")
    name = imported(lost, again)
    first, second = redtape("orders", name, "--json").lines

    assert (None, first["seq"]) == (first["retry_of"], second["retry_of"])
    assert f"retry of {first['seq']}" in redtape("orders", name).out


def test_no_orders(redtape, imported, har) -> None:
    """Said to people; nothing for programs."""
    name = imported(har.entry("GET", "https://example.com/"))

    done = redtape("orders", name)
    assert (0, "", "no orders\n") == (done.code, done.out, done.err)
    done = redtape("orders", name, "--json")
    assert (0, "", "") == (done.code, done.out, done.err)


def test_session_as_a_file(redtape, ordinary: str) -> None:
    """A file from elsewhere needs no workspace."""
    copy = Path("copy.db")
    copy.write_bytes(Path(f".redtape/sessions/{ordinary}.db").read_bytes())

    assert redtape("orders", ordinary, "--json").out == redtape("orders", copy, "--json", REDTAPE_WORKSPACE="none").out


def test_hostile_text(redtape, evil: str, hostile: str, harmless) -> None:
    """Escapes for people, the truth for programs; also five megabytes of it."""
    for args in ((), ("--events",)):
        done = redtape("orders", evil, *args)
        assert (0, "") == (done.code, done.err)
        harmless(done.out)
        assert "\\x1b[31mred\\x1b]52;c;aGVsbG8=\\x07" in done.out
        assert "[/red]{x}%s<script>" in done.out
        assert len(done.out) < 200_000
        done = redtape("orders", evil, "--json", *args)
        assert done.out.isascii()
        harmless(done.out)
    orders = redtape("orders", evil, "--json").lines
    assert (hostile, hostile, hostile) == tuple(
        orders[0][key] for key in ("symbol", "client_order_id", "exchange_label")
    )
    assert 5_000_000 == len(orders[1]["symbol"])
