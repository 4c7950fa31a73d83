"""`redtape proxy`: what its options become, and what its outcome."""

from __future__ import annotations

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
    args = "--session n --replace --attack news-hidden-order --seed 9 --map a=http://b --accept-real-orders --upstream-ca roots.pem"
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
    assert ("n", True, ["news-hidden-order"], 9, {"a": "http://b"}, True) == (
        options.session,
        options.replace,
        [case.id for case in options.attacks],
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
    assert ("violation" in done.err) == (limit == "100")


def test_quiet(redtape, session) -> None:
    """Only errors."""
    assert "" == redtape("-q", "proxy", "--", "agent").err
    assert "session s: 0 exchanges" in redtape("proxy", "--", "agent").err
