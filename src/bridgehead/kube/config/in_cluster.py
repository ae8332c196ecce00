"""The service account of the pod that we run in.

Source: Kubernetes documentation, "Accessing the Kubernetes API from a Pod".
"""

from collections.abc import Mapping
from pathlib import Path

from bridgehead.kube.config.values import Connection, ServerTrust, TokenFile
from bridgehead.kube.errors import ConfigError

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def is_in_cluster(environ: Mapping[str, str], folder: Path = SERVICE_ACCOUNT) -> bool:
    """Whether the kubelet gave this process an API server and a token."""
    return bool(environ.get("KUBERNETES_SERVICE_HOST")) and (folder / "token").exists()


def in_cluster(environ: Mapping[str, str], folder: Path = SERVICE_ACCOUNT) -> Connection:
    """The connection that the kubelet describes. The token file is rotated, so it is re-read."""
    host = environ["KUBERNETES_SERVICE_HOST"]
    port = environ.get("KUBERNETES_SERVICE_PORT", "443")
    try:
        authority = (folder / "ca.crt").read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {folder / 'ca.crt'}: {error.strerror}") from error
    try:
        namespace = (folder / "namespace").read_text().strip()
    except OSError:
        namespace = "default"
    return Connection(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        origin=f"service account in {folder}",
        tokens=TokenFile(folder / "token", f"service account in {folder}"),
        trust=ServerTrust(ca=authority),
        namespace=namespace or "default",
        compress=False,  # the API server is next door: decompressing costs more than it saves
    )
