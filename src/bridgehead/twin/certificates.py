"""A certificate for a served twin, and the authority that vouches for it; both made for one start.

Clients compare its dates with the clock of their machine, so that clock is asked here; nothing of a
simulated cluster depends on it. The only module that needs the extra ``serve`` of the package.
"""

import ipaddress
from datetime import UTC, datetime, timedelta

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_LASTS = timedelta(days=30)


class Certificates(msgspec.Struct, frozen=True, kw_only=True):
    """All in PEM."""

    authority: bytes
    server: bytes
    key: bytes
    """Of the server; never kept anywhere else."""


def certificates(host: str) -> Certificates:
    """A certificate for ``localhost`` and a host."""
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "bridgehead twin")])
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kube-apiserver")])
    own_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    now = datetime.now(UTC)
    issued = (
        x509.CertificateBuilder(issuer_name=issuer)
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + _LASTS)
    )
    authority = (
        issued.subject_name(issuer)
        .public_key(own_key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(own_key, hashes.SHA256())
    )
    server = (
        issued.subject_name(subject)
        .public_key(server_key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.SubjectAlternativeName(_names(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(own_key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return Certificates(
        authority=authority.public_bytes(pem),
        server=server.public_bytes(pem),
        key=server_key.private_bytes(pem, form, serialization.NoEncryption()),
    )


def _names(host: str) -> list[x509.GeneralName]:
    """What the server is called: of all addresses (``0.0.0.0``) only the local ones are known."""
    addresses = {"127.0.0.1", "::1"}
    names: list[x509.GeneralName] = [x509.DNSName("localhost")]
    try:
        addresses.add(str(ipaddress.ip_address(host)))
    except ValueError:
        if host != "localhost":
            names.append(x509.DNSName(host))
    return names + [x509.IPAddress(ipaddress.ip_address(item)) for item in sorted(addresses)]
