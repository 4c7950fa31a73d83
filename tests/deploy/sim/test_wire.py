"""JSON without floats, and parameters: what is read, what is refused."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

import pytest

from corpus.terms import instant
from deploy.sim import wire
from deploy.sim.wire import Refused
from proxy.broker.replies import Reply


def says(message: str) -> Reply:
    return Reply(400, {"message": message})


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        ({"p": D("571.530"), "n": None}, b'{"p":571.530,"n":null}'),
        ([D("0.1") + D("0.2"), True, 5], b"[0.3,true,5]"),
        ("é</b>", '"é</b>"'.encode()),
        ({}, b"{}"),
    ],
)
def test_json_is_compact_and_keeps_the_digits(value: Any, raw: bytes) -> None:
    assert wire.dump(value) == raw
    assert wire.load(raw) == value


def test_fractions_are_read_exactly() -> None:
    found = wire.load('{"a":0.1000000000000000055,"b":1.50,"c":2,"d":1e400}')
    assert found == {"a": D("0.1000000000000000055"), "b": D("1.50"), "c": 2, "d": D("1E+400")}
    assert (str(found["b"]), type(found["c"])) == ("1.50", int)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"a":1}x',
        b"NaN",
        b"-Infinity",
        b"\xff",
        b'"\xff"',
        b'"\\ud800"',
        b"{'a':1}",
        b"01",
        b"[" * 100_000,
        b"1e99999999999999999999",
        b"9" * 5000,
    ],
    ids=lambda raw: repr(raw[:12]),
)
def test_what_is_no_json_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError) as caught:
        wire.load(raw)
    assert type(caught.value) is ValueError
    assert str(caught.value)


def test_a_number_that_json_does_not_know_is_not_written() -> None:
    with pytest.raises(ValueError):
        wire.dump({"p": D("NaN")})


def test_a_reply_is_json_and_one_without_a_body_is_empty() -> None:
    full = wire.respond(Reply(422, {"p": D("1.10")}))
    assert (full.status, full.body) == (422, b'{"p":1.10}')
    assert full.headers["Content-Type"] == "application/json; charset=UTF-8"
    empty = wire.respond(Reply(204))
    assert (empty.status, empty.body, "Content-Type" in empty.headers) == (204, None, False)
    # An empty list is a body.
    assert wire.respond(Reply(200, [])).body == b"[]"


def test_a_refusal_carries_its_reply() -> None:
    assert wire.data_error("no", 404).reply == Reply(404, {"message": "no"})
    assert wire.data_error("no").reply == says("no")
    assert str(wire.data_error("no")) == "400"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("MSFT, aapl,,AAPL ,msft", ("AAPL", "MSFT")), ("", ()), (" , ,", ()), ("BRK.B", ("BRK.B",))],
)
def test_symbols(text: str, expected: tuple[str, ...]) -> None:
    assert wire.symbols({"symbols": text}) == expected
    assert wire.symbols({}) == ()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2012-06-14", "2012-06-14T04:00:00Z"),
        ("2012-01-03", "2012-01-03T05:00:00Z"),
        ("2012-06-14T00:00:00Z", "2012-06-14T00:00:00Z"),
        ("2012-06-14T09:30:00.000000001-04:00", "2012-06-14T13:30:00.000000001Z"),
    ],
)
def test_a_bare_date_is_midnight_in_new_york(text: str, same: str) -> None:
    assert wire.moment({"start": text}, "start", 5) == instant(same)


def test_a_missing_parameter_is_the_default() -> None:
    for query in ({}, {"x": ""}):
        assert wire.moment(query, "x", 5) == 5
        assert wire.count(query, "x", 7, 10) == 7
        assert wire.choice(query, "x", ("asc", "desc")) == "asc"
        assert wire.flag(query, "x") is False


@pytest.mark.parametrize("text", ["June", "2012-02-30", "0000-01-01", "2012-06-14T25:00:00Z", "1339774200", "x" * 65])
def test_what_is_no_time_is_refused_in_few_words(text: str) -> None:
    with pytest.raises(Refused) as caught:
        wire.moment({"start": text}, "start", 5)
    assert caught.value.reply == says(f"invalid start: {text[:64]}; write RFC-3339 or YYYY-MM-DD")


def test_counts() -> None:
    assert [wire.count({"limit": text}, "limit", 5, 50) for text in ("1", "007", "50")] == [1, 7, 50]
    for text in ("0", "51", "-1", "+1", "1.0", " 1", "1e1", "\u0661", "000000001", "9" * 5000):
        with pytest.raises(Refused) as caught:
            wire.count({"limit": text}, "limit", 5, 50)
        assert caught.value.reply == says("invalid limit: must be between 1 and 50")


def test_choices_and_flags() -> None:
    assert wire.choice({"sort": "desc"}, "sort", ("asc", "desc")) == "desc"
    with pytest.raises(Refused) as caught:
        wire.choice({"sort": "DESC"}, "sort", ("asc", "desc"))
    assert caught.value.reply == says("invalid sort: must be one of asc, desc")
    truths = {
        text: wire.flag({"nested": text}, "nested") for text in ("true", "True", "1", "t", "YES", "false", "0", "on")
    }
    assert [text for text, found in truths.items() if found] == ["true", "True", "1", "t", "YES"]
