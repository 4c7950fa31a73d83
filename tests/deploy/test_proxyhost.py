"""The embedded proxy: starts, stops, says why not; and trusts what it should upstream."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path
from types import SimpleNamespace

import certifi
import pytest
import structlog

from deploy import ca
from deploy import proxyhost as module
from deploy.live import LiveOptions, open_session
from deploy.proxyhost import HostError, HostOptions, ProxyHost
from deploy.workspace import Workspace
from proxy.wire.catalogue import load_catalogue

CATALOGUE = load_catalogue()
LOG = structlog.get_logger()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w").ensure()


@pytest.fixture
def session(workspace: Workspace):
    opened = open_session(LiveOptions(session="s", workspace=workspace, catalogue=CATALOGUE))
    yield opened
    opened.writer.close()


def host(session, workspace: Workspace, address: str = "127.0.0.1", port: int = 0) -> ProxyHost:
    return ProxyHost(HostOptions(address, port, ca.ensure(workspace)), session, LOG)


async def listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


async def test_start_and_stop(session, workspace: Workspace) -> None:
    """A free port that is told; nothing listens afterwards; both may be said twice, and again."""
    for _ in range(2):
        one = host(session, workspace)
        await one.start()
        assert 0 < one.port < 65536
        assert f"http://127.0.0.1:{one.port}" == one.url
        assert await listens(one.port)
        await one.stop()
        await one.stop()
        assert not await listens(one.port)


async def test_stop_before_start(session, workspace: Workspace) -> None:
    """Nothing to stop."""
    await host(session, workspace).stop()


def test_url_of_an_ipv6_address(session, workspace: Workspace) -> None:
    """In brackets."""
    assert "http://[::1]:0" == host(session, workspace, "::1").url


async def test_port_that_is_taken(session, workspace: Workspace) -> None:
    """Mitmproxy would only log it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(HostError, match=f"can't listen on 127.0.0.1:{port}"):
            await host(session, workspace, port=port).start()


async def test_address_that_is_not_ours(session, workspace: Workspace) -> None:
    """Said by address."""
    with pytest.raises(HostError, match=r"can't listen on 192\.0\.2\.1:9"):
        await host(session, workspace, "192.0.2.1", 9).start()


async def test_no_pages_of_mitmproxy(session, workspace: Workspace) -> None:
    """Its onboarding host is a host like any other, and a plain request to us is no page."""
    one = host(session, workspace)
    await one.start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", one.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        await writer.wait_closed()
    finally:
        await one.stop()

    assert answer.split(b" ", 2)[1] in (b"400", b"403", b"404", b"502")
    assert b"mitmproxy.org" not in answer


# ---- what is trusted upstream


def options(folder: Path, extra: Path | None = None) -> HostOptions:
    return HostOptions("127.0.0.1", 0, folder, extra)


def test_public_roots_are_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the system's own, where there are any."""
    system = tmp_path / "system.pem"
    system.write_bytes(b"SYSTEM\n\n")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: SimpleNamespace(cafile=str(system)))
    folder = tmp_path / "ca"
    folder.mkdir()
    path = module._trusted(options(folder))

    assert path.read_bytes() == Path(certifi.where()).read_bytes().rstrip() + b"\nSYSTEM\n"


def test_our_own_authority_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE of an outer session names our bundle: whoever had its key could play any upstream."""
    bundle = tmp_path / ca.BUNDLE_NAME
    bundle.write_bytes(b"OURS")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: SimpleNamespace(cafile=str(bundle)))

    assert b"OURS" not in module._trusted(options(tmp_path)).read_bytes()


def test_roots_of_the_user(tmp_path: Path) -> None:
    """On top; and a change of them is seen at the next start."""
    extra = tmp_path / "extra.pem"
    for content in (b"ONE", b"TWO"):
        extra.write_bytes(content)
        assert module._trusted(options(tmp_path, extra)).read_bytes().endswith(b"\n" + content + b"\n")
    with pytest.raises(HostError, match=r"--upstream-ca .*missing.pem can't be read: No such file"):
        module._trusted(options(tmp_path, tmp_path / "missing.pem"))
