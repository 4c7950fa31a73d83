"""
Two repairs of mitmproxy's HTTP/1.

Interim answers (100, 102, 103) of an upstream are dropped: mitmproxy takes one for the answer, and the agent
hangs. A head without end is refused: mitmproxy would hold all of it.

Touches `Http1Client.read_headers`, `Http1Server.read_headers` and `ReceiveBuffer` of mitmproxy 12.3;
tests/e2e/test_wire.py holds them. 101 is an answer.
"""

from __future__ import annotations

import re
from typing import Any, Final

from mitmproxy.proxy import commands, events, layer
from mitmproxy.proxy.layers.http._http1 import Http1Client, Http1Server

_INTERIM: Final = re.compile(rb"HTTP/1\.[01] 1(?!01)[0-9]{2}[ \r\n]")


MAX_HEAD: Final = 512 * 1024
"""Bytes of a head that are read at most; real servers stop at 8 to 64 KiB."""


_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
)


def install() -> None:
    """Make upstream connections skip interim answers. Idempotent."""
    if getattr(Http1Client.read_headers, "skips_interim", False):
        return
    original = Http1Client.read_headers

    def read_headers(self: Http1Client, event: events.ConnectionEvent) -> layer.CommandGenerator[None]:
        if isinstance(event, events.DataReceived) and self.request:
            skipped = False
            while _INTERIM.match(bytes(self.buf)) and self.buf.maybe_extract_lines() is not None:
                skipped = True
            if skipped and not self.buf:
                return
        if len(self.buf) > MAX_HEAD and b"\n\r\n" not in bytes(self.buf) and b"\n\n" not in bytes(self.buf):
            self.buf.maybe_extract_at_most(len(self.buf))
            # As if the upstream had closed in the midst of its head.
            yield commands.CloseConnection(self.conn)
            yield from original(self, events.ConnectionClosed(self.conn))
            return
        yield from original(self, event)

    served = Http1Server.read_headers

    def read_request_head(self: Http1Server, event: events.ConnectionEvent) -> layer.CommandGenerator[None]:
        if len(self.buf) > MAX_HEAD and b"\n\r\n" not in bytes(self.buf) and b"\n\n" not in bytes(self.buf):
            yield commands.SendData(self.conn, _TOO_LARGE)
            yield commands.CloseConnection(self.conn)
            self.state = self.done
            return
        yield from served(self, event)

    Http1Server.read_headers = read_request_head  # type: ignore[method-assign]
    marked: Any = read_headers
    marked.skips_interim = True
    Http1Client.read_headers = marked  # type: ignore[method-assign]
