"""`redtape proxy`: what its options become, and what its outcome."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

import deploy.live as live
from deploy.commands.proxy import address, pair
from deploy.live import Ended, LiveOptions

ENDED = Ended("s", Path("s.db"), None, False, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("127.0.0.1:8080", ("127.0.0.1", 8080)),
        (":0", ("127.0.0.1", 0)),
        ("localhost:65535", ("localhost", 65535)),
        ("[::1]:80", ("::1", 80)),
    ],
)
def test_address(text: str | None, expected: object) -> None:
    """Host and port; the host may be left out."""
    assert expected == address(None, None, text)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "x", "8080", "x:", "x:-1", "x:65536", "x:1.5", "x:²", "x:" + "9" * 5000, "x: 1"])
def test_bad_address(text: str) -> None:
    """Says what it must look like."""
    with pytest.raises(click.BadParameter, match="must look like HOST:PORT"):
        address(None, None, text)  # type: ignore[arg-type]


def test_pair() -> None:
    """The first equals sign parts; the last of a host wins."""
    assert {"a": "http://x/?b=c", "d": "e"} == pair(None, None, ("a=1", "a=http://x/?b=c", "d=e"))  # type: ignore[arg-type]
    for text in ("", "a", "a=", "=b", "="):
        with pytest.raises(click.BadParameter, match="must look like HOST=URL"):
            pair(None, None, (text,))  # type: ignore[arg-type]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch):
    """What would be run, instead of running it; `session["ended"]` is how it ends."""
    seen: dict[str, Any] = {"ended": ENDED}

    async def run(options: LiveOptions, _log: object, *, command: Any, started: Any) -> Ended:
        seen.update(options=options, command=command)
        return seen["ended"]

    monkeypatch.setattr(live, "run_session", run)
    return seen


def test_observing_is_the_default(redtape, session) -> None:
    """On the port that `ca env` names; with a COMMAND on a free one."""
    done = redtape("proxy")
    options = session["options"]

    assert (0, "") == (done.code, done.out)
    assert ("127.0.0.1", 8080, "live", (), {}, False) == (
        options.listen_host,
        options.listen_port,
        options.broker,
        options.attacks,
        options.maps,
        options.accept_real_orders,
    )
    assert options.session.startswith("proxy-")
    assert 0 == redtape("proxy", "--", "agent").code
    assert (0, ("agent",)) == (session["options"].listen_port, session["command"])


def test_options(redtape, session) -> None:
    """Each reaches the session; what follows -- is the command's, also what looks like ours."""
    Path("roots.pem").write_text("x")
    args = "--session n --replace --attack news-hidden-order --variant 1 --seed 9 --map a=http://b --accept-real-orders --upstream-ca roots.pem"
    done = redtape(
        "proxy",
        *args.split(),
        "--contract",
        "us-equity-long-only",
        "--listen",
        "[::1]:5",
        "--",
        "agent",
        "--seed",
        "3",
        "--help",
    )
    options = session["options"]

    # The session's file is not there, so scoring it comes to nothing.
    assert 4 == done.code
    assert ("n", True, ["news-hidden-order"], 1, 9, {"a": "http://b"}, True) == (
        options.session,
        options.replace,
        [case.id for case in options.attacks],
        options.variant,
        options.seed,
        options.maps,
        options.accept_real_orders,
    )
    assert (Path("roots.pem"), "::1", 5, 64) == (
        options.upstream_ca,
        options.listen_host,
        options.listen_port,
        len(options.contract_hash or ""),
    )
    assert ("agent", "--seed", "3", "--help") == session["command"]


@pytest.mark.parametrize("host", ["0.0.0.0:0", "[::]:0", "192.168.1.5:0", "example.com:0"])
def test_others_could_use_it(redtape, session, host: str) -> None:
    """Only with an explicit word."""
    done = redtape("proxy", "--listen", host, "--", "agent")
    assert (2, "") == (done.code, done.out)
    assert "give --allow-remote" in done.err
    assert "options" not in session
    assert 0 == redtape("proxy", "--listen", host, "--allow-remote", "--", "agent").code


@pytest.mark.parametrize(
    ("ended", "code", "says"),
    [
        (replace(ENDED, command=0), 0, ""),
        (replace(ENDED, command=7), 7, ""),
        (replace(ENDED, command=0, storage_failed=True), 4, "error: evidence could not be written"),
        (replace(ENDED, command=7, storage_failed=True, hook_failures=2), 4, "error: evidence could not be written"),
        (replace(ENDED, command=7, hook_failures=2), 3, "internal error: 2 hooks failed"),
    ],
)
def test_exit_codes(redtape, session, ended: Ended, code: int, says: str) -> None:
    """Our own failure wins over the agent's code."""
    session["ended"] = ended
    done = redtape("proxy", "--", "agent")

    assert (code, "") == (done.code, done.out)
    assert says in done.err


@pytest.mark.parametrize(("gate", "limit", "code"), [(True, "100", 1), (True, "9000", 7), (False, "100", 7)])
def test_gate(redtape, session, ordinary: str, gate: bool, limit: str, code: int) -> None:
    """A requested gate wins over the agent's code; the verdict is printed to people, stdout is the agent's."""
    Path("c.yaml").write_text(f"schema: risk-contract/1\nid: mine\nversion: 1\norder: {{max_qty: '{limit}'}}\n")
    session["ended"] = replace(ENDED, command=7, file=Path(f".redtape/sessions/{ordinary}.db"))
    args = ("--fail-on-violation",) if gate else ()
    done = redtape("proxy", "--contract", "c.yaml", *args, "--", "agent")

    assert (code, "") == (done.code, done.out)
    assert bool(re.search(r"\bviolation\b", done.err)) == (limit == "100")


def test_quiet(redtape, session) -> None:
    """Only errors."""
    assert "" == redtape("-q", "proxy", "--", "agent").err
    assert "session s: 0 exchanges" in redtape("proxy", "--", "agent").err


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("paper-api.alpaca.market", "paper-api.alpaca.markets"),
        ("Api.openai.co:443", "api.openai.com"),
        ("paper-api.alpaca.markets", None),
        ("venue.example", None),
        ("\x1bapi.openai.com", "api.openai.com"),
    ],
)
def test_host_that_is_likely_misspelt(redtape, session, harmless, host: str, near: str | None) -> None:
    """A warning and no more: the catalogue does not know every host."""
    done = redtape("proxy", "--map", f"{host}=http://127.0.0.1:1", "--", "agent")

    assert 0 == done.code
    harmless(done.err)
    assert (f"did you mean {near}?" in done.err) if near else ("warning" not in done.err)
    assert "" == redtape("-q", "proxy", "--map", f"{host}=http://127.0.0.1:1", "--", "agent").err


def test_summary(redtape, session, imported, har) -> None:
    """Counts under the names that they have everywhere; what failed and why; what went to a real broker."""
    call = {"name": "place_order", "arguments": '{"symbol": "AAPL", "side": "buy", "qty": 10, "type": "market"}'}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": call}]}
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    answer = {"id": "x", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    name = imported(
        har.entry("POST", "https://api.openai.com/v1/chat/completions", asked, answer),
        har.entry("POST", "https://api.alpaca.markets/v2/orders", har.placed(), har.order()),
        har.entry("POST", "https://paper-api.alpaca.markets/v2/orders", har.placed("c2"), har.order("c2")),
        har.entry("GET", "https://api.openai.com/v1/models", response=None),
    )
    session["ended"] = replace(ENDED, exchanges=4, orders=2, file=Path(f".redtape/sessions/{name}.db"))
    done = redtape("proxy", "--", "agent")

    lines = done.err.splitlines()
    assert lines[0].startswith("session s: 4 exchanges, 2 orders, 1 tool-call intent, 0 injections, 0 blocked · ")
    assert lines[1].startswith("1 failed: ")
    assert ["1 order went to api.alpaca.markets, a real trading host"] == lines[2:]

    assert ["2", "1"] == redtape("sessions", "list").out.split("orders ")[1].replace("intents ", "").split()[:2]
    assert (2, 1) == tuple(redtape("show", name, "--json").json[key] for key in ("orders", "intents"))
    shown = redtape("show", name).out
    assert "2 orders, 1 tool-call intent, " in shown
    assert "failed exchange 4: " in shown


def listening(process: subprocess.Popen[bytes]) -> str:
    """What is said first."""
    assert process.stderr is not None
    return process.stderr.readline().decode()


def test_live_session(redtape, spawn) -> None:
    """Not replaced, not started twice, not purged, whoever asks; after kill -9 its name is free again."""
    running = spawn("proxy", "--session", "s", "--listen", "127.0.0.1:0")
    assert "session s" in listening(running)
    before = Path(".redtape/sessions/s.db").stat().st_ino
    for args in (("--replace",), ()):
        done = redtape("proxy", "--session", "s", *args, "--", "true")
        assert (2, "") == (done.code, done.out)
        assert f"session s is in use by process {running.pid}; " in done.err
    os.utime(".redtape/sessions/s.db", (1, 1))
    assert 0 == redtape("purge", "--older-than", "1s", "--yes").code
    assert before == Path(".redtape/sessions/s.db").stat().st_ino
    assert 1 == len(redtape("sessions", "list", "--json").lines)

    running.kill()
    running.communicate(timeout=20)
    done = redtape("proxy", "--session", "s", "--", "true")
    assert (2, True) == (done.code, "session s exists; choose another" in done.err)
    assert 0 == redtape("proxy", "--session", "s", "--replace", "--", "true").code
    assert ["s.db"] == [path.name for path in Path(".redtape/sessions").iterdir()]


@pytest.mark.parametrize("args", [(), ("--replace",)])
def test_same_name_at_the_same_moment(spawn, tmp_path: Path, args: tuple[str, ...]) -> None:
    """Exactly one wins; the others say why they did not."""
    command = ("proxy", "--session", "s", *args, "--", sys.executable, "-c", "import time; time.sleep(4)")
    started = [spawn(*command) for _ in range(3)]
    said = [process.communicate(timeout=60)[1].decode() for process in started]

    assert [0, 2, 2] == sorted(process.returncode for process in started), said
    winner = next(process.pid for process in started if process.returncode == 0)
    assert 2 == sum(f"session s is in use by process {winner}; " in text for text in said), said
    assert ["s.db"] == [path.name for path in (tmp_path / ".redtape/sessions").iterdir()]


def test_start_that_fails(redtape) -> None:
    """Leaves the name free, and says what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = redtape("proxy", "--session", "s", "--listen", f"127.0.0.1:{port}", "--", "true")
        says = (
            f"error: can't listen on 127.0.0.1:{port}: address already in use; --listen 127.0.0.1:0 takes a free port\n"
        )
        assert (4, "", says) == (done.code, done.out, done.err)
    done = redtape("proxy", "--session", "s", "--", "no-such-agent")
    assert (2, "", "error: command not found: no-such-agent\n") == (done.code, done.out, done.err)
    done = redtape(
        "proxy",
        "--session",
        "s",
        "--attack",
        "news-hidden-order",
        "--variant",
        "99",
        "--map",
        "paper-api.alpaca.markets=http://127.0.0.1:1",
        "--",
        "true",
    )
    assert (2, True) == (done.code, "variants, not number 99" in done.err)
    assert [] == list(Path(".redtape/sessions").iterdir())
    assert 0 == redtape("proxy", "--session", "s", "--", "true").code
