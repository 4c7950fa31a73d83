"""Where the proxy may connect to, and which trading requests an attack session may forward."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable

from proxy.addons.session import Rules
from proxy.wire.catalogue import Catalogue, HostFacts
from proxy.wire.exchange import Request
from proxy.wire.reader import OVERRIDES, PLAIN_READS, RequestReading

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def real_trading_host(catalogue: Catalogue, rules: Rules, host: str, port: int) -> HostFacts | None:
    """The catalogue's facts of a host that trades with real money under these rules, else None."""
    target = rules.mapped(host, port)
    # What counts is where a request ends: a map onto a real venue makes it no safer, whatever is mapped.
    facts = catalogue.host((target.hostname or "") if target is not None else host)
    return facts if facts is not None and facts.role == "trading" and not facts.paper else None


def trading_name(catalogue: Catalogue, names: Iterable[str]) -> str | None:
    """The name of a trading host among all that a request gives, one with real money first."""
    known = [(facts.paper, name) for name in names if (facts := catalogue.host(name)) and facts.role == "trading"]
    return min(known)[1] if known else None


def reads(asked: RequestReading, request: Request) -> bool:
    """Whether a request can only read: the catalogue lists it so, or its method does, and nothing overrides that."""
    if any(request.headers.get(name) for name in OVERRIDES) or "_method=" in request.query.lower():
        return False
    if "websocket" in (request.headers.get("upgrade") or "").lower():
        # Orders go over sockets too, and what is in their frames is not looked at.
        return False
    plain = request.method in PLAIN_READS
    if asked.endpoint is None:
        return plain and not request.body
    return asked.endpoint.rule.action is None and not (plain and request.body)




def refusal(
    catalogue: Catalogue, rules: Rules, asked: RequestReading, request: Request, names: Iterable[str]
) -> str | None:
    """
    Why an attack session must not forward a request, or None. Reads may pass.

    Args:
        catalogue: Knows who trades with real money.
        rules: The session's.
        asked: What the request means.
        request: The request.
        names: Every host that it names; one real one is enough.
    """
    if not rules.attacking or rules.accept_real_orders or reads(asked, request):
        return None
    for name in names:
        if real_trading_host(catalogue, rules, name, request.port) is not None:
            return f"{name} trades with real money and an attack is running; map it, or give --accept-real-orders"
    return None


def forbidden(address: Address, port: int, own_ports: frozenset[int]) -> str | None:
    """Why no agent may reach an address through us, or None. Loopback and private services are allowed."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_link_local or address in _METADATA:
        return f"{address} is a link-local or metadata address"
    if address.is_multicast or (address.is_reserved and not address.is_loopback):
        return f"{address} is no host"
    if port in own_ports and (address.is_loopback or address.is_unspecified or str(address) in _own_addresses()):
        return "that is the proxy's own port"
    return None


_METADATA = frozenset(
    ipaddress.ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192")
)


def _own_addresses() -> frozenset[str]:
    try:
        found = socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return frozenset()
    return frozenset(str(entry[4][0]) for entry in found)


async def resolve(host: str, port: int) -> list[Address]:
    """Every address of a host, in any spelling the system accepts. Raises OSError when there is none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


async def listening(addresses: list[Address], port: int) -> Address:
    """
    The address to connect to: the first, but of several on loopback the first that listens.

    `localhost` is two addresses and servers often listen on one; a client tries both, a pinned address is one.
    """
    if len(addresses) > 1 and all(one.is_loopback for one in addresses):
        for one in addresses:
            try:
                _, writer = await asyncio.open_connection(str(one), port)
            except OSError:
                continue
            writer.close()
            return one
    return addresses[0]
