"""Finds the connection that `kubectl` would use: --kubeconfig, KUBECONFIG, home, in-cluster."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from bridgehead.kube.config.cluster import Cluster, read_cluster
from bridgehead.kube.config.in_cluster import SERVICE_ACCOUNT, in_cluster, is_in_cluster
from bridgehead.kube.config.kubeconfig import Entry, Kubeconfig, read_kubeconfig
from bridgehead.kube.config.proxy import is_loopback, proxy_from_environment
from bridgehead.kube.config.user import User, read_user
from bridgehead.kube.config.values import Connection, NoToken
from bridgehead.kube.errors import ConfigError, NoKubeconfig, NoSuchContext


def load_config(
    kubeconfig: Path | None = None,
    context: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    service_account: Path = SERVICE_ACCOUNT,
) -> Connection:
    """The connection to use; raises ConfigError with the file, the contexts and the next command.

    `kubeconfig` and `context` have the meaning of kubectl's options. Inside a pod, and with neither
    option nor file, the pod's service account is used.
    """
    environ = os.environ if environ is None else environ
    candidates = _candidates(kubeconfig, environ)
    files = [path for path in candidates if path.exists()]
    if kubeconfig is not None and not files:
        raise NoKubeconfig(
            f"the kubeconfig {kubeconfig} does not exist; name another one with --kubeconfig"
        )
    if not files and context is None and is_in_cluster(environ, service_account):
        return in_cluster(environ, service_account)
    if not files:
        looked = ", ".join(str(path) for path in candidates)
        raise NoKubeconfig(
            f"no kubeconfig: {looked} does not exist; "
            "name one with --kubeconfig or the variable KUBECONFIG"
        )
    merged = read_kubeconfig(files)
    return _connection(merged, _context(merged, context), environ)


def _candidates(kubeconfig: Path | None, environ: Mapping[str, str]) -> list[Path]:
    if kubeconfig is not None:
        return [kubeconfig]
    listed = [Path(name) for name in environ.get("KUBECONFIG", "").split(os.pathsep) if name]
    home = environ.get("HOME")
    return listed or [(Path(home) if home else Path.home()) / ".kube" / "config"]


def _context(merged: Kubeconfig, wanted: str | None) -> Entry:
    name = wanted or merged.current_context
    known = ", ".join(sorted(merged.contexts)) or "none"
    if not name:
        raise NoSuchContext(
            f"{merged.named} has no current context; it has: {known}. "
            "Choose one with --context, or with `kubectl config use-context NAME`"
        )
    if name not in merged.contexts:
        raise NoSuchContext(
            f"{merged.named} has no context {name!r}; it has: {known}. "
            "Choose one with --context; `kubectl config get-contexts` shows them"
        )
    return merged.contexts[name]


def _connection(merged: Kubeconfig, context: Entry, environ: Mapping[str, str]) -> Connection:
    context.refuse_unknown({"cluster", "user", "namespace", "extensions"})
    cluster_entry = _referenced(context, "cluster", merged.clusters)
    cluster = read_cluster(cluster_entry)
    host = urlsplit(cluster.server).hostname or ""
    if cluster.server.startswith("http://") and not is_loopback(host):
        raise ConfigError(
            f"{cluster_entry}: refusing to send credentials to {cluster.server} in clear"
        )
    user = _user(merged, context, cluster, environ)
    return Connection(
        server=cluster.server,
        origin=f"context {context.name} of {merged.named}",
        tokens=user.tokens,
        trust=cluster.trust,
        certificate=user.certificate,
        impersonation=user.impersonation,
        namespace=context.text("namespace") or "default",
        proxy=cluster.proxy or proxy_from_environment(cluster.server, environ),
        compress=cluster.compress and not is_loopback(host),
    )


def _user(merged: Kubeconfig, context: Entry, cluster: Cluster, environ: Mapping[str, str]) -> User:
    if cluster.server.startswith("http://") and not context.text("user"):
        # A proxy on this machine (`kubectl proxy`) adds the credential itself.
        return User(tokens=NoToken(), certificate=None, impersonation=None)
    return read_user(_referenced(context, "user", merged.users), cluster.info, environ)


def _referenced(context: Entry, kind: str, entries: dict[str, Entry]) -> Entry:
    name = context.text(kind)
    if name in entries:
        return entries[name]
    known = ", ".join(sorted(entries)) or "none"
    raise ConfigError(
        f"{context} refers to the {kind} {name!r}, which does not exist; there are: {known}"
    )
