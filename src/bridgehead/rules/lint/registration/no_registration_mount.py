"""A device plugin mounts no directory in which plugins register.

Finds: a DaemonSet of a known family of device plugins of which no container mounts
/var/lib/kubelet/device-plugins, /var/lib/kubelet/plugins_registry or a parent of either. Other
directories below /var/lib/kubelet do not count.

Why: the plugin serves its socket in its own file system. The kubelet never sees it, the node never
shows the resource, and the pod may be Ready all the same.

Sure: kubectl get daemonset -o yaml shows volumes and volumeMounts; an exporter or a feature
discovery from the vendor's other images needs no such mount.

Do: mount the host's directory /var/lib/kubelet/device-plugins at the same path.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        if not kubelet_mounts(plugin):
            yield Violation(
                manifest=plugin,
                path=("spec", "template", "spec", "containers"),
                message="no container mounts /var/lib/kubelet/device-plugins: "
                "the kubelet never sees this plugin",
            )


RULE = LintRule(
    name="no-registration-mount",
    severity=Severity.ERROR,
    references=(
        "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    check=_check,
)
