"""
Upstream TLS sessions, used again: a new connection to a host that was verified before costs half a handshake.

Agents that open a connection for each request make the proxy do so too. A session is kept only after a whole
handshake, and used again only for the same name, port and trust, as browsers do.
"""

from __future__ import annotations

from typing import Final

from mitmproxy import connection, tls
from mitmproxy.proxy import server_hooks
from OpenSSL import SSL

MAX_KEPT: Final = 256

type Key = tuple[str | None, int, SSL.Context]
"""Name, port, and the context that holds what is trusted: a session must never outlive a change of trust."""


class Resume:
    """Add after TlsConfig, which makes the connections. One for each process's host."""

    def __init__(self) -> None:
        self._kept: dict[Key, SSL.Session] = {}
        self._open: dict[str, tuple[Key, SSL.Connection]] = {}

    def tls_start_server(self, data: tls.TlsData) -> None:
        """Offer the session of an earlier connection."""
        server, made = data.conn, data.ssl_conn
        if made is None or data.is_dtls or not isinstance(server, connection.Server) or server.address is None:
            return
        key = (server.sni, server.address[1], made.get_context())
        session = self._kept.get(key)
        if session is not None:
            try:
                made.set_session(session)
            except SSL.Error:
                del self._kept[key]
        self._open[server.id] = (key, made)

    def tls_failed_server(self, data: tls.TlsData) -> None:
        """Nothing of a handshake that failed is kept, nor what it may have failed by."""
        key, _ = self._open.pop(data.conn.id, (None, None))
        if key is not None:
            self._kept.pop(key, None)

    def server_disconnected(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Keep the session: in TLS 1.3 it only comes after the handshake."""
        key, made = self._open.pop(data.server.id, (None, None))
        if key is None or made is None or data.server.timestamp_tls_setup is None:
            return
        # OpenSSL takes a connection that is freed without a farewell for broken, and its session with it.
        made.set_shutdown(SSL.SENT_SHUTDOWN)
        session = made.get_session()
        if session is not None:
            if len(self._kept) >= MAX_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = session
