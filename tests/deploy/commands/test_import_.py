"""`redtape import`: a file becomes a session of its name."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_name_of_the_file(redtape, har) -> None:
    """The session is called as the file, as far as names go."""
    for file, name in [
        ("a.har", "a"),
        ("my trades (1).har", "my-trades-1"),
        ("ä.har", "import"),
        (f"{'x' * 80}.har", "x" * 64),
        ("..b.HAR", "b"),
    ]:
        done = redtape("import", har.write(Path(file), har.entry()))
        assert (0, "", f"{name}: 1 exchanges\n") == (done.code, done.out, done.err)
        assert Path(f".redtape/sessions/{name}.db").is_file()


def test_name_that_is_given(redtape, har) -> None:
    """Wins; and is checked like any."""
    file = har.write(Path("a.har"), har.entry())

    assert "mine: 1 exchanges\n" == redtape("import", file, "--session", "mine").err
    assert 2 == redtape("import", file, "--session", "../mine").code


def test_existing(redtape, har) -> None:
    """Exit 2 unless it is to be replaced."""
    file = har.write(Path("a.har"), har.entry())
    redtape("import", file)
    done = redtape("import", file)

    assert (2, "") == (done.code, done.out)
    assert "session a exists; choose another --session name or give --replace" in done.err
    assert 0 == redtape("import", file, "--replace").code


@pytest.mark.parametrize("name", ["a.txt", "a", "a.pcap", "a.har.gz"])
def test_other_files(redtape, name: str) -> None:
    """Said by what they are called."""
    Path(name).write_text("{}")
    done = redtape("import", name)

    assert 2 == done.code
    assert f"{name}: only .har" in done.err


def test_not_a_har(redtape, harmless) -> None:
    """Exit 2, whatever is inside."""
    Path("a.har").write_text('{"log": {"entries": [{"request": {"method": "GET", "url": "https://[\\u001b]52;/"}}]}}')
    done = redtape("import", "a.har")

    assert (2, "") == (done.code, done.out)
    assert "log.entries[0].request.url" in done.err
    harmless(done.err)


VENUE = """
schema: venue/1
venue: mine
title: Mine
source: https://example.com
hosts:
  trading: {role: trading, live: [broker.example.com]}
endpoints:
  - id: mine.place
    on: trading
    method: POST
    path: /orders
    action: place
    order: {fields: {symbol: args.ticker}}
"""


def test_venues_of_the_user(redtape, har) -> None:
    """Read what the shipped catalogue does not know; a bad file is named."""
    file = har.write(Path("a.har"), har.entry("POST", "https://broker.example.com/orders", {"ticker": "ABC"}))
    Path("mine.yaml").write_text(VENUE)

    assert 0 == redtape("import", file, "--venues", "mine.yaml").code
    assert [("mine", "ABC")] == [(one["venue"], one["symbol"]) for one in redtape("orders", "a", "--json").lines]
    Path("mine.yaml").write_text(VENUE.replace("action: place", "action: plaice"))
    done = redtape("import", file, "--venues", "mine.yaml", "--replace")
    assert 2 == done.code
    assert "mine.yaml:13: endpoints[0].action" in done.err
