"""Log lines: JSON when a program reads, words on a terminal; never on stdout, never obeyed."""

from __future__ import annotations

import io
import json
import logging
import sys

import pytest
import structlog

from deploy.logs import configure, level_for


@pytest.fixture(autouse=True)
def defaults():
    """What one test sets up is not the next one's."""
    yield
    structlog.reset_defaults()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_lines(capsys: pytest.CaptureFixture[str], hostile: str) -> None:
    """One object a line with time, level, event and what was bound; null is left out."""
    configure(logging.INFO)
    structlog.get_logger().bind(session_id="s", empty=None).info(
        "order.read", symbol=hostile, count=2, exchange=[hostile]
    )
    out, err = capsys.readouterr()

    assert "" == out
    assert err.isascii()
    assert 1 == err.count("\n")
    assert not set(err) & {chr(n) for n in range(32) if n != 10}
    line = json.loads(err)
    assert {"session_id", "symbol", "count", "exchange", "level", "ts", "event"} == set(line)
    assert ("info", "order.read", 2) == (line["level"], line["event"], line["count"])
    assert line["ts"].endswith("Z")
    assert line["symbol"].startswith("\\x1b[31mred")


def test_a_terminal_gets_no_captured_escapes(monkeypatch: pytest.MonkeyPatch, hostile: str, harmless) -> None:
    """Colours are ours alone."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    configure(logging.INFO)
    structlog.get_logger().info("order.read", symbol=hostile, more=[hostile], trace="one\ntwo\x1b[2J")
    said = terminal.getvalue()

    assert "\x1b]" not in said
    assert "\x9b" not in said
    assert "\u202e" not in said
    assert "\\x1b[31mred" in said
    assert "\x1b[2J" not in said


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool) -> None:
    """Unless they are not wanted."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    configure(logging.INFO)
    structlog.get_logger().info("order.read", symbol="AAPL")

    assert coloured == ("\x1b[" in terminal.getvalue())
    assert "AAPL" in terminal.getvalue()


def test_level(capsys: pytest.CaptureFixture[str]) -> None:
    """What is below the level is not said."""
    configure(logging.WARNING)
    log = structlog.get_logger()
    log.info("small.thing")
    log.warning("big.thing")

    assert ["big.thing"] == [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]


@pytest.mark.parametrize(
    ("verbose", "quiet", "default", "level"),
    [
        (0, False, logging.WARNING, logging.WARNING),
        (0, False, logging.INFO, logging.INFO),
        (1, False, logging.WARNING, logging.INFO),
        (2, False, logging.WARNING, logging.DEBUG),
        (5, False, logging.WARNING, logging.DEBUG),
        (2, True, logging.INFO, logging.ERROR),
    ],
)
def test_flags(verbose: int, quiet: bool, default: int, level: int) -> None:
    """-v says more, -vv everything, -q wins."""
    assert level == level_for(verbose=verbose, quiet=quiet, default=default)
