"""A wrong kubelet directory would be made instead of refused.

Finds: a device plugin whose hostPath of the kubelet's directory has the type DirectoryOrCreate, or
none. At /var/lib/kubelet/device-plugins, where every kubelet looks, it is only mentioned.

Why: on a node whose kubelet lives elsewhere the directory is made and stays empty. Nothing fails,
and the node never shows the resource.

Sure: with the type Directory the same node gets a FailedMount event that names the path.

Do: set hostPath.type to Directory.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import DEVICE_PLUGINS, Reach, kubelet_mounts
from bridgehead.core.findings.manifest import Fix, Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import text

_SILENT = ("", "DirectoryOrCreate")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        seen = set()
        for item in kubelet_mounts(plugin):
            kind = text(item.volume, "hostPath", "type")
            known = item.reach in (Reach.DEVICE_PLUGINS, Reach.REGISTRY)
            if not (known and item.is_host_path and kind in _SILENT) or item.volume_at in seen:
                continue
            seen.add(item.volume_at)
            path = (*item.volume_at, "hostPath", "type")
            said = f"has the type {kind}" if kind else "has no type"
            yield Violation(
                manifest=plugin,
                path=path,
                message=f"hostPath {item.host} {said}: where it is the wrong path, nothing fails",
                severity=Severity.INFO if item.host == DEVICE_PLUGINS else None,
                fix=Fix(
                    path=path,
                    value="Directory",
                    why_safe="the kubelet itself has made the directory before any pod starts",
                ),
            )


RULE = LintRule(
    name="kubelet-dir-type-hides-errors",
    severity=Severity.WARNING,
    references=("https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types",),
    check=_check,
)
