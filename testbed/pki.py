"""The cluster's certificate authority, and certificates for everyone who needs one."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from testbed.state import State

_LIFE = datetime.timedelta(days=30)


def make_authority(state: State) -> None:
    """Make the certificate authority and the key pair that signs service account tokens."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"testbed {state.name}")])
    certificate = (
        _builder(name, name, key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    _write_private(state.pki("ca.key"), _key_pem(key))
    state.pki("ca.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    tokens = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    _write_private(state.pki("sa.key"), _key_pem(tokens))
    state.pki("sa.pub").write_bytes(
        tokens.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )


def sign(
    state: State,
    name: str,
    groups: Sequence[str] = (),
    *,
    addresses: Sequence[str] = (),
    hosts: Sequence[str] = (),
) -> tuple[bytes, bytes]:
    """A certificate and its key (PEM): for a client, and for a server that has these names."""
    authority = x509.load_pem_x509_certificate(state.pki("ca.crt").read_bytes())
    signer = serialization.load_pem_private_key(state.pki("ca.key").read_bytes(), password=None)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{state.pki('ca.key')} is not the key that make_authority writes")
    key = ec.generate_private_key(ec.SECP256R1())
    subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    subject.append(x509.NameAttribute(NameOID.COMMON_NAME, name))
    # One entry a group: Kubernetes reads each organisation of the subject as a group.
    subject_name = x509.Name([x509.RelativeDistinguishedName([entry]) for entry in subject])
    builder = _builder(subject_name, authority.subject, key.public_key()).add_extension(
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]),
        critical=False,
    )
    names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(a)) for a in addresses]
    names += [x509.DNSName(host) for host in hosts]
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = builder.sign(signer, hashes.SHA256())
    return certificate.public_bytes(serialization.Encoding.PEM), _key_pem(key)


def sign_to_files(
    state: State,
    file: str,
    name: str,
    groups: Sequence[str] = (),
    *,
    addresses: Sequence[str] = (),
    hosts: Sequence[str] = (),
) -> None:
    """Sign and write `<file>.crt` and `<file>.key` into the cluster's pki folder."""
    certificate, key = sign(state, name, groups, addresses=addresses, hosts=hosts)
    state.pki(f"{file}.crt").write_bytes(certificate)
    _write_private(state.pki(f"{file}.key"), key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + _LIFE)
    )


def _key_pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _write_private(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)
