"""
The load generator: agents that wait for each answer before they ask again.

One thread around epoll and non-blocking TLS sockets. Reads one JSON job a line from stdin, prints one JSON
result a line. Connections with keep-alive stay open between the slices of one proxy and cell.
"""

from __future__ import annotations

import json
import select
import socket
import ssl
import sys
import time
from typing import Any

from tests.bench.cells import CELLS, NUMBER, Cell, request
from tests.bench.stats import percentile

TIMEOUT_S = 20.0


class LoadError(RuntimeError):
    """The proxy gave no usable answer."""


class _Agent:
    """One connection through a proxy."""

    __slots__ = ("address", "authority", "began", "inside", "need", "phase", "plain", "sni", "socket")

    def __init__(self, address: tuple[str, int], authority: str) -> None:
        self.address = address
        self.authority = authority
        self.sni = authority.partition(":")[0]
        self.inside = b""
        self.need = 0
        self.phase = "closed"
        self.began = 0.0
        self.plain: socket.socket | None = None
        self.socket: ssl.SSLSocket | None = None


class Load:
    """Runs jobs."""

    def __init__(self) -> None:
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # Whether the proxy's certificate is trusted is no matter of speed.
        self._tls.check_hostname = False
        self._tls.verify_mode = ssl.CERT_NONE
        self._tls.set_alpn_protocols(["http/1.1"])
        self._pools: dict[tuple[int, str], list[_Agent]] = {}
        self._number = 0

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """One slice: every agent asks until the time is over, then all outstanding answers are awaited."""
        cell = next(one for one in CELLS if one.name == job["cell"])
        key = (job["port"], cell.name)
        agents = self._pools.get(key)
        if agents is None:
            agents = [_Agent(("127.0.0.1", job["port"]), job["authority"]) for _ in range(cell.connections)]
            if not cell.new_connection:
                self._pools[key] = agents
                # Handshakes are not part of a keep-alive slice.
                self._slice(cell, agents, 0.0)
        cpu = time.process_time()
        began = time.perf_counter()
        times, errors = self._slice(cell, agents, job["seconds"])
        seconds = time.perf_counter() - began
        times.sort()
        return {
            "requests": len(times),
            "errors": errors,
            "seconds": seconds,
            "p50_ms": percentile(times, 50) * 1000,
            "p99_ms": percentile(times, 99) * 1000,
            "load_cpu_ms": (time.process_time() - cpu) * 1000,
        }

    def _slice(self, cell: Cell, agents: list[_Agent], seconds: float) -> tuple[list[float], int]:
        prepared = request(cell, agents[0].authority).split(NUMBER)
        poll = select.epoll()
        by_number: dict[int, _Agent] = {}
        times: list[float] = []
        errors = 0
        until = time.perf_counter() + seconds

        def start(agent: _Agent) -> None:
            agent.began = time.perf_counter()
            if agent.phase == "closed":
                agent.plain = plain = socket.create_connection(agent.address, TIMEOUT_S)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                plain.setblocking(False)
                plain.send(f"CONNECT {agent.authority} HTTP/1.1\r\nHost: {agent.authority}\r\n\r\n".encode())
                agent.phase = "connect"
                by_number[plain.fileno()] = agent
                poll.register(plain, select.EPOLLIN)
            else:
                assert agent.socket is not None
                if agent.socket.fileno() not in by_number:
                    by_number[agent.socket.fileno()] = agent
                    poll.register(agent.socket, select.EPOLLIN)
                self._ask(agent, prepared)

        def close(agent: _Agent) -> None:
            number = (agent.socket or agent.plain).fileno()  # type: ignore[union-attr]
            by_number.pop(number, None)
            poll.unregister(number)
            (agent.socket or agent.plain).close()  # type: ignore[union-attr]
            agent.phase, agent.plain, agent.socket, agent.inside = "closed", None, None, b""

        busy = len(agents)
        for agent in agents:
            start(agent)
        while busy:
            ready = poll.poll(TIMEOUT_S)
            if not ready:
                raise LoadError(f"{cell.name}: no answer within {TIMEOUT_S:.0f} s")
            for number, _ in ready:
                agent = by_number[number]
                try:
                    done = self._step(agent, prepared)
                except (ssl.SSLWantReadError, BlockingIOError):
                    continue
                except (OSError, LoadError):
                    done, good = True, False
                else:
                    good = done
                if not done:
                    continue
                if good:
                    times.append(time.perf_counter() - agent.began)
                else:
                    errors += 1
                if cell.new_connection or not good:
                    close(agent)
                if time.perf_counter() < until and errors < 1000:
                    start(agent)
                else:
                    busy -= 1
        poll.close()
        return times, errors

    def _ask(self, agent: _Agent, prepared: list[bytes]) -> None:
        assert agent.socket is not None
        self._number += 1
        agent.inside, agent.need, agent.phase = b"", 0, "answer"
        agent.socket.send((b"%010d" % self._number).join(prepared))

    def _step(self, agent: _Agent, prepared: list[bytes]) -> bool:
        """Read what there is; whether the answer is whole."""
        if agent.phase == "connect":
            assert agent.plain is not None
            agent.inside += agent.plain.recv(4096)
            if b"\r\n\r\n" not in agent.inside:
                if not agent.inside:
                    raise LoadError("closed")
                return False
            if b" 200 " not in agent.inside[:32]:
                raise LoadError("no tunnel")
            agent.socket = self._tls.wrap_socket(agent.plain, server_hostname=agent.sni, do_handshake_on_connect=False)
            agent.phase = "hello"
        assert agent.socket is not None
        if agent.phase == "hello":
            agent.socket.do_handshake()
            self._ask(agent, prepared)
        while True:
            data = agent.socket.recv(131072)
            if not data:
                raise LoadError("closed")
            agent.inside = agent.inside + data if agent.inside else data
            if not agent.need:
                end = agent.inside.find(b"\r\n\r\n")
                if end < 0:
                    continue
                head = agent.inside[:end].lower()
                if not head.startswith(b"http/1.1 200"):
                    raise LoadError(head.partition(b"\r\n")[0].decode())
                at = head.find(b"content-length:")
                stop = head.find(b"\r\n", at)
                agent.need = end + 4 + int(head[at + 15 : stop if stop >= 0 else end])
            if len(agent.inside) >= agent.need:
                return True


if __name__ == "__main__":
    load = Load()
    for line in sys.stdin:
        print(json.dumps(load.run(json.loads(line))), flush=True)
