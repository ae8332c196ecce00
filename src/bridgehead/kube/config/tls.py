"""TLS contexts out of PEM bytes, without leaving key files behind."""

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bridgehead.kube.config.values import CertificatePair, ServerTrust
from bridgehead.kube.errors import ConfigError, CredentialError


def tls_context(
    trust: ServerTrust, certificate: CertificatePair | None, *, origin: str
) -> ssl.SSLContext:
    """A context that verifies as `trust` says and shows `certificate` when there is one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # As Go does: any given certificate is an anchor, not only self-signed ones, and authorities
    # without key identifiers, which many clusters have, are accepted (Python 3.13 is stricter).
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if trust.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif trust.ca is None:
        context.load_default_certs()
    else:
        _load_authority(context, trust.ca, origin)
    if certificate is not None:
        _load_certificate(context, certificate, origin)
    return context


def _load_authority(context: ssl.SSLContext, authority: bytes, origin: str) -> None:
    try:
        context.load_verify_locations(cadata=authority.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError, ValueError) as error:
        raise ConfigError(f"{origin}: certificate-authority is not a PEM certificate") from error


def _load_certificate(context: ssl.SSLContext, pair: CertificatePair, origin: str) -> None:
    with _as_file(pair.certificate + b"\n" + pair.key) as path:
        try:
            # The empty password keeps OpenSSL from asking for one on the terminal.
            context.load_cert_chain(path, password="")
        except (ssl.SSLError, ValueError) as error:
            raise CredentialError(
                f"{origin}: the client certificate and its key do not load: they must be PEM, "
                "belong together and not be encrypted"
            ) from error


@contextmanager
def _as_file(content: bytes) -> Iterator[str]:
    """A path that OpenSSL can open (it takes no bytes); in memory where the system can do that."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("client-certificate")
        try:
            os.write(descriptor, content)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    descriptor, name = tempfile.mkstemp()  # readable by its owner only
    try:
        os.write(descriptor, content)
        yield name
    finally:
        os.close(descriptor)
        Path(name).unlink()
