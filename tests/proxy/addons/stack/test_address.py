"""A connection goes to the very address that was checked, and is found again by the name that requests use."""

from __future__ import annotations

from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest
from mitmproxy import connection
from mitmproxy.proxy import server_hooks
from mitmproxy.proxy.layers.http import GetHttpConnection
from mitmproxy.test import tflow

from proxy.addons import guard
from proxy.addons.session import Rules
from proxy.addons.stack import Stack


@pytest.fixture
def stack() -> Stack:
    session: Any = SimpleNamespace(rules=Rules(), notes=[], note=lambda *_: None)
    return Stack(session, SimpleNamespace(error=lambda *_a, **_k: None))  # type: ignore[arg-type]


def unconnected(host: str) -> server_hooks.ServerConnectionHookData:
    server = connection.Server(address=(host, 443))
    return server_hooks.ServerConnectionHookData(server, tflow.tclient_conn())


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(_host: str, _port: int) -> list[Any]:
        return [ip_address("203.0.113.7")]

    monkeypatch.setattr(guard, "resolve", resolve)


@pytest.mark.usefixtures("resolved")
async def test_connects_to_what_was_checked_and_keeps_the_name(stack: Stack) -> None:
    """mitmproxy looks for an open connection by address: under another it opens a new one for each request."""
    data = unconnected("data.example")
    await stack.server_connect(data)
    assert data.server.address == ("203.0.113.7", 443)

    data.server.state = connection.ConnectionState.OPEN
    stack.server_connected(data)

    assert data.server.address == ("data.example", 443)
    wanted = GetHttpConnection(("data.example", 443), tls=False, via=None)
    assert wanted.connection_spec_matches(data.server)


@pytest.mark.usefixtures("resolved")
async def test_a_connection_that_failed_leaves_nothing_behind(stack: Stack) -> None:
    data = unconnected("data.example")
    await stack.server_connect(data)
    stack.server_connect_error(data)
    data.server.state = connection.ConnectionState.OPEN
    stack.server_connected(data)

    assert data.server.address == ("203.0.113.7", 443)


def test_the_setter_refuses_an_open_connection() -> None:
    """Why the name is given back past it; where the refusal goes, so can this."""
    server = connection.Server(address=("data.example", 443))
    server.state = connection.ConnectionState.OPEN

    with pytest.raises(RuntimeError):
        server.address = ("other.example", 443)
