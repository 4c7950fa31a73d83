"""
Interim answers (100, 102, 103) of an upstream are dropped: mitmproxy takes one for the answer, and the agent hangs.

Touches `Http1Client.read_headers` of mitmproxy 12.3; tests/e2e/test_wire.py holds it. 101 is an answer.
"""

from __future__ import annotations

import re
from typing import Any, Final

from mitmproxy.proxy import events, layer
from mitmproxy.proxy.layers.http._http1 import Http1Client

_INTERIM: Final = re.compile(rb"HTTP/1\.[01] 1(?!01)[0-9]{2}[ \r\n]")


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
        yield from original(self, event)

    marked: Any = read_headers
    marked.skips_interim = True
    Http1Client.read_headers = marked  # type: ignore[method-assign]
