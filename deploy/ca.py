"""
The workspace's own certificate authority, and the bundle that agents are given.

An EC key: mitmproxy signs leaves with the CA's key, and EC handshakes cost half of RSA's. The key is
readable by its owner alone, and a wider one is refused.
"""

from __future__ import annotations

import contextlib
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import certifi
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from deploy.workspace import Workspace, WorkspaceError

KEY_NAME = "mitmproxy-ca.pem"
"""The name that mitmproxy looks for: key and certificate."""
CERT_NAME = "redtape-ca.pem"
BUNDLE_NAME = "bundle.pem"


def ensure(workspace: Workspace) -> Path:
    """
    The folder with key, certificate and bundle; made when missing.

    Raises:
        WorkspaceError: The key is readable by others, or damaged.
    """
    folder = workspace.ensure().ca
    key = folder / KEY_NAME
    if not key.exists():
        _create(key)
    mode = stat.S_IMODE(key.stat().st_mode)
    if mode & 0o077:
        raise WorkspaceError(f"{key} is readable by others (mode {mode:04o}); run: chmod 600 {key}")
    certificate = _certificate(key)
    _write(folder / CERT_NAME, certificate, 0o644)
    _write(folder / BUNDLE_NAME, _bundle(certificate), 0o644)
    return folder


def _certificate(key: Path) -> bytes:
    data = key.read_bytes()
    try:
        private = serialization.load_pem_private_key(data, None)
        certificate = x509.load_pem_x509_certificate(data)
        if private.public_key() != certificate.public_key():
            raise ValueError("key and certificate are no pair")
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise WorkspaceError(
            f"{key} is damaged ({str(error)[:80]}); remove it to make a new CA (agents must then trust the new one)"
        ) from None
    return certificate.public_bytes(serialization.Encoding.PEM)


def _bundle(certificate: bytes) -> bytes:
    return Path(certifi.where()).read_bytes().rstrip() + b"\n" + certificate


def _write(path: Path, data: bytes, mode: int) -> None:
    """Whole or not at all: other processes read these files."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    temporary.replace(path)


def _create(path: Path) -> None:
    """A new CA; when two processes make one at once, the first stays."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(_new_pem())
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(temporary)
    temporary.unlink()


def _new_pem() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, "Redtape"), x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Redtape")]
    )
    now = datetime.now(UTC)
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Clocks of agents in containers run behind.
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + timedelta(days=3650))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(usage, critical=True)
        .add_extension(identifier, critical=False)
        # Strict verifiers want the authority's identifier too.
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + certificate.public_bytes(serialization.Encoding.PEM)


def environment(folder: Path, proxy_url: str) -> dict[str, str]:
    """
    Every variable that makes a client use the proxy and trust its CA, in both cases.

    `NO_PROXY` is emptied: an inherited one would hide local services. One bundle of the public roots and
    ours, since most clients replace their store by it.

    Source: the client table, measured 2026-11-30 with the clients named there.
    """
    bundle, certificate = str(folder / BUNDLE_NAME), str(folder / CERT_NAME)
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "WS_PROXY", "WSS_PROXY"), proxy_url)
    proxies |= {name.lower(): value for name, value in proxies.items()}
    bundles = dict.fromkeys(
        (
            "SSL_CERT_FILE",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
            "WEBSOCKET_CLIENT_CA_BUNDLE",
            "AWS_CA_BUNDLE",
            "PIP_CERT",
            "GIT_SSL_CAINFO",
            "NIX_SSL_CERT_FILE",
            "HTTPLIB2_CA_CERTS",
            "DENO_CERT",
            "BUN_CA_BUNDLE_PATH",
        ),
        bundle,
    )
    node = {"NODE_EXTRA_CA_CERTS": certificate, "NODE_USE_ENV_PROXY": "1"}
    return {**proxies, **bundles, **node, "NO_PROXY": "", "no_proxy": ""}
