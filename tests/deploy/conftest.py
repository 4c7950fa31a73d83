"""The command line in this process, HAR files told in few words, and text that means harm."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from deploy.cli import main

ROOT = Path(__file__).parent.parent.parent
REDTAPE = (sys.executable, "-c", "from deploy.cli import main; main()")
"""The console script, in the environment of the tests."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a call of `redtape` ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object that was printed."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The objects that were printed, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


type Redtape = Callable[..., Done]


@pytest.fixture
def redtape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Redtape]:
    """`redtape("orders", "s", REDTAPE_QUIET="1")` in an empty folder, without variables of the outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("REDTAPE_")]:
        monkeypatch.delenv(name)

    def run(*args: str | Path, **variables: str) -> Done:
        capsys.readouterr()
        with monkeypatch.context() as inner:
            for name, value in variables.items():
                inner.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    yield run
    structlog.reset_defaults()


def clean_environment() -> dict[str, str]:
    """This process's variables without ours, and without what pytest adds."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("REDTAPE_", "PYTEST_", "COV_"))}


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """The same as a process of its own, for what a process alone shows."""

    def run(*args: str | Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*REDTAPE, *map(str, args)],
            cwd=tmp_path,
            env=clean_environment() | {"PYTHONPATH": str(ROOT)} | variables,
            capture_output=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def spawn(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """A process that goes on while the test does something; stdout and stderr are pipes."""

    def start(*args: str | Path, **variables: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*REDTAPE, *map(str, args)],
            cwd=tmp_path,
            env=clean_environment() | {"PYTHONPATH": str(ROOT)} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


def entry(
    method: str = "POST",
    url: str = "https://paper-api.alpaca.markets/v2/orders",
    body: Any = None,
    answer: Any = None,
    *,
    status: int = 200,
    at: str = "2026-11-25T15:00:00Z",
    **more: Any,
) -> dict[str, Any]:
    """One entry of a HAR file; bodies that are no text go as JSON."""
    said = {"name": "Content-Type", "value": "application/json"}
    sent = body if isinstance(body, str) or body is None else json.dumps(body)
    came = answer if isinstance(answer, str) or answer is None else json.dumps(answer)
    request: dict[str, Any] = {"method": method, "url": url, "headers": [said]}
    if sent is not None:
        request["postData"] = {"mimeType": "application/json", "text": sent}
    response = {"status": status, "headers": [said], "content": {} if came is None else {"text": came}}
    return {"startedDateTime": at, "time": 5, "request": request, "response": response} | more


def placed(client_order_id: str = "c1", **fields: Any) -> dict[str, Any]:
    """A request to place an order at Alpaca."""
    plain = {"symbol": "AAPL", "qty": "10", "side": "buy", "type": "market", "time_in_force": "day"}
    return plain | {"client_order_id": client_order_id} | fields


def order(client_order_id: str = "c1", **fields: Any) -> dict[str, Any]:
    """The order that Alpaca answers with."""
    return placed(client_order_id) | {"id": f"v-{client_order_id}", "status": "new", "filled_qty": "0"} | fields


def write_har(path: Path, *entries: Any) -> Path:
    """A HAR file of these entries."""
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": list(entries)}}), "utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Har:
    """What tells a HAR file: `har.entry(...)`, `har.placed(...)`, `har.order(...)`, `har.write(path, ...)`."""

    entry: Callable[..., dict[str, Any]] = entry
    placed: Callable[..., dict[str, Any]] = placed
    order: Callable[..., dict[str, Any]] = order
    write: Callable[..., Path] = write_har


@pytest.fixture
def har() -> Har:
    """Words to tell a HAR file with."""
    return Har()


@pytest.fixture
def imported(redtape: Redtape, tmp_path: Path) -> Callable[..., str]:
    """Entries as a session in the workspace; gives its name."""

    def make(*entries: Any, name: str = "s") -> str:
        done = redtape("import", write_har(tmp_path / f"{name}.har", *entries), "--replace")
        assert done.code == 0, done.err
        return name

    return make


HOSTILE = (
    "\x1b[31mred\x1b]52;c;aGVsbG8=\x07\x1b]8;;http://evil.example\x1b\\"
    "\x9b2J\x9d0;title\x9c\x85\x00\x08\r\n\u202eevil\u2066\u200b\u2028\ufeff\U000e0041[/red]{x}%s<script>"
)
"""Escapes of terminals (clipboard, links, C1), bidi and invisible characters, line ends, NUL, and mark-up."""


@pytest.fixture
def hostile() -> str:
    """Text that no terminal may get as it is."""
    return HOSTILE


@pytest.fixture
def harmless() -> Callable[[str], None]:
    """Checks that what was printed holds nothing that a terminal would obey."""

    def check(text: str) -> None:
        assert [] == [hex(ord(char)) for char in OBEYED.findall(text)][:5]

    return check


OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
"""Controls but line feeds, bidi, invisible characters and tags."""
