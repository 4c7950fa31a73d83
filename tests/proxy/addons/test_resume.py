"""Sessions are used again for the same name, port and trust, and only after a whole handshake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mitmproxy import connection, tls
from mitmproxy.proxy import server_hooks
from mitmproxy.test import tflow
from OpenSSL import SSL

from proxy.addons.resume import MAX_KEPT, Resume
from tests.bench.harness import certificates


@pytest.fixture(scope="module")
def server_context(tmp_path_factory: pytest.TempPathFactory) -> SSL.Context:
    _, certificate = certificates(tmp_path_factory.mktemp("certificates"))
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.use_certificate_file(str(certificate))
    context.use_privatekey_file(str(certificate))
    return context


def client_context(roots: Path | None = None) -> SSL.Context:
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    if roots is not None:
        context.load_verify_locations(str(roots))
    context.set_verify(SSL.VERIFY_NONE if roots is None else SSL.VERIFY_PEER)
    return context


def shake(client: SSL.Connection, server: SSL.Connection) -> None:
    server.set_accept_state()
    for _ in range(6):
        for one, other in ((client, server), (server, client)):
            try:
                one.do_handshake()
            except SSL.WantReadError:
                pass
            try:
                other.bio_write(one.bio_read(65536))
            except SSL.WantReadError:
                pass
    server.send(b"x")
    client.bio_write(server.bio_read(65536))
    assert client.recv(1) == b"x"


def connect(
    resume: Resume,
    ours: SSL.Context,
    theirs: SSL.Context,
    *,
    sni: str = "localhost",
    port: int = 443,
    whole: bool = True,
) -> bool:
    """One connection from start to end; whether it resumed a session."""
    server = tflow.tserver_conn()
    server.state = connection.ConnectionState.CLOSED
    server.address, server.sni = (sni, port), sni
    made = SSL.Connection(ours)
    made.set_connect_state()
    context: Any = None
    resume.tls_start_server(tls.TlsData(server, context, made))
    shake(made, SSL.Connection(theirs))
    server.timestamp_tls_setup = 1.0 if whole else None
    resume.server_disconnected(server_hooks.ServerConnectionHookData(server, tflow.tclient_conn()))
    return bool(SSL._lib.SSL_session_reused(made._ssl))  # type: ignore[attr-defined]


def test_a_second_connection_resumes(server_context: SSL.Context) -> None:
    resume, ours = Resume(), client_context()

    assert [connect(resume, ours, server_context) for _ in range(3)] == [False, True, True]


@pytest.mark.parametrize("other", [{"sni": "elsewhere"}, {"port": 8443}])
def test_another_name_or_port_does_not(server_context: SSL.Context, other: dict[str, Any]) -> None:
    resume, ours = Resume(), client_context()
    connect(resume, ours, server_context)

    assert not connect(resume, ours, server_context, **other)


def test_another_trust_does_not(server_context: SSL.Context, tmp_path: Path) -> None:
    """A session of a connection that was not verified must not stand in for one that must be."""
    resume = Resume()
    connect(resume, client_context(), server_context)
    roots, _ = certificates(tmp_path)

    with pytest.raises(SSL.Error):
        connect(resume, client_context(roots), server_context)


def test_a_handshake_that_was_not_whole_leaves_nothing(server_context: SSL.Context) -> None:
    resume, ours = Resume(), client_context()
    connect(resume, ours, server_context, whole=False)

    assert not connect(resume, ours, server_context)


def test_a_failure_forgets_the_session(server_context: SSL.Context) -> None:
    resume, ours = Resume(), client_context()
    connect(resume, ours, server_context)
    server = tflow.tserver_conn()
    server.state = connection.ConnectionState.CLOSED
    server.address, server.sni = ("localhost", 443), "localhost"
    context: Any = None
    data = tls.TlsData(server, context, SSL.Connection(ours))
    resume.tls_start_server(data)
    resume.tls_failed_server(data)

    assert not connect(resume, ours, server_context)


def test_a_connection_without_tls_is_none_of_it() -> None:
    resume = Resume()
    server = tflow.tserver_conn()
    context: Any = None
    resume.tls_start_server(tls.TlsData(server, context, None))
    resume.server_disconnected(server_hooks.ServerConnectionHookData(server, tflow.tclient_conn()))

    assert MAX_KEPT > 0
