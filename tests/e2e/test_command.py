"""`redtape proxy -- COMMAND`: the command is the user's own; Redtape only lends it a proxy."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from deploy.workspace import Workspace
from proxy.journal.read import read
from tests.e2e.support.certs import Certificates
from tests.e2e.support.running import CLIENTS, REDTAPE, bare_environment, process, redtape
from tests.e2e.support.upstream import always, answer, venue


@pytest.mark.parametrize("code", [0, 1, 3, 42, 255])
async def test_exit_codes_pass(code: int, workspace: Path) -> None:
    """The agent's own code is ours."""
    done = await redtape(workspace, "proxy", "--session", "s", "--", "sh", "-c", f"exit {code}")

    assert done.code == code
    assert read(workspace / "sessions" / "s.db").meta.status == "closed"


async def test_a_command_that_dies_by_a_signal(workspace: Path) -> None:
    """As a shell says it: 128 and the signal's number."""
    done = await redtape(workspace, "proxy", "--", "sh", "-c", "kill -SEGV $$")

    assert done.code == 128 + signal.SIGSEGV


@pytest.mark.parametrize("command", ["no-such-command-here", "/etc/hostname"])
async def test_a_command_that_cannot_run(command: str, workspace: Path) -> None:
    """Exit 2, and which."""
    done = await redtape(workspace, "proxy", "--", command)

    assert done.code == 2
    assert command in done.err


async def test_stdout_is_the_commands_alone(workspace: Path) -> None:
    """Bytes as they are; what Redtape says is on stderr."""
    program = "import sys; sys.stdout.buffer.write(bytes(range(256))); sys.stderr.write('from the agent\\n')"
    done = await redtape(workspace, "-v", "proxy", "--session", "s", "--", sys.executable, "-c", program)

    assert done.code == 0
    assert done.out == bytes(range(256))
    assert "from the agent\n" in done.err
    assert "listening on http://127.0.0.1:" in done.err
    assert "session s: 0 exchanges" in done.err


async def test_quiet(workspace: Path) -> None:
    """With -q stderr is the command's, too."""
    done = await redtape(workspace, "-q", "proxy", "--", "sh", "-c", "echo out; echo err >&2")

    assert (done.code, done.out, done.err) == (0, b"out\n", "err\n")


async def test_arguments_and_stdin_are_left_alone(workspace: Path) -> None:
    """Options of the command, empty words, and the folder it runs in."""
    program = "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), sys.stdin.read()]))"
    words = ["--session", "x", "--help", "", "a b", "--", "-q"]
    done = await redtape(workspace, "proxy", "--session", "s", "--", sys.executable, "-c", program, *words)

    assert done.code == 0, done.err
    assert json.loads(done.out) == [words, str(workspace.parent), ""]


async def test_the_environment(workspace: Path) -> None:
    """Every variable of the client table in both cases; NO_PROXY is emptied; the rest is the user's."""
    inherited = {
        "NO_PROXY": "localhost,127.0.0.1",
        "no_proxy": "*",
        "HTTPS_PROXY": "http://corporate:3128",
        "MINE": "kept",
    }
    done = await redtape(
        workspace, "proxy", "--session", "s", "--", sys.executable, str(CLIENTS / "say_environment.py"), **inherited
    )
    said = json.loads(done.out)
    url = done.err.split("listening on ")[1].split()[0]
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    bundles = (
        *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"),
        "WEBSOCKET_CLIENT_CA_BUNDLE",
    )

    assert {said[name] for both in proxies for name in (both, both.lower())} == {url}
    assert (said["NO_PROXY"], said["no_proxy"], said["MINE"]) == ("", "", "kept")
    (bundle,) = {said[name] for name in bundles}
    files = Path(bundle), Path(said["NODE_EXTRA_CA_CERTS"])
    text, own = (file.read_text() for file in files)
    assert all(file.is_absolute() for file in files)
    assert text.count("BEGIN CERTIFICATE") > 50
    assert own.strip() in text
    assert own.count("BEGIN CERTIFICATE") == 1
    assert "PRIVATE KEY" not in text + own
    assert said["NODE_USE_ENV_PROXY"] == "1"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signals_reach_the_command(number: signal.Signals, workspace: Path, tmp_path: Path) -> None:
    """SIGTERM to redtape stops the agent, who may end in order; the evidence is closed."""
    note = tmp_path / "note"
    program = f"""
import pathlib, signal, sys, time
def stop(number, frame):
    pathlib.Path({str(note)!r}).write_text(str(number))
    sys.exit(7)
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, stop)
print("ready", flush=True)
time.sleep(60)
"""
    command = [
        str(REDTAPE),
        "--workspace",
        str(workspace),
        "proxy",
        "--session",
        "s",
        "--",
        sys.executable,
        "-c",
        program,
    ]
    async with process(command, bare_environment()) as running:
        assert running.stdout is not None
        assert await asyncio.wait_for(running.stdout.readline(), 20) == b"ready\n"
        running.send_signal(number)
        code = await asyncio.wait_for(running.wait(), 20)

    assert code == 7
    assert note.read_text() == str(int(number))
    assert read(workspace / "sessions" / "s.db").meta.status == "closed"


NAMES = {"A.b-c_9": True, "x" * 64: True, "x" * 65: False, "a..b": False}
BAD = ["../up", "a/b", ".hidden", "a b", "a\nb", "ä", "esc\x1b[31m"]


@pytest.mark.parametrize("name", BAD)
async def test_bad_names(name: str, workspace: Path) -> None:
    """A name that could leave the folder or confuse a terminal is refused."""
    done = await redtape(workspace, "proxy", f"--session={name}", "--", "true")

    assert done.code == 2
    assert Workspace(workspace).names() == []
    assert "\x1b" not in done.err


async def test_good_names(workspace: Path) -> None:
    """Letters, digits, dot, dash, underscore, at most 64."""
    codes = {name: (await redtape(workspace, "proxy", "--session", name, "--", "true")).code for name in NAMES}

    assert codes == {name: 0 if fine else 2 for name, fine in NAMES.items()}


async def test_an_existing_session(certificates: Certificates, workspace: Path, curl: str) -> None:
    """Exit 2 unless --replace; until then the evidence is untouched."""
    get = ("--", curl, "-sS", "https://venue.example/x")
    async with venue(always(answer(b"{}")), certificates) as upstream:
        start = ("proxy", "--session", "s", "--map", f"venue.example={upstream.url}")
        first = await redtape(workspace, *start, *get)
        file = workspace / "sessions" / "s.db"
        before = file.read_bytes()
        second = await redtape(workspace, *start, *get)
        same = file.read_bytes() == before
        third = await redtape(workspace, *start, "--replace", "--", "true")

    assert (first.code, second.code, third.code) == (0, 2, 0)
    assert "--replace" in second.err
    assert (second.out, same, len(upstream.received)) == (b"", True, 1)
    assert read(file).exchanges == ()
    assert not file.with_name("s.db-wal").exists()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--map", "nonsense"), "HOST=URL"),
        (("--map", "a.example=ftp://x"), "http://"),
        (("--map", "a.example=http://x:0"), "http://"),
        (("--map", "a.example=http://x/?q=1"), "query"),
        (("--attack", "news-hidden-ordr"), "news-hidden-order"),
        (("--listen", "nonsense"), "HOST:PORT"),
        (("--venues", "missing.yaml"), "missing.yaml"),
        (("--contract", "missing"), "missing"),
        (("--fail-on-violation",), "--contract"),
        (("--upstream-ca", "missing.pem"), "missing.pem"),
        (("--seed", "x"), "seed"),
        (("--no-such-option",), "no-such-option"),
    ],
)
async def test_bad_options(options: tuple[str, ...], word: str, workspace: Path) -> None:
    """Exit 2, the option or its fix is named, nothing ran."""
    done = await redtape(workspace, "proxy", *options, "--", "echo", "ran")

    assert done.code == 2, done.err
    assert word in done.err
    assert done.out == b""


async def test_a_client_that_does_not_trust_us(certificates: Certificates, workspace: Path, curl: str) -> None:
    """Its traffic can't be read: the client fails, and the session says why."""
    async with venue(always(answer(b"{}")), certificates) as upstream:
        script = f"unset SSL_CERT_FILE CURL_CA_BUNDLE; {curl} -sS --cacert {certificates.ca} https://venue.example/x"
        done = await redtape(
            *(workspace, "proxy", "--session", "s", "--map", f"venue.example={upstream.url}", "--", "sh", "-c", script)
        )

    assert done.code == 60
    assert upstream.received == []
    assert "tls_failed" in [one.kind for one in read(workspace / "sessions" / "s.db").notes]


async def test_an_upstream_that_we_do_not_trust(certificates: Certificates, workspace: Path, curl: str) -> None:
    """A venue with a certificate of nobody is not talked to, as the client itself would not."""
    get = ("--", curl, "-sS", "-o", "/dev/null", "-w", "%{http_code}", "https://venue.example/x")
    async with venue(always(answer(b"{}")), certificates) as upstream:
        maps = ("--map", f"venue.example={upstream.tls_url}")
        done = await redtape(workspace, "proxy", "--session", "s", *maps, *get)
        trusted = await redtape(
            workspace, "proxy", "--session", "t", *maps, "--upstream-ca", str(certificates.ca), *get
        )

    assert (done.out, trusted.out) == (b"502", b"200")
    assert len(upstream.received) == 1
