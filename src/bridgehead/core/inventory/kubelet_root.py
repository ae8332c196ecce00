"""Where the kubelets of a cluster live, as far as that can be told from outside.

The API does not say it. CSI drivers must mount the kubelet's pods directory, so their host paths
tell the root; and some distributions are known by their kubelet's version or OS image.
"""

import posixpath
from collections.abc import Iterable

import msgspec

from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.node import Node

USUAL = "/var/lib/kubelet"
_REGISTRY = "plugins_registry"


class KubeletRoot(msgspec.Struct, frozen=True):
    """A root directory that is not the usual one, and what it was concluded from."""

    path: str
    basis: str
    known_distribution: str = ""
    """The distribution that moves it, where it is known by name."""


# Source: https://microk8s.io/docs/explain-services (kubelet args), k0s: --data-dir /var/lib/k0s
# (https://docs.k0sproject.io/stable/worker-node-config/).
_DISTRIBUTIONS = (
    ("microk8s", "/var/snap/microk8s/common/var/lib/kubelet"),
    ("k0s", "/var/lib/k0s/kubelet"),
)


def kubelet_roots(
    nodes: Iterable[Node], daemon_sets: Iterable[JsonObject]
) -> tuple[KubeletRoot, ...]:
    """Roots other than the usual one that something in the cluster speaks for, sorted by path."""
    found = {item.path: item for item in _by_storage(daemon_sets)}
    for node in nodes:
        for name, path in _DISTRIBUTIONS:
            if name in node.kubelet or any(name in label for label in node.labels):
                basis = f"node {node.name} is of {name}"
                found[path] = KubeletRoot(path, basis, known_distribution=name)
    return tuple(found[path] for path in sorted(found))


def root_is_usual(daemon_sets: Iterable[JsonObject]) -> bool:
    """Whether a CSI driver of the cluster shows the usual root; nothing that does is no proof."""
    return any(root == USUAL for _, root in _of_storage(daemon_sets))


def _by_storage(daemon_sets: Iterable[JsonObject]) -> Iterable[KubeletRoot]:
    for name, root in _of_storage(daemon_sets):
        if root != USUAL:
            mounts = f"mounts {root}/{_REGISTRY} and the pods of {root}"
            yield KubeletRoot(root, f"DaemonSet {name} {mounts}")


def _of_storage(daemon_sets: Iterable[JsonObject]) -> Iterable[tuple[str, str]]:
    """A CSI driver mounts ``ROOT/pods`` and registers in ``ROOT/plugins_registry``."""
    for item in daemon_sets:
        name = f"{text(item, 'metadata', 'namespace')}/{text(item, 'metadata', 'name')}"
        paths = {
            posixpath.normpath(text(volume, "hostPath", "path"))
            for volume in children(item, "spec", "template", "spec", "volumes")
            if text(volume, "hostPath", "path")
        }
        for path in sorted(paths):
            root = posixpath.dirname(path)
            if posixpath.basename(path) == _REGISTRY and (f"{root}/pods" in paths or root in paths):
                yield name, root
