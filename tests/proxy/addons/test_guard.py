"""Where connections may lead, and what an attack session may forward."""

from __future__ import annotations

import asyncio
import ipaddress
from urllib.parse import urlsplit

import pytest

from proxy.addons import guard
from proxy.addons.session import Rules
from proxy.wire.catalogue import Catalogue
from proxy.wire.exchange import Headers, Request
from proxy.wire.reader import Reader

REAL, PAPER = "api.alpaca.markets", "paper-api.alpaca.markets"


@pytest.mark.parametrize(
    ("host", "mapped", "real"),
    [
        (REAL, None, True),
        ("API.Alpaca.Markets.", None, True),
        (PAPER, None, False),
        ("data.alpaca.markets", None, False),
        ("unheard.example", None, False),
        (REAL, "http://127.0.0.1:9", False),
        (REAL, f"https://{PAPER}", False),
        (REAL, f"https://{REAL}", True),
        (PAPER, f"https://{REAL}", True),
        ("unheard.example", f"https://{REAL}", True),
    ],
)
def test_real_trading_host(host: str, mapped: str | None, real: bool, catalogue: Catalogue) -> None:
    """What counts is where a request ends."""
    maps = {} if mapped is None else {host.lower().rstrip("."): urlsplit(mapped)}
    assert (guard.real_trading_host(catalogue, Rules(maps=maps), host, 443) is not None) == real


@pytest.mark.parametrize(
    ("method", "path", "attacking", "accepted", "refused"),
    [
        ("POST", "/v2/orders", True, False, True),
        ("POST", "/v2/orders", False, False, False),
        ("POST", "/v2/orders", True, True, False),
        ("GET", "/v2/account", True, False, False),
        ("GET", "/v2/unheard/of", True, False, False),
        ("PUT", "/v2/unheard/of", True, False, True),
        ("POST", "/v2%2Forders", True, False, True),
        ("POST", "/V2/orders", True, False, True),
        ("DELETE", "/v2/positions", True, False, True),
        ("GET", "/v2/account?_method=DELETE", True, False, True),
    ],
)
def test_refusal(method: str, path: str, attacking: bool, accepted: bool, refused: bool, catalogue: Catalogue) -> None:
    """Under attack only listed reads pass to a venue with real money."""
    request = Request(method, "https", REAL, 443, path, Headers(), b"{}" if method == "POST" else b"", 1)
    asked = Reader(catalogue).request(request, 1)
    rules = Rules(attacking=attacking, accept_real_orders=accepted)
    why = guard.refusal(catalogue, rules, asked, request, ("a.example", REAL))

    assert (why is not None) == refused
    assert why is None or REAL in why


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"])
def test_an_overridden_read_is_no_read(name: str, catalogue: Catalogue) -> None:
    """A server may take the method that the field names."""
    headers = Headers(((name.encode(), b"DELETE"),))
    request = Request("GET", "https", REAL, 443, "/v2/account", headers, b"", 1)
    asked = Reader(catalogue).request(request, 1)

    assert not guard.reads(asked, request)
    assert asked.unread_action


def test_a_socket_is_no_read(catalogue: Catalogue) -> None:
    headers = Headers(((b"Upgrade", b"WebSocket"), (b"Connection", b"Upgrade")))
    request = Request("GET", "https", REAL, 443, "/stream", headers, b"", 1)
    assert not guard.reads(Reader(catalogue).request(request, 1), request)


def test_a_real_venue_comes_first_of_all_names(catalogue: Catalogue) -> None:
    assert guard.trading_name(catalogue, ("127.0.0.1", "paper-api.alpaca.markets", REAL)) == REAL
    assert guard.trading_name(catalogue, ("127.0.0.1", "data.alpaca.markets")) is None


@pytest.mark.parametrize(
    ("address", "port", "bad"),
    [
        ("169.254.169.254", 80, True),
        ("169.254.1.2", 443, True),
        ("fe80::1", 80, True),
        ("::ffff:169.254.169.254", 80, True),
        ("fd00:ec2::254", 80, True),
        ("100.100.100.200", 80, True),
        ("224.0.0.1", 80, True),
        ("240.0.0.1", 80, True),
        ("127.0.0.1", 8080, True),
        ("127.9.9.9", 8080, True),
        ("::1", 8080, True),
        ("::ffff:127.0.0.1", 8080, True),
        ("0.0.0.0", 8080, True),
        ("::", 8080, True),
        ("127.0.0.1", 5000, False),
        ("::1", 5000, False),
        ("10.0.0.1", 8080, False),
        ("192.168.1.1", 80, False),
        ("8.8.8.8", 8080, False),
    ],
)
def test_forbidden(address: str, port: int, bad: bool) -> None:
    """Link-local, metadata and our own port in every spelling; local and private services are the agent's."""
    assert (guard.forbidden(ipaddress.ip_address(address), port, frozenset({8080})) is not None) == bad


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost"])
async def test_resolve(host: str) -> None:
    """Any spelling that the system accepts ends as an address."""
    assert all(address.is_loopback for address in await guard.resolve(host, 80))


async def test_resolve_nothing() -> None:
    """No address is an error, not an empty list."""
    with pytest.raises(OSError):
        await guard.resolve("no-such-host.invalid", 80)


async def test_listening() -> None:
    """Of both loopback addresses the one that a server listens on; the first where none or no choice is."""
    four, six = ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")
    server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    found = [await guard.listening(given, port) for given in ([six, four], [four, six], [six])]
    server.close()
    await server.wait_closed()

    assert found == [four, four, six]
    assert await guard.listening([six, four], port) == six
    assert await guard.listening([ipaddress.ip_address("192.0.2.1"), four], port) == ipaddress.ip_address("192.0.2.1")
