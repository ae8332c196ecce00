"""The kubelet's directory does not come from the host.

Finds: a device plugin whose mount of device-plugins or plugins_registry is an emptyDir, a claim or
any other volume that is not a hostPath.

Why: the plugin makes its socket where the kubelet cannot see it. The pod is Ready, the node shows
nothing.

Sure: look at the volume of that mount; only a hostPath reaches the kubelet.

Do: make the volume a hostPath of the same directory, type Directory.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for item in kubelet_mounts(plugin):
            if not item.is_host_path:
                yield Violation(
                    manifest=plugin,
                    path=item.volume_at,
                    message=f"{item.inside} of container {item.container} is of the sort "
                    f"{item.kind}: the kubelet cannot see what is in it",
                )


RULE = LintRule(
    name="kubelet-dir-not-from-host",
    severity=Severity.ERROR,
    references=(
        "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    check=_check,
)
