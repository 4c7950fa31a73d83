"""A certificate authority of the tests' own, as the venues' public one: upstreams show its leaf."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOSTS = (
    "api.alpaca.markets",
    "paper-api.alpaca.markets",
    "data.alpaca.markets",
    "api.openai.com",
    "venue.example",
    "localhost",
)


@dataclass(frozen=True, slots=True)
class Certificates:
    """`ca` is what clients must trust; `context` is for a server of any of HOSTS, or of 127.0.0.1."""

    ca: Path
    leaf: Path

    @property
    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.leaf)
        context.set_alpn_protocols(["http/1.1"])
        return context


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def make(folder: Path) -> Certificates:
    """A new authority and one leaf."""
    now = datetime.now(UTC)
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    identifier = x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key())
    authority = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)
    usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)

    def started(subject: str, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(_name(subject))
            .issuer_name(_name("Public CA of the tests"))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
            .add_extension(authority, critical=False)
        )

    ca = (
        started("Public CA of the tests", ca_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(identifier, critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    names = [x509.DNSName(host) for host in HOSTS] + [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    leaf = (
        started("venues", key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    found = Certificates(folder / "public-ca.pem", folder / "venues.pem")
    found.ca.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    found.leaf.write_bytes(_pem(key) + leaf.public_bytes(serialization.Encoding.PEM))
    return found
