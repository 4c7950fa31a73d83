"""The authority that agents trust: private, one a workspace, and good enough for strict verifiers."""

from __future__ import annotations

import socket
import ssl
import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import certifi
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from mitmproxy.certs import CertStore

from deploy import ca
from deploy.workspace import Workspace, WorkspaceError

from .conftest import ROOT


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w")


def test_files(workspace: Workspace) -> None:
    """The key for its owner alone; the certificate without it; the bundle is the public roots and ours."""
    folder = ca.ensure(workspace)
    key, certificate, bundle = (folder / name for name in (ca.KEY_NAME, ca.CERT_NAME, ca.BUNDLE_NAME))

    assert 0o600 == stat.S_IMODE(key.stat().st_mode)
    assert b"PRIVATE" not in certificate.read_bytes() + bundle.read_bytes()
    assert bundle.read_bytes() == Path(certifi.where()).read_bytes().rstrip() + b"\n" + certificate.read_bytes()
    assert [ca.BUNDLE_NAME, ca.KEY_NAME, ca.CERT_NAME] == sorted(path.name for path in folder.iterdir())


def test_it_stays(workspace: Workspace) -> None:
    """Agents trust it once; a bundle that went missing comes back."""
    folder = ca.ensure(workspace)
    before = (folder / ca.KEY_NAME).read_bytes()
    (folder / ca.BUNDLE_NAME).unlink()
    (folder / ca.CERT_NAME).write_bytes(b"another")
    ca.ensure(workspace)

    assert before == (folder / ca.KEY_NAME).read_bytes()
    assert (folder / ca.CERT_NAME).read_bytes() in before
    assert (folder / ca.BUNDLE_NAME).is_file()


def test_certificate(workspace: Workspace) -> None:
    """What strict verifiers ask of an authority: critical constraints and usage, both key identifiers."""
    pem = (ca.ensure(workspace) / ca.KEY_NAME).read_bytes()
    certificate, key = x509.load_pem_x509_certificate(pem), load_pem_private_key(pem, None)
    constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage)
    own = certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    authority = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value

    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert (True, True) == (constraints.critical, constraints.value.ca)
    assert (True, True, False) == (usage.critical, usage.value.key_cert_sign, usage.value.digital_signature)
    assert own.digest == authority.key_identifier
    assert certificate.subject == certificate.issuer
    now = datetime.now(UTC)
    assert certificate.not_valid_before_utc < now - timedelta(days=1)
    assert certificate.not_valid_after_utc > now + timedelta(days=3000)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o777])
def test_wider_key_is_refused(workspace: Workspace, mode: int) -> None:
    """Whoever reads the key reads all traffic of the agent; the message is the fix."""
    key = ca.ensure(workspace) / ca.KEY_NAME
    key.chmod(mode)

    with pytest.raises(
        WorkspaceError, match=rf"readable by others \(mode {mode:04o}\); run: chmod 600 .*{ca.KEY_NAME}"
    ):
        ca.ensure(workspace)
    key.chmod(0o600)
    assert ca.ensure(workspace)


def damage(pem: bytes, how: str) -> bytes:
    middle = pem.index(b"-----BEGIN CERTIFICATE")
    other = ca._new_pem()
    return {
        "empty": b"",
        "foreign": b"hello",
        "no key": pem[middle:],
        "no certificate": pem[:middle],
        "cut": pem[:-80],
        "flipped": pem.replace(pem[100:104], b"????"),
        "no pair": pem[:middle] + other[other.index(b"-----BEGIN CERTIFICATE") :],
    }[how]


@pytest.mark.parametrize("how", ["empty", "foreign", "no key", "no certificate", "cut", "flipped", "no pair"])
def test_damaged_key_is_named(workspace: Workspace, how: str) -> None:
    """Said at once, with the way out; not as a broken handshake later."""
    key = ca.ensure(workspace) / ca.KEY_NAME
    key.write_bytes(damage(key.read_bytes(), how))

    with pytest.raises(WorkspaceError, match=rf"{ca.KEY_NAME} is damaged .*remove it to make a new CA"):
        ca.ensure(workspace)


def test_processes_make_one_authority(workspace: Workspace) -> None:
    """Several start at once in an empty workspace: all use the same."""
    code = (
        "import sys; from pathlib import Path; from deploy import ca; from deploy.workspace import Workspace\n"
        "folder = ca.ensure(Workspace(Path(sys.argv[1])))\n"
        "print(hash((folder / ca.KEY_NAME).read_bytes()), hash((folder / ca.CERT_NAME).read_bytes()))\n"
    )
    command = [sys.executable, "-c", code, workspace.path]
    started = [
        subprocess.Popen(command, cwd=ROOT, env={"PYTHONHASHSEED": "1"}, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = [process.communicate(timeout=60)[0] for process in started]

    assert [0] * 4 == [process.returncode for process in started]
    assert 1 == len(set(said))
    assert [ca.BUNDLE_NAME, ca.KEY_NAME, ca.CERT_NAME] == sorted(path.name for path in workspace.ca.iterdir())


def handshake(context: ssl.SSLContext, folder: Path, host: str) -> dict[str, object]:
    """A TLS connection to a server whose leaf mitmproxy signed with our key."""
    store = CertStore.from_store(folder, "mitmproxy", 2048)
    entry = store.get_cert(host, [x509.DNSName(host)])
    chain = folder.parent / "leaf.pem"
    chain.write_bytes(entry.cert.to_pem())
    key = folder.parent / "leaf.key"
    from cryptography.hazmat.primitives import serialization as s

    key.write_bytes(entry.privatekey.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, key)
    ours, theirs = socket.socketpair()

    def serve() -> None:
        try:
            with server.wrap_socket(theirs, server_side=True) as connection:
                connection.recv(1)
        except OSError:
            theirs.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with context.wrap_socket(ours, server_hostname=host) as connection:
            return dict(connection.getpeercert() or {})
    finally:
        ours.close()
        thread.join(10)


def test_strict_verification_of_a_leaf(workspace: Workspace) -> None:
    """Python 3.13 verifies strictly by default: a leaf that the proxy mints must pass, by the bundle alone."""
    folder = ca.ensure(workspace)
    context = ssl.create_default_context(cafile=str(folder / ca.BUNDLE_NAME))
    context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN

    peer = handshake(context, folder, "api.alpaca.markets")
    assert (("DNS", "api.alpaca.markets"),) == peer["subjectAltName"]


def test_the_leaf_of_another_workspace_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    """Each authority is its own."""
    other = ca.ensure(Workspace(tmp_path / "other"))
    context = ssl.create_default_context(cafile=str(other / ca.BUNDLE_NAME))

    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(context, ca.ensure(workspace), "api.alpaca.markets")


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
BUNDLES = (
    "SSL_CERT_FILE",  # urllib, httpx, aiohttp, websockets, websocket-client, Go, curl, native Rust roots
    "REQUESTS_CA_BUNDLE",  # requests, curl_cffi
    "CURL_CA_BUNDLE",  # curl, requests, curl_cffi
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",  # grpcio, and it reads no other
    "WEBSOCKET_CLIENT_CA_BUNDLE",  # websocket-client
)


def test_environment(workspace: Workspace) -> None:
    """Every variable that the clients of the table read, in both cases; nothing goes past the proxy."""
    folder = ca.ensure(workspace)
    variables = ca.environment(folder, "http://127.0.0.1:9")

    assert dict.fromkeys(PROXIES, "http://127.0.0.1:9") == {name: variables[name] for name in PROXIES}
    assert dict.fromkeys(BUNDLES, str(folder / ca.BUNDLE_NAME)) == {name: variables[name] for name in BUNDLES}
    assert ("", "") == (variables["NO_PROXY"], variables["no_proxy"])
    # Node adds to its own roots, and old versions ignore the proxy unless told.
    assert str(folder / ca.CERT_NAME) == variables["NODE_EXTRA_CA_CERTS"]
    assert "1" == variables["NODE_USE_ENV_PROXY"]
    assert all(Path(value).is_file() for value in variables.values() if value.startswith("/"))


def test_environment_is_the_same_in_both_cases(workspace: Workspace) -> None:
    """A proxy variable that is set in one case alone is read by half of the clients."""
    variables = ca.environment(workspace.ca, "http://127.0.0.1:9")
    upper = {name for name in variables if name.endswith("_PROXY") and name.isupper() and not name.startswith("NODE")}

    assert upper <= {name.upper() for name in variables if name.islower()}
    assert all(variables[name] == variables[name.lower()] for name in upper)
