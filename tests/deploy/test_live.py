"""One session from start to stop: what it refuses to start, what the command gets, and what stays behind."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from deploy.attacks import by_id
from deploy.errors import UserError
from deploy.live import Ended, LiveOptions, check_safe, open_session, parse_maps, run_session
from deploy.proxyhost import HostError
from deploy.sim.options import SimOptions
from deploy.sim.server import RunningSim, start
from deploy.workspace import Workspace, WorkspaceError
from proxy.addons.session import Rules
from proxy.journal.read import read
from proxy.wire.catalogue import load_catalogue

CATALOGUE = load_catalogue()
CASE = by_id()["news-hidden-order"]
PAPER, REAL, DATA = "paper-api.alpaca.markets", "api.alpaca.markets", "data.alpaca.markets"
LOG = structlog.get_logger()


def options(path: Path, **changed: Any) -> LiveOptions:
    plain: dict[str, Any] = {"session": "s", "workspace": Workspace(path / "w"), "catalogue": CATALOGUE}
    return LiveOptions(**(plain | changed))


# ---- an attack and a real broker


def refused(maps: dict[str, str], **changed: Any) -> str | None:
    """Why a session with these maps does not start, or None."""
    given = options(Path("nowhere"), maps=maps, **({"attacks": (CASE,)} | changed))
    rules = Rules(
        maps=parse_maps(maps),
        attacking=bool(given.attacks or given.controls),
        accept_real_orders=given.accept_real_orders,
    )
    try:
        check_safe(given, rules)
    except UserError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    "maps",
    [
        {},
        {DATA: "http://127.0.0.1:1"},
        {"example.com": "http://127.0.0.1:1"},
        {REAL: f"https://{REAL}"},
        {REAL: f"https://{REAL.upper()}"},
        {REAL.upper(): f"https://{REAL}."},
        {f"{REAL}.": f"https://{REAL}:443"},
        {PAPER: f"https://{PAPER}", REAL: f"https://{REAL}"},
        {REAL: f"https://{REAL}", PAPER: "http://127.0.0.1:1"},
    ],
)
def test_attack_that_could_reach_real_money(maps: dict[str, str]) -> None:
    """Refused, with the host and the ways out."""
    said = refused(maps)

    assert said is not None
    for part in (f"could reach real money at {REAL}", "--map", "--accept-real-orders", "127.0.0.1:PORT"):
        assert part in said


@pytest.mark.parametrize(
    "maps",
    [
        {REAL: "http://127.0.0.1:1"},
        {REAL.upper(): "http://127.0.0.1:1"},
        {f"{REAL}.": "http://127.0.0.1:1"},
        {f"{REAL}:443": "http://127.0.0.1:1"},
        {PAPER: f"https://{PAPER}"},
        {PAPER: "http://127.0.0.1:1"},
        {REAL: f"https://{PAPER}"},
        # On this port alone: orders to the other are refused one by one.
        {f"{REAL}:8443": "http://127.0.0.1:1"},
        {REAL: "http://127.0.0.1:1", PAPER: "http://127.0.0.1:1", DATA: "http://127.0.0.1:1"},
    ],
)
def test_attack_that_can_not(maps: dict[str, str]) -> None:
    """The trading host that is meant is named, and holds no real money."""
    assert None is refused(maps)


@pytest.mark.parametrize("host", [PAPER, DATA, "example.com", f"{PAPER}:443", f"{PAPER}:8443"])
def test_another_name_for_a_real_host(host: str) -> None:
    """What counts is where a request ends, whatever it is called; also when others are safe."""
    for more in ({}, {REAL: "http://127.0.0.1:1"}):
        said = refused({host: f"https://{REAL}"} | more)

        assert said is not None
        assert f"could reach real money at {host}" in said or not more


@pytest.mark.parametrize(("attack", "control", "accept"), list(itertools.product([False, True], repeat=3)))
@pytest.mark.parametrize("maps", [{}, {REAL: f"https://{REAL}"}, {REAL: "http://127.0.0.1:1"}])
def test_who_is_asked(attack: bool, control: bool, accept: bool, maps: dict[str, str]) -> None:
    """Controls count as attacks; observing and accepting are free."""
    given = {"attacks": (CASE,) if attack else (), "controls": (CASE,) if control else (), "accept_real_orders": accept}
    safe = maps.get(REAL, "").startswith("http:") or accept or not (attack or control)

    assert safe == (refused(maps, **given) is None)


def test_shadow_needs_no_map() -> None:
    """Nothing reaches a broker there."""
    assert None is refused({}, broker="shadow")


# ---- maps


def test_maps() -> None:
    """Hosts in one spelling; targets as they are."""
    maps = parse_maps({"API.Example.com.": "https://127.0.0.1:8443/base", "b:80": "http://[::1]:1"})

    assert ["api.example.com", "b:80"] == list(maps)
    assert ("127.0.0.1", 8443, "/base") == (
        maps["api.example.com"].hostname,
        maps["api.example.com"].port,
        maps["api.example.com"].path,
    )
    assert "::1" == maps["b:80"].hostname


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://x",
        "127.0.0.1:80",
        "http://",
        "http://:80",
        "http://x:0",
        "http://x:65536",
        "http://x:port",
        "http://x/?q=1",
        "http://x/#f",
        "file:///etc",
        "http://[::1",
    ],
)
def test_bad_maps(url: str) -> None:
    """Named as they were given."""
    with pytest.raises(UserError, match="--map h="):
        parse_maps({"h": url})


@pytest.mark.parametrize(
    ("host", "says"),
    [
        (f"https://{PAPER}", f"write {PAPER}=URL"),
        (f"{PAPER}/v2", f"write {PAPER}=URL"),
        (f"https://{PAPER}/v2/orders", f"write {PAPER}=URL"),
        ("/", "a host alone"),
        ("a b", "a host alone"),
        ("user@h", "a host alone"),
        ("h:port", "a host alone"),
    ],
)
def test_bad_host_of_a_map(host: str, says: str) -> None:
    """It would never match: hosts have neither scheme nor path."""
    with pytest.raises(UserError, match=f"without scheme or path.*|{says}") as raised:
        parse_maps({host: "http://127.0.0.1:1"})
    assert says in str(raised.value)


@pytest.mark.parametrize("host", ["localhost", "a_b.example", "127.0.0.1:80", "[::1]:443", "bücher.example", "x"])
def test_good_host_of_a_map(host: str) -> None:
    """Names and addresses, with or without a port."""
    assert [host] == list(parse_maps({host: "http://127.0.0.1:1"}))


ODD = [
    "api%2ealpaca.markets",
    "api%2Ealpaca.markets",
    "api.alpaca.markets%00",
    "\uff41\uff50\uff49.alpaca.markets",
    "api\u3002alpaca.markets",
    "api\uff0ealpaca.markets",
    "api\uff61alpaca.markets",
    "api.alpaca.mar\u212aets",
    "api.al\u00adpaca.markets",
    "api.alpaca.markets\u200b",
    "\u24d0pi.alpaca.markets",
    "api.alpaca.markets\0",
    "api.alpaca.\nmarkets",
    "bu\u0308cher.example",
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("port", ["", ":443"])
def test_spellings_of_a_host(odd: str, port: str) -> None:
    """One that a resolver or a library reads as another is refused, as a host and as a target."""
    with pytest.raises(UserError, match="--map"):
        parse_maps({PAPER: f"https://{odd}{port}"})
    with pytest.raises(UserError, match="--map"):
        parse_maps({f"{odd}{port}": "http://127.0.0.1:1"})


@pytest.mark.parametrize(
    "good", ["b\u00fccher.example", "B\u00dcCHER.example", "xn--bcher-kva.example", "API.alpaca.markets.", "[::1]"]
)
def test_good_spellings(good: str) -> None:
    """Names in other scripts are names."""
    assert [good.lower().rstrip(".")] == list(parse_maps({good: f"https://{good}"}))


def test_the_dot_before_a_port() -> None:
    assert ["h.example:443"] == list(parse_maps({"h.example.:443": "http://127.0.0.1:1"}))


# ---- opening


def test_existing_session(tmp_path: Path) -> None:
    """Only with --replace; and a link to nowhere is taken, too."""
    session = open_session(options(tmp_path))
    session.writer.close()
    with pytest.raises(UserError, match="session s exists; choose another --session name or give --replace"):
        open_session(options(tmp_path))
    open_session(options(tmp_path, replace=True, seed=5)).writer.close()
    assert 5 == read(tmp_path / "w/sessions/s.db").meta.seed

    (tmp_path / "w/sessions/t.db").symlink_to("nowhere")
    with pytest.raises(UserError, match="session t exists"):
        open_session(options(tmp_path, session="t"))


def test_unsafe_session_replaces_nothing(tmp_path: Path) -> None:
    """What is refused leaves what was there."""
    open_session(options(tmp_path)).writer.close()
    with pytest.raises(UserError, match="real money"):
        open_session(options(tmp_path, replace=True, attacks=(CASE,)))
    with pytest.raises(UserError, match="--map x=y"):
        open_session(options(tmp_path, replace=True, maps={"x": "y"}))

    assert (tmp_path / "w/sessions/s.db").is_file()


@pytest.mark.parametrize("name", ["../s", "", "a b", "x" * 65])
def test_bad_name(tmp_path: Path, name: str) -> None:
    """Nothing is written."""
    with pytest.raises(WorkspaceError, match="is no session name"):
        open_session(options(tmp_path, session=name))


def test_what_it_was_started_with(tmp_path: Path) -> None:
    """Options, cases and corpus version travel with the evidence; secrets in them don't."""
    given = options(
        tmp_path,
        maps={PAPER: "http://user:sk-canary-000001@127.0.0.1:1"},
        attacks=(CASE,),
        controls=(CASE,),
        seed=2**70,
        variant=1,
        contract_hash="ab",
        extra_secrets=("sk-canary-000001",),
    )
    open_session(given).writer.close()
    file = tmp_path / "w/sessions/s.db"
    meta = read(file).meta

    assert {("attack", CASE.id), ("control", CASE.id), ("listen", "127.0.0.1:0"), ("variant", "1")} <= set(meta.options)
    assert (2**70, "ab", "live") == (meta.seed, meta.contract_hash, meta.broker)
    assert meta.corpus_version
    assert b"sk-canary-000001" not in file.read_bytes()


# ---- running


@pytest.fixture
async def sim() -> AsyncIterator[RunningSim]:
    running = await start(SimOptions())
    yield running
    await running.stop()


def client(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"import os, sys, urllib.request as u\n{code}")


GET = f"print(u.urlopen('https://{PAPER}/v2/account', timeout=20).status)"


async def test_command(tmp_path: Path, sim: RunningSim) -> None:
    """The agent trusts the proxy and goes through it; its output and its traffic are kept apart."""
    given = options(tmp_path, maps={PAPER: sim.url})
    ended = await run_session(given, LOG, command=client(GET), capture=True, timeout_s=60)

    assert Ended("s", tmp_path / "w/sessions/s.db", 0, False, 0, 1, 0, 0, 0, b"200\n") == ended
    evidence = read(ended.file)
    assert ("closed", "/v2/account") == (evidence.meta.status, evidence.exchanges[0].path)


async def test_environment_of_the_command(tmp_path: Path) -> None:
    """What is given, with ours on top: an inherited NO_PROXY would hide traffic."""
    show = client(
        "print(os.environ['NO_PROXY'] == '', os.environ['MINE'], 'HOME' in os.environ, os.environ['HTTPS_PROXY'])"
    )
    urls: list[str] = []
    ended = await run_session(
        options(tmp_path),
        LOG,
        command=show,
        environment={"NO_PROXY": "*", "MINE": "x", "PATH": os.environ["PATH"]},
        capture=True,
        timeout_s=60,
        started=lambda host: urls.append(host.url),
    )

    assert f"True x False {urls[0]}\n".encode() == ended.output


@pytest.mark.parametrize(
    ("code", "expected"),
    [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", 137), ("os.kill(os.getpid(), 15)", 143), ("1/0", 1)],
)
async def test_exit_code_of_the_command(tmp_path: Path, code: str, expected: int) -> None:
    """As a shell would say it; and the evidence says so, too."""
    ended = await run_session(options(tmp_path), LOG, command=client(code), timeout_s=60)

    assert expected == ended.command
    assert [("agent_error", f"the command ended with {expected}")] == [
        (note.kind, note.text) for note in read(ended.file).notes if note.kind == "agent_error"
    ]


async def test_command_that_takes_too_long(tmp_path: Path) -> None:
    """Is ended, with the code of timeout(1)."""
    ended = await run_session(options(tmp_path), LOG, command=client("import time; time.sleep(60)"), timeout_s=1)

    assert 124 == ended.command


@pytest.mark.parametrize(("mode", "says"), [(None, "command not found"), (0o644, "not allowed to run")])
async def test_command_that_can_not_be_run(tmp_path: Path, mode: int | None, says: str) -> None:
    """A word for the user; the name stays free, and an older session of that name stays as it was."""
    file = tmp_path / "agent"
    if mode is not None:
        file.write_text("#!/bin/sh\n")
        file.chmod(mode)

    with pytest.raises(UserError, match=says):
        await run_session(options(tmp_path), LOG, command=(str(file),))
    assert [] == list((tmp_path / "w/sessions").iterdir())

    open_session(options(tmp_path, seed=5)).writer.close()
    with pytest.raises(UserError, match=says):
        await run_session(options(tmp_path, replace=True), LOG, command=(str(file),))
    assert 5 == read(tmp_path / "w/sessions/s.db").meta.seed


async def test_command_that_turns_out_not_to_run(tmp_path: Path) -> None:
    """What only the attempt shows leaves no session either."""
    file = tmp_path / "agent"
    file.write_bytes(b"\x7fELF no program")
    file.chmod(0o755)

    with pytest.raises(UserError, match=f"can't run {file}"):
        await run_session(options(tmp_path), LOG, command=(str(file),))
    assert [] == list((tmp_path / "w/sessions").iterdir())


async def test_command_is_looked_for_where_it_will_be(tmp_path: Path) -> None:
    """On the command's own PATH."""
    with pytest.raises(UserError, match="command not found: env"):
        await run_session(options(tmp_path), LOG, command=("env",), environment={"PATH": str(tmp_path)})


async def test_authority_that_can_not_be_used(tmp_path: Path) -> None:
    """No session is left."""
    key = Workspace(tmp_path / "w").ensure().ca / "mitmproxy-ca.pem"
    key.write_text("x")
    key.chmod(0o600)

    with pytest.raises(WorkspaceError, match="is damaged"):
        await run_session(options(tmp_path), LOG, command=("true",))
    key.unlink()
    with pytest.raises(HostError, match="--upstream-ca"):
        await run_session(options(tmp_path, upstream_ca=tmp_path / "none"), LOG, command=("true",))
    assert [] == list((tmp_path / "w/sessions").iterdir())


async def test_live_session_is_not_replaced(tmp_path: Path) -> None:
    """Nor started twice: the holder is named, its evidence grows on, and nothing is left beside it."""
    started = asyncio.Event()
    running = asyncio.create_task(
        run_session(
            options(tmp_path),
            LOG,
            command=client("sys.stdin.read(); import time; time.sleep(2)"),
            started=lambda _: started.set(),
        )
    )
    await asyncio.wait_for(started.wait(), 20)
    file = tmp_path / "w/sessions/s.db"
    before = file.stat().st_ino
    for replace_ in (True, False):
        with pytest.raises(UserError, match=f"session s is in use by process {os.getpid()}"):
            await run_session(options(tmp_path, replace=replace_), LOG, command=("true",))
    assert ["s"] == Workspace(tmp_path / "w").names()
    ended = await running

    assert before == ended.file.stat().st_ino
    assert ["s.db"] == [path.name for path in ended.file.parent.iterdir()]


async def test_address_that_is_taken(tmp_path: Path) -> None:
    """Said before any agent starts."""
    server = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    says = f"^can't listen on 127.0.0.1:{port}: address already in use; --listen 127.0.0.1:0 takes a free port$"
    with pytest.raises(HostError, match=says):
        await run_session(options(tmp_path, listen_port=port), LOG, command=client("pass"))
    assert [] == list((tmp_path / "w/sessions").iterdir())
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_without_a_command_it_waits_for_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    """And closes the evidence."""

    def started(_host: object) -> None:
        asyncio.get_running_loop().call_later(0.1, os.kill, os.getpid(), number)

    ended = await run_session(options(tmp_path), LOG, started=started)

    assert (None, "closed") == (ended.command, read(ended.file).meta.status)


async def test_signals_go_to_the_command(tmp_path: Path) -> None:
    """The agent decides what they mean; the evidence is closed after it."""
    code = "import signal, time\nsignal.signal(15, lambda *_: sys.exit(9))\nprint('up', flush=True)\ntime.sleep(60)"

    def started(_host: object) -> None:
        asyncio.get_running_loop().call_later(1.5, os.kill, os.getpid(), signal.SIGTERM)

    ended = await run_session(options(tmp_path), LOG, command=client(code), capture=True, timeout_s=60, started=started)

    assert (9, b"up\n") == (ended.command, ended.output)


async def test_evidence_that_can_not_be_written(
    tmp_path: Path, sim: RunningSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent's order is refused, and the session says that it is not whole."""
    import proxy.journal.store as store

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "insert", full)
    order = f"""
request = u.Request('https://{PAPER}/v2/orders', b'{{"symbol":"AAPL","qty":"1","side":"buy","type":"market","time_in_force":"day"}}')
try: u.urlopen(request, timeout=20); print('sent')
except u.HTTPError as error: print(error.code)
"""
    ended = await run_session(
        options(tmp_path, maps={PAPER: sim.url}), LOG, command=client(order), capture=True, timeout_s=60
    )

    assert (True, b"503\n", []) == (ended.storage_failed, ended.output, sim.orders_received)
