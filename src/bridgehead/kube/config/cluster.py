"""Turns a cluster entry of a kubeconfig into an address and the way to trust it."""

import base64
import binascii
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bridgehead.kube.config.kubeconfig import Entry
from bridgehead.kube.config.values import ServerTrust
from bridgehead.kube.errors import ConfigError

_KNOWN = {
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority",
    "certificate-authority-data",
    "proxy-url",
    "disable-compression",
    "extensions",
}
_EXEC_EXTENSION = "client.authentication.k8s.io/exec"


class Cluster(msgspec.Struct, frozen=True):
    """What a cluster entry says."""

    server: str
    trust: ServerTrust
    proxy: str | None
    compress: bool
    info: dict[str, Any]
    """`spec.cluster` of an ExecCredential, for plugins that ask for it."""


def read_cluster(entry: Entry) -> Cluster:
    """Address and trust of a cluster entry."""
    entry.refuse_unknown(_KNOWN)
    server = entry.text("server").rstrip("/")
    parts = urlsplit(server)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ConfigError(
            f"{entry}: server must be a URL such as https://host:6443, not {server!r}"
        )
    if parts.username or parts.password:
        raise ConfigError(f"{entry}: server must not hold a user name or password")
    insecure = entry.flag("insecure-skip-tls-verify")
    authority = pem(entry, "certificate-authority")
    if insecure and authority is not None:
        raise ConfigError(
            f"{entry} has both insecure-skip-tls-verify and a certificate-authority: keep one"
        )
    trust = ServerTrust(
        ca=authority, server_name=entry.text("tls-server-name") or None, insecure=insecure
    )
    compress = not entry.flag("disable-compression")
    return Cluster(server, trust, _proxy(entry), compress, _exec_info(entry, server, trust))


def pem(entry: Entry, field: str) -> bytes | None:
    """Content of a certificate or key: `FIELD-data` (base64) wins over the file `FIELD`."""
    data = entry.text(f"{field}-data")
    if data:
        try:
            return base64.b64decode(data, validate=True)
        except binascii.Error:
            raise ConfigError(f"{entry}: {field}-data is not base64") from None
    path = entry.path(field)
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{entry}: cannot read {field} {path}: {error.strerror}") from error


def _proxy(entry: Entry) -> str | None:
    url = entry.text("proxy-url")
    if not url:
        return None
    scheme = urlsplit(url).scheme
    if scheme == "http":
        return url
    # The URL may hold a password, so the text names its scheme only.
    raise ConfigError(
        f"{entry} has a proxy-url of scheme {scheme!r}, which bridgehead does not implement; "
        "use an http proxy"
    )


def _exec_info(entry: Entry, server: str, trust: ServerTrust) -> dict[str, Any]:
    info: dict[str, Any] = {"server": server}
    if trust.ca is not None:
        info["certificate-authority-data"] = base64.b64encode(trust.ca).decode()
    if trust.server_name:
        info["tls-server-name"] = trust.server_name
    if trust.insecure:
        info["insecure-skip-tls-verify"] = True
    for field in ("proxy-url", "disable-compression"):
        if entry.fields.get(field):
            info[field] = entry.fields[field]
    for extension in entry.fields.get("extensions") or []:
        if isinstance(extension, dict) and extension.get("name") == _EXEC_EXTENSION:
            info["config"] = extension.get("extension")
    return info
