"""Turns a user entry of a kubeconfig into credentials, or refuses it by name."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bridgehead.kube.config.cluster import pem
from bridgehead.kube.config.kubeconfig import Entry
from bridgehead.kube.config.values import (
    CertificatePair,
    ExecPlugin,
    Impersonation,
    NoToken,
    StaticToken,
    TokenFile,
    TokenSource,
    is_sendable,
)
from bridgehead.kube.errors import ConfigError

_KNOWN = {
    "client-certificate",
    "client-certificate-data",
    "client-key",
    "client-key-data",
    "token",
    "tokenFile",
    "as",
    "as-uid",
    "as-groups",
    "as-user-extra",
    "exec",
    "auth-provider",
    "username",
    "password",
    "extensions",
}
_EXEC_KNOWN = {
    "apiVersion",
    "command",
    "args",
    "env",
    "installHint",
    "provideClusterInfo",
    "interactiveMode",
}
EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")


class User(msgspec.Struct, frozen=True):
    """What a user entry says: how to prove who we are, and whom to act as."""

    tokens: TokenSource
    certificate: CertificatePair | None
    impersonation: Impersonation | None


def read_user(entry: Entry, cluster_info: dict[str, Any], environ: Mapping[str, str]) -> User:
    """Credentials of a user entry. The order of precedence is kubectl's.

    `tokenFile` wins over `token`, and a token wins over an exec plugin (client-go 1.37:
    `tools/clientcmd/client_config.go`, `plugin/pkg/client/auth/exec/exec.go`).
    """
    entry.refuse_unknown(_KNOWN)
    _refuse_unsupported(entry)
    certificate = _certificate(entry)
    return User(
        tokens=_tokens(entry, certificate, cluster_info, environ),
        certificate=certificate,
        impersonation=_impersonation(entry),
    )


def _refuse_unsupported(entry: Entry) -> None:
    provider = entry.fields.get("auth-provider")
    if provider:
        name = provider.get("name", "?") if isinstance(provider, dict) else "?"
        raise ConfigError(
            f"{entry} uses auth-provider {name!r}, which bridgehead does not implement; "
            "use an exec plugin instead, for OIDC e.g. `kubectl oidc-login` (kubelogin)"
        )
    for field in ("username", "password"):
        if entry.fields.get(field):
            raise ConfigError(
                f"{entry} uses {field} (basic authentication), which bridgehead does not "
                "implement; use a token, a client certificate or an exec plugin"
            )


def _tokens(
    entry: Entry,
    certificate: CertificatePair | None,
    cluster_info: dict[str, Any],
    environ: Mapping[str, str],
) -> TokenSource:
    token_file = entry.path("tokenFile")
    if token_file:
        return TokenFile(token_file, str(entry))
    token = entry.text("token").strip()
    if not is_sendable(token):
        raise ConfigError(f"{entry}: token has characters that no header may hold")
    if token:
        return StaticToken(token)
    plugin = entry.fields.get("exec")
    if plugin is not None:
        return _exec_plugin(entry, plugin, cluster_info, environ)
    if certificate:
        return NoToken()
    raise ConfigError(
        f"{entry} holds no credential, and bridgehead never sends anonymous requests; "
        "add a token, a client certificate or an exec plugin (`kubectl config set-credentials`)"
    )


def _certificate(entry: Entry) -> CertificatePair | None:
    certificate = pem(entry, "client-certificate")
    key = pem(entry, "client-key")
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing = "client-key" if key is None else "client-certificate"
        raise ConfigError(f"{entry} has one half of a client certificate: {missing} is missing")
    return CertificatePair(certificate, key)


def _exec_plugin(
    entry: Entry, plugin: Any, cluster_info: dict[str, Any], environ: Mapping[str, str]
) -> ExecPlugin:
    if not isinstance(plugin, dict):
        raise ConfigError(f"{entry}: exec must be a mapping")
    fields = Entry("exec of " + entry.kind, entry.name, plugin, entry.file)
    fields.refuse_unknown(_EXEC_KNOWN)
    version = fields.text("apiVersion")
    if version not in EXEC_VERSIONS:
        raise ConfigError(
            f"{fields} wants apiVersion {version!r}; "
            f"bridgehead implements {', '.join(EXEC_VERSIONS)}"
        )
    mode = fields.text("interactiveMode") or "IfAvailable"
    if mode not in ("Never", "IfAvailable", "Always"):
        raise ConfigError(
            f"{fields}: interactiveMode {mode!r} is none of Never, IfAvailable, Always"
        )
    command = fields.text("command")
    if not command:
        raise ConfigError(f"{fields} names no command")
    if "/" in command:  # client-go resolves only commands that have a folder part
        command = str(entry.file.parent / command)
    return ExecPlugin(
        owner=str(entry),
        api_version=version,
        command=command,
        args=fields.strings("args"),
        env=_variables(fields),
        environ=tuple(environ.items()),
        install_hint=fields.text("installHint"),
        interactive_mode=mode,
        cluster=cluster_info if fields.flag("provideClusterInfo") else None,
    )


def _variables(fields: Entry) -> tuple[tuple[str, str], ...]:
    listed = fields.fields.get("env") or []
    try:
        return tuple((str(item["name"]), str(item["value"])) for item in listed)
    except (KeyError, TypeError) as error:
        raise ConfigError(f"{fields}: env must be a list of name and value") from error


def _impersonation(entry: Entry) -> Impersonation | None:
    extra = entry.fields.get("as-user-extra") or {}
    if not isinstance(extra, dict) or not all(isinstance(value, list) for value in extra.values()):
        raise ConfigError(f"{entry}: as-user-extra must map names to lists of text")
    user = entry.text("as")
    given = [field for field in ("as-uid", "as-groups", "as-user-extra") if entry.fields.get(field)]
    if not user:
        if given:
            raise ConfigError(f"{entry} has {given[0]} without `as`, so nobody to act as")
        return None
    return Impersonation(
        user=user,
        groups=entry.strings("as-groups"),
        uid=entry.text("as-uid"),
        extra=tuple((str(key), tuple(map(str, values))) for key, values in extra.items()),
    )
