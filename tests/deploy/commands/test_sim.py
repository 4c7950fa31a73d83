"""`redtape sim`: serves until it is told to stop."""

from __future__ import annotations

import json
import signal
import socket
import urllib.request
from pathlib import Path

import pytest


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_and_stop(spawn, number: signal.Signals) -> None:
    """The address on stderr, nothing on stdout, and 0 when it was stopped."""
    process = spawn("sim", "--listen", "127.0.0.1:0", "--venue", "alpaca")
    said = process.stderr.readline().decode()
    url = said.removeprefix("simulator on ").strip()
    with urllib.request.urlopen(f"{url}/v2/account", timeout=20) as answer:
        assert "cash" in json.load(answer)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{url}/v1/models", timeout=20)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)

    assert (0, b"", b"") == (process.returncode, out, err)


def test_port_that_is_taken(redtape) -> None:
    """Exit 4."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = redtape("sim", "--listen", f"127.0.0.1:{port}")

    assert (4, "") == (done.code, done.out)
    says = f"can't listen on 127.0.0.1:{port}: address already in use; --listen 127.0.0.1:0 takes a free port"
    assert f"error: {says}\n" == done.err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--listen", "x"), "must look like HOST:PORT"),
        (("--venue", "nasdaq"), "'nasdaq' is not one of"),
        (("--bars", "none.csv"), "does not exist"),
        (("--news", "bad.yaml"), "bad.yaml"),
    ],
)
def test_usage(redtape, args: tuple[str, ...], says: str) -> None:
    """Exit 2."""
    Path("bad.yaml").write_text("- {a: [}")
    done = redtape("sim", *args)

    assert (2, "") == (done.code, done.out)
    assert says in done.err
