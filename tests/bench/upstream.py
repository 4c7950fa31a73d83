"""
The stand-in upstream: HTTPS with an EC certificate, prepared answers, a running number in each.

One thread around epoll and non-blocking TLS sockets, so that it costs little beside what is measured.
Prints its port, and on every line read from stdin how many connections it took so far.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import sys
from pathlib import Path

from tests.bench.cells import NUMBER, answers


class _Peer:
    __slots__ = ("greeted", "inside", "out", "socket")

    def __init__(self, connection: ssl.SSLSocket) -> None:
        self.socket = connection
        self.inside = b""
        self.out = memoryview(b"")
        self.greeted = False


class Upstream:
    """Serves until stdin ends."""

    def __init__(self, certificate: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._context.set_alpn_protocols(["http/1.1"])
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._listener.setblocking(False)
        self._answers = [(start, *_split(whole)) for start, whole in answers().items()]
        self._peers: dict[int, _Peer] = {}
        self._number = 0
        self.accepted = 0
        self.port: int = self._listener.getsockname()[1]

    def run(self) -> None:
        """Until stdin is closed."""
        self._poll = poll = select.epoll()
        poll.register(self._listener, select.EPOLLIN)
        poll.register(sys.stdin, select.EPOLLIN)
        while True:
            for number, _ in poll.poll():
                if number == self._listener.fileno():
                    self._accept()
                elif number == sys.stdin.fileno():
                    if not sys.stdin.readline():
                        return
                    print(self.accepted, flush=True)
                elif (peer := self._peers.get(number)) is not None:
                    self._serve(number, peer)

    def _accept(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                plain, _ = self._listener.accept()
                plain.setblocking(False)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection = self._context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
                self.accepted += 1
                self._peers[connection.fileno()] = _Peer(connection)
                self._poll.register(connection, select.EPOLLIN)

    def _serve(self, number: int, peer: _Peer) -> None:
        try:
            if not peer.greeted:
                peer.socket.do_handshake()
                peer.greeted = True
            if peer.out:
                self._send(peer)
            while not peer.out:
                data = peer.socket.recv(65536)
                if not data:
                    raise OSError
                peer.inside += data
                self._answer(peer)
        except ssl.SSLWantReadError:
            self._poll.modify(number, select.EPOLLIN)
        except ssl.SSLWantWriteError:
            self._poll.modify(number, select.EPOLLIN | select.EPOLLOUT)
        except OSError:
            self._peers.pop(number, None)
            with contextlib.suppress(OSError):
                self._poll.unregister(number)
            peer.socket.close()

    def _answer(self, peer: _Peer) -> None:
        end = peer.inside.find(b"\r\n\r\n")
        if end < 0:
            return
        whole = end + 4
        at = peer.inside.lower().find(b"content-length:", 0, end)
        if at >= 0:
            whole += int(peer.inside[at + 15 : peer.inside.find(b"\r\n", at)])
        if len(peer.inside) < whole:
            return
        request, peer.inside = peer.inside, peer.inside[whole:]
        for start, head, tail in self._answers:
            if request.startswith(start):
                self._number += 1
                peer.out = memoryview(b"%s%010d%s" % (head, self._number, tail))
                self._send(peer)
                return
        raise OSError

    def _send(self, peer: _Peer) -> None:
        while peer.out:
            peer.out = peer.out[peer.socket.send(peer.out) :]


def _split(whole: bytes) -> tuple[bytes, bytes]:
    head, mark, tail = whole.partition(NUMBER)
    assert mark
    return head, tail


if __name__ == "__main__":
    upstream = Upstream(Path(sys.argv[1]))
    print(upstream.port, flush=True)
    upstream.run()
