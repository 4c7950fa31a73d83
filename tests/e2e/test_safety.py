"""No order leaves that is not on disk, none reaches real money by accident, and nobody reaches what is not theirs."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from deploy.errors import UserError
from deploy.workspace import Workspace
from proxy.journal.read import read
from tests.e2e.support.certs import Certificates
from tests.e2e.support.running import REDTAPE, Connection, Live, ask, bare_environment, live, process, redtape
from tests.e2e.support.upstream import Received, Send, always, answer, venue

ATTACK = "news-hidden-order"
PAPER, REAL = "https://paper-api.alpaca.markets/v2/orders", "https://api.alpaca.markets/v2/orders"
ORDER = b'{"symbol": "AAPL", "qty": "1", "side": "buy", "type": "market", "time_in_force": "day"}'
JSON = "Content-Type: application/json"
TAKEN = answer(b'{"id": "o-1", "status": "accepted", "symbol": "AAPL", "qty": "1"}')


# ---- real money


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--map", "data.alpaca.markets=http://127.0.0.1:9"),
        ("--map", "api.alpaca.markets=https://api.alpaca.markets"),
        ("--map", "API.Alpaca.Markets=https://API.ALPACA.markets:443/"),
        ("--map", "paper-api.alpaca.markets=https://api.alpaca.markets"),
        ("--map", "api.alpaca.markets:443=https://api.alpaca.markets."),
    ],
)
async def test_an_attack_needs_a_safe_broker(more: tuple[str, ...], workspace: Path, tmp_path: Path) -> None:
    """Without a mapped trading host, or with one mapped onto real money, nothing starts: not even the command."""
    sign = tmp_path / "ran"
    done = await redtape(workspace, "proxy", "--attack", ATTACK, *more, "--", "touch", str(sign))

    assert done.code == 2, done.err
    assert "--accept-real-orders" in done.err
    assert done.out == b""
    assert not sign.exists()
    assert not (workspace / "sessions").exists() or not Workspace(workspace).names()


async def test_orders_elsewhere_are_refused(certificates: Certificates, workspace: Path) -> None:
    """With the paper host mapped, an order to the real one is answered 403, journalled, and goes nowhere."""
    hosts = ("paper-api.alpaca.markets", "data.alpaca.markets")
    async with (
        venue(always(TAKEN), certificates) as upstream,
        live(workspace, ATTACK, maps=dict.fromkeys(hosts, upstream.url)) as session,
    ):
        real = [
            await session.ask(url, "POST", ORDER, JSON)
            for url in (REAL, REAL.upper().replace("/V2/ORDERS", "/v2/orders"))
        ]
        odd = [
            await session.ask("https://api.alpaca.markets/v2/positions/AAPL", "DELETE"),
            await session.ask("https://api.alpaca.markets/v2/unheard/of", "POST", b"{}"),
            await session.ask("https://api.alpaca.markets//v2//orders/", "POST", ORDER),
        ]
        paper = await session.ask(PAPER, "POST", ORDER, JSON)

    assert [one.status for one in real + odd] == [403] * 5
    assert all("redtape" in json.loads(one.body)["message"] for one in real + odd)
    assert (paper.status, paper.body) == (200, TAKEN.partition(b"\r\n\r\n")[2])
    assert len(upstream.received) == 1
    evidence = session.evidence()
    assert [(one.host, one.rule, one.status) for one in evidence.blocked] == [
        ("api.alpaca.markets", "real_orders", 403)
    ] * 5
    statuses = [(fact.event.kind, getattr(fact.event, "status", None)) for fact in evidence.orders]
    assert statuses.count(("rejected", "blocked")) == 4


async def test_real_orders_when_accepted(certificates: Certificates, workspace: Path) -> None:
    """--accept-real-orders says that it is meant."""
    async with venue(always(TAKEN), certificates) as upstream:
        done = await redtape(
            workspace, "proxy", "--attack", ATTACK, "--accept-real-orders", "--session", "s", "--", "true"
        )
        maps = {"api.alpaca.markets": upstream.url}
        async with live(workspace, ATTACK, maps=maps, accept_real_orders=True) as session:
            got = await session.ask(REAL, "POST", ORDER, JSON)

    assert done.code == 0, done.err
    assert got.status == 200
    assert session.evidence().blocked == ()


async def test_observing_needs_no_promise(certificates: Certificates, workspace: Path) -> None:
    """Without an attack the real broker is the user's own business."""
    async with (
        venue(always(TAKEN), certificates) as upstream,
        live(workspace, maps={"api.alpaca.markets": upstream.url}) as session,
    ):
        got = await session.ask(REAL, "POST", ORDER, JSON)

    assert (got.status, len(upstream.received)) == (200, 1)


# ---- on disk before it leaves


def order_events(file: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT kind, symbol, client_order_id FROM order_events ORDER BY seq").fetchall()
    finally:
        connection.close()


async def test_an_order_is_on_disk_before_it_is_forwarded(certificates: Certificates, workspace: Path) -> None:
    """While the venue handles the request, another process finds the order in the file."""
    seen: list[Any] = []
    file = Workspace(workspace).session("live")

    async def handle(received: Received, send: Send) -> None:
        seen.append((received.method, order_events(file)))
        await send(TAKEN)

    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps={"paper-api.alpaca.markets": upstream.url}) as session,
    ):
        for _ in range(2):
            await session.ask(PAPER, "POST", ORDER, JSON)
        await session.ask(f"{PAPER}/o-1", "DELETE")

    placed = ("requested", "AAPL", None)
    answers = [one for _, events in seen for one in events[-1:]]
    assert answers == [placed, placed, ("requested", None, None)]
    assert [method for method, _ in seen] == ["POST", "POST", "DELETE"]


async def test_killed_right_after_an_order(certificates: Certificates, workspace: Path) -> None:
    """kill -9 as soon as the venue has the order: it is in the file, the file opens, the name is taken."""
    reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def handle(_received: Received, _send: Send) -> None:
        reached.set_result(None)
        await asyncio.sleep(30)

    async with venue(handle, certificates) as upstream:
        command = [
            *(str(REDTAPE), "--workspace", str(workspace), "proxy", "--listen", "127.0.0.1:0", "--session", "s"),
            *("--map", f"paper-api.alpaca.markets={upstream.url}"),
        ]
        async with process(command) as running:
            proxy = await proxy_url(running)
            trust = workspace / "ca" / "bundle.pem"
            asking = asyncio.create_task(ask(proxy, trust, PAPER, "POST", ORDER, JSON))
            await asyncio.wait_for(reached, 20)
            running.kill()
            await running.wait()
            await asyncio.wait([asking])

    asking.exception()
    evidence = read(workspace / "sessions" / "s.db")
    assert [fact.event.kind for fact in evidence.orders] == ["requested"]
    assert evidence.meta.status == "open"
    again = await redtape(workspace, "proxy", "--session", "s", "--", "true")
    assert again.code == 2


async def proxy_url(running: asyncio.subprocess.Process) -> str:
    """Where a proxy without a command says it listens."""
    assert running.stderr is not None
    while line := await asyncio.wait_for(running.stderr.readline(), 20):
        if b"listening on" in line:
            return line.decode().split("listening on ")[1].split()[0]
    raise AssertionError("the proxy did not say where it listens")


async def test_no_disk_no_orders(certificates: Certificates, workspace: Path) -> None:
    """Once the evidence can't be written orders get 503 and the venue sees none; reads still pass."""
    async with (
        venue(always(TAKEN), certificates) as upstream,
        live(workspace, maps=dict.fromkeys(("paper-api.alpaca.markets", "venue.example"), upstream.url)) as session,
    ):
        assert (await session.ask(PAPER, "POST", ORDER, JSON)).status == 200
        full(session)
        got = [await session.ask(PAPER, "POST", ORDER, JSON) for _ in range(3)]
        other = await session.ask("https://venue.example/x")
        failed = session.session.storage_failed

    assert [one.status for one in got] == [503] * 3
    assert [b"storage" in one.body for one in got] == [True] * 3
    assert failed
    assert [one.path for one in upstream.orders] == ["/v2/orders"]
    assert other.status in (200, 502)


def full(session: Live) -> None:
    """The disk is full from here on: not a page more."""
    writer = session.session.writer

    def refuse(*_arguments: Any) -> int:
        return sqlite3.SQLITE_DENY

    # An authorizer is per connection: the writer's own sees SQLITE_DENY as soon as it prepares an INSERT.
    writer._connection.set_authorizer(refuse)


async def test_no_disk_after_an_order_left(certificates: Certificates, workspace: Path) -> None:
    """The disk fails while the venue works on an order: its answer reaches the agent, which would else order twice."""
    running: list[Live] = []

    async def handle(_received: Received, send: Send) -> None:
        full(running[0])
        await send(TAKEN)

    async with (
        venue(handle, certificates) as upstream,
        live(workspace, maps={"paper-api.alpaca.markets": upstream.url}) as session,
    ):
        running.append(session)
        got = await session.ask(PAPER, "POST", ORDER, JSON)
        failed = session.session.storage_failed or session.session.writer.failure is not None

    assert (got.status, failed) == (200, True)
    assert [fact.event.kind for fact in session.evidence().orders] == ["requested"]


async def test_no_disk_is_exit_4(certificates: Certificates, workspace: Path, curl: str) -> None:
    """The command's own code does not hide that the evidence has a hole."""
    async with venue(always(TAKEN), certificates) as upstream:
        script = f"""
db={workspace}/sessions/s.db
{sys.executable} - "$db" <<'PY'
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("DROP TABLE order_events")
PY
{curl} -sS -o /dev/null -w '%{{http_code}}' -H 'Content-Type: application/json' -d '{ORDER.decode()}' {PAPER}
"""
        done = await redtape(
            *(workspace, "proxy", "--session", "s", "--map", f"paper-api.alpaca.markets={upstream.url}"),
            *("--", "sh", "-c", script),
        )

    assert done.out == b"503", done.err
    assert done.code == 4
    assert upstream.orders == []
    assert "evidence" in done.err


# ---- hooks that fail


@pytest.mark.parametrize("hook", ["request", "response"])
async def test_a_hook_that_raises(
    hook: str, certificates: Certificates, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """502 where a request can't be read, nothing forwarded unread, answers as they were, and all others go on."""
    async with venue(always(answer(b'{"news": []}')), certificates) as upstream:
        maps = dict.fromkeys(("paper-api.alpaca.markets", "venue.example"), upstream.url)
        async with live(workspace, maps=maps) as session:
            reader = type(session.session.reader)
            honest = getattr(reader, hook)

            def broken(self: Any, *given: Any) -> Any:
                request = given[0] if hook == "request" else given[1]
                if (request.headers.get("x-break") or request.headers.get("x-echo")) is not None:
                    raise RuntimeError("bug of ours")
                return honest(self, *given)

            monkeypatch.setattr(reader, hook, broken)
            upstream.handler = echoing
            bad = await session.ask("https://venue.example/x", "GET", b"", "X-Break: 1")
            order = await session.ask(PAPER, "POST", ORDER, JSON, "X-Break: 1")
            good = await session.ask("https://venue.example/x")
            failures = session.session.hook_failures

    assert (good.status, good.body) == (200, b"{}")
    assert failures == 2
    if hook == "request":
        assert (bad.status, order.status) == (502, 502)
        assert [one.head.get("x-break") for one in upstream.received] == [None]
    else:
        # Nothing was to be edited, and the order was taken: to hide its answer would make agents order twice.
        assert (bad.status, order.status) == (200, 200)
    assert [one.kind for one in session.evidence().notes].count("hook_failed") == 2


async def echoing(received: Received, send: Send) -> None:
    fields = [("X-Echo", "1")] if received.head.get("x-break") else []
    await send(answer(b"{}", *fields))


async def test_a_hook_failure_is_exit_3(certificates: Certificates, workspace: Path, curl: str, tmp_path: Path) -> None:
    """An internal failure wins over the command's own success."""
    patch = tmp_path / "sitecustomize.py"
    patch.write_text(
        "import proxy.wire.reader as reader\n"
        "def broken(self, *given): raise RuntimeError('bug of ours')\n"
        "reader.Reader.request = broken\n"
    )
    async with venue(always(answer(b"{}")), certificates) as upstream:
        done = await redtape(
            *(workspace, "proxy", "--session", "s", "--map", f"venue.example={upstream.url}"),
            *("--", curl, "-sS", "-o", "/dev/null", "-w", "%{http_code}", "https://venue.example/x"),
            PYTHONPATH=str(tmp_path),
        )

    assert (done.code, done.out) == (3, b"502"), done.err
    assert upstream.received == []


# ---- what nobody may reach


METADATA = (
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/latest/",
    "http://0xa9fea9fe/latest/",
    "http://0251.0376.0251.0376/latest/",
    "http://169.254.43518/latest/",
    "http://[::ffff:169.254.169.254]/latest/",
    "http://[::ffff:a9fe:a9fe]/latest/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
)


@pytest.mark.parametrize("url", METADATA)
async def test_metadata_is_unreachable(url: str, workspace: Path) -> None:
    """In no spelling."""
    async with live(workspace) as session:
        got = await session.ask(url, timeout_s=10)

    assert got.status == 502
    assert b"link-local or metadata" in got.body
    assert [one.kind for one in session.evidence().notes if one.kind == "refused_address"] == ["refused_address"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::]"]
)
@pytest.mark.parametrize("tls", [False, True])
async def test_the_proxy_itself_is_unreachable(host: str, tls: bool, workspace: Path) -> None:
    """A proxy that can be led to itself loops; its port is closed to agents in every spelling."""
    async with live(workspace) as session:
        url = f"http{'s' if tls else ''}://{host}:{session.host.port}/"
        try:
            got = await session.ask(url, timeout_s=10)
        except (ConnectionError, EOFError):
            return
        finally:
            exchanges = session.session.exchanges

    assert got.status == 502
    assert exchanges == 1


async def test_mapping_onto_the_proxy_itself(workspace: Path) -> None:
    """Nor by a map."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    async with live(workspace, listen_port=port, maps={"venue.example": f"http://127.1:{port}"}) as session:
        got = await session.ask("https://venue.example/", timeout_s=10)
        exchanges = session.session.exchanges

    assert got.status == 502
    assert exchanges == 1


async def test_other_local_services_are_reachable(certificates: Certificates, workspace: Path) -> None:
    """Local MCP servers and gateways are the agent's to use, by address and by name."""
    async with (
        venue(always(answer(b"{}")), certificates) as upstream,
        live(workspace) as session,
    ):
        got = [await session.ask(f"http://{host}:{upstream.port}/") for host in ("127.0.0.1", "localhost")]

    assert [one.status for one in got] == [200, 200]


@pytest.mark.parametrize("first", [b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00\x01\x02\x03" * 8, b"GET\r\n\r\n"])
async def test_what_is_no_http_is_not_tunnelled(first: bytes, certificates: Certificates, workspace: Path) -> None:
    """Bytes that can't be read as HTTP never reach a trading host unseen."""
    async with (
        venue(always(answer(b"{}")), certificates) as upstream,
        live(workspace, maps={"paper-api.alpaca.markets": upstream.url}) as session,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", session.host.port)
        where = f"127.0.0.1:{upstream.port}"
        writer.write(f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n\r\n".encode() + first)
        with _quiet():
            await asyncio.wait_for(reader.read(-1), 1)
        writer.close()

    assert upstream.received == []


class _quiet:
    """A peer may close, reset, or wait: any of them is fine."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> bool:
        return kind is not None and issubclass(kind, ConnectionError | TimeoutError)


SMUGGLED = {
    "length and chunks": b"POST /v2/orders HTTP/1.1\r\nHost: paper-api.alpaca.markets\r\nContent-Length: 4\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nDELETE /v2/positions HTTP/1.1\r\nHost: paper-api.alpaca.markets\r\n\r\n",
    "two lengths": b"POST /v2/orders HTTP/1.1\r\nHost: paper-api.alpaca.markets\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
    "bad chunk": b"POST /v2/orders HTTP/1.1\r\nHost: paper-api.alpaca.markets\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n",
    "odd coding": b"POST /v2/orders HTTP/1.1\r\nHost: paper-api.alpaca.markets\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "bad length": b"POST /v2/orders HTTP/1.1\r\nHost: paper-api.alpaca.markets\r\nContent-Length: -1\r\n\r\n",
}


@pytest.mark.parametrize("name", SMUGGLED)
async def test_ambiguous_framing_goes_nowhere(name: str, certificates: Certificates, workspace: Path) -> None:
    """A request that two readers could cut differently is refused, never forwarded."""
    async with (
        venue(always(TAKEN), certificates) as upstream,
        live(workspace, maps={"paper-api.alpaca.markets": upstream.url}) as session,
        asyncio.timeout(20),
        Connection(session.host.url, session.trust, PAPER) as connection,
    ):
        await connection.send(SMUGGLED[name])
        with _quiet():
            await asyncio.wait_for(connection.reader.read(-1), 5)

    assert upstream.received == []


async def test_another_host_field_does_not_hide_an_order(certificates: Certificates, workspace: Path) -> None:
    """What counts is where the connection leads, not what the Host field says."""
    async with (
        venue(always(TAKEN), certificates) as upstream,
        live(workspace, ATTACK, maps={"paper-api.alpaca.markets": upstream.url}) as session,
        asyncio.timeout(20),
        Connection(session.host.url, session.trust, REAL) as connection,
    ):
        head = b"POST /v2/orders HTTP/1.1\r\nHost: venue.example\r\nContent-Length: %d\r\n\r\n" % len(ORDER)
        await connection.send(head + ORDER)
        said = await connection.reader.readuntil(b"\r\n")

    assert b" 403 " in said
    assert upstream.received == []


async def test_a_session_that_cannot_start_leaves_no_trace(workspace: Path) -> None:
    """A refusal comes before the file."""
    with pytest.raises(UserError):
        async with live(workspace, ATTACK):
            pass

    assert not (workspace / "sessions" / "live.db").exists()


async def test_a_taken_port_is_said(workspace: Path) -> None:
    """Exit 4 with the address, within a moment."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        done = await redtape(workspace, "proxy", "--listen", f"127.0.0.1:{port}", "--", "true")

    assert done.code == 4
    assert f"127.0.0.1:{port}" in done.err


@pytest.mark.parametrize("where", ["0.0.0.0:0", "[::]:0"])
async def test_others_are_kept_out(where: str, workspace: Path) -> None:
    """A listener that others can reach needs a word."""
    refused = await redtape(workspace, "proxy", "--listen", where, "--", "true")

    assert refused.code == 2
    assert "--allow-remote" in refused.err


async def test_files_are_the_owners(workspace: Path) -> None:
    """The CA's key, the redaction key and the evidence are readable by their owner alone."""
    async with live(workspace) as session:
        pass
    found = [session.workspace.ca / "mitmproxy-ca.pem", workspace / "redact.key", session.file]

    assert [oct(file.stat().st_mode & 0o777) for file in found] == ["0o600"] * 3
    assert session.workspace.sessions.stat().st_mode & 0o077 == 0
    found[0].chmod(0o644)
    done = await redtape(workspace, "proxy", "--session", "t", "--", "true")
    assert done.code == 2
    assert "chmod 600" in done.err


async def test_interrupted_without_a_command(workspace: Path) -> None:
    """SIGTERM ends a listener in order: the file is closed and whole."""
    command = [str(REDTAPE), "--workspace", str(workspace), "proxy", "--listen", "127.0.0.1:0", "--session", "s"]
    async with process(command, bare_environment()) as running:
        await proxy_url(running)
        running.send_signal(signal.SIGTERM)
        code = await asyncio.wait_for(running.wait(), 20)

    assert code == 0
    assert read(workspace / "sessions" / "s.db").meta.status == "closed"
