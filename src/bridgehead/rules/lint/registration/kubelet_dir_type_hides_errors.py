"""A wrong kubelet directory would be made instead of refused.

Finds: a device plugin whose hostPath of plugins_registry has the type DirectoryOrCreate, or none.
At /var/lib/kubelet/device-plugins, where every kubelet looks, it is only mentioned. A path that is
not the kubelet's own is left to the rules about moved directories.

Why: on a node whose kubelet lives elsewhere the directory is made and stays empty. Nothing fails,
and the node never shows the resource.

Sure: with the type Directory the same node gets a FailedMount event that names the path.

Do: set hostPath.type to Directory; for plugins_registry see first that the kubelet's root is the
directory above it. --fix does it only where a CSI driver of the cluster shows that.
"""

import posixpath
from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import (
    DEVICE_PLUGINS,
    REGISTRY,
    REGISTRY_NAME,
    kubelet_mounts,
)
from bridgehead.core.findings.manifest import Fix, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.kubelet_root import kubelet_roots, root_is_usual
from bridgehead.core.model.json import text

_SILENT = ("", "DirectoryOrCreate")
_WHY_SAFE = "the kubelet itself has made the directory before any pod starts"


def _check(linted: Linted) -> Iterable[Violation]:
    moved, usual = _roots(linted)
    for plugin in linted.plugins:
        seen = set()
        for item in kubelet_mounts(plugin):
            kind = text(item.volume, "hostPath", "type")
            if kind not in _SILENT or item.volume_at in seen:
                continue
            if not _is_the_kubelets(item.volume_path, moved):
                continue
            seen.add(item.volume_at)
            path = (*item.volume_at, "hostPath", "type")
            said = f"has the type {kind}" if kind else "has no type"
            constant = item.volume_path == DEVICE_PLUGINS
            safe = constant or (usual and item.volume_path == REGISTRY)
            yield Violation(
                manifest=plugin,
                path=path,
                message=f"hostPath {item.volume_path} {said}: where it is the wrong path,"
                " nothing fails",
                remedy="set hostPath.type to Directory." if safe else "",
                severity=Severity.INFO if constant else None,
                fix=Fix(path=path, value="Directory", why_safe=_WHY_SAFE) if safe else None,
            )


def _is_the_kubelets(path: str, moved: frozenset[str]) -> bool:
    """device-plugins is a constant; plugins_registry is below a root that may be any directory."""
    if posixpath.basename(path) != REGISTRY_NAME:
        return path == DEVICE_PLUGINS
    return not moved or posixpath.dirname(path) in moved


def _roots(linted: Linted) -> tuple[frozenset[str], bool]:
    """Where else than usual kubelets live, and whether it is known that none lives elsewhere."""
    if linted.cluster is None:
        return frozenset(), False
    nodes, sets = linted.cluster.snapshot.nodes, linted.cluster.of_kind("DaemonSet")
    moved = frozenset(item.path for item in kubelet_roots(nodes, sets))
    read = linted.cluster.has(Need.NODES) and linted.cluster.has(Need.DAEMON_SETS)
    return moved, read and not moved and root_is_usual(sets)


RULE = LintRule(
    name="kubelet-dir-type-hides-errors",
    severity=Severity.WARNING,
    references=("https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types",),
    helped_by=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)
