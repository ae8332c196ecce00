"""A connection as a value: where the server is, how it is trusted, who we are there.

Values that hold secrets hide them from `repr`, since values end up in logs and tracebacks.
"""

from pathlib import Path
from typing import Any

import msgspec


def is_sendable(text: str) -> bool:
    """Whether a header can carry the text: printable ASCII, so no line end and no second header."""
    return text.isascii() and (text.isprintable() or not text)


class CertificatePair(msgspec.Struct, frozen=True):
    """A client certificate (with its chain) and its key, both PEM."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "CertificatePair(<hidden>)"


class StaticToken(msgspec.Struct, frozen=True):
    """A bearer token written in the kubeconfig."""

    token: str

    def __repr__(self) -> str:
        return "StaticToken(<hidden>)"


class TokenFile(msgspec.Struct, frozen=True):
    """A bearer token in a file that somebody else rotates; `owner` names the entry in errors."""

    path: Path
    owner: str


class ExecPlugin(msgspec.Struct, frozen=True):
    """A program that prints an ExecCredential (`client.authentication.k8s.io`)."""

    owner: str
    """The user entry and its file, for error texts."""
    api_version: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    environ: tuple[tuple[str, str], ...] = ()
    """The environment that the plugin inherits, read once when the config was loaded."""
    install_hint: str = ""
    interactive_mode: str = "IfAvailable"
    """`Never`, `IfAvailable` or `Always`: whether the plugin may ask the user questions."""
    cluster: dict[str, Any] | None = None
    """Sent as `spec.cluster` when the entry says `provideClusterInfo`."""

    def __repr__(self) -> str:
        return f"ExecPlugin({self.command!r}, {self.owner!r})"


class NoToken(msgspec.Struct, frozen=True):
    """No bearer token: a client certificate speaks for us, or a proxy on this machine does."""


TokenSource = StaticToken | TokenFile | ExecPlugin | NoToken


class Impersonation(msgspec.Struct, frozen=True):
    """Act as somebody else; the server checks that the credential may."""

    user: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()


class ServerTrust(msgspec.Struct, frozen=True):
    """How the server proves itself. Without `ca` the system's authorities are trusted."""

    ca: bytes | None = None
    server_name: str | None = None
    """Name to send and to verify instead of the host of the URL (`tls-server-name`)."""
    insecure: bool = False


class Connection(msgspec.Struct, frozen=True):
    """Everything that is needed to speak to one API server as one user."""

    server: str
    """Base URL without a slash at its end; may have a path."""
    origin: str
    """Where this comes from, e.g. `context prod of /home/me/.kube/config`, for error texts."""
    tokens: TokenSource
    trust: ServerTrust = ServerTrust()
    certificate: CertificatePair | None = None
    impersonation: Impersonation | None = None
    namespace: str = "default"
    proxy: str | None = None
    compress: bool = True
    """Ask for gzip; off on request (`disable-compression`) and where the link is fast."""
