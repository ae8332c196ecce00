"""The directory in which the plugin registers is mounted read-only.

Finds: a device plugin of which every mount of device-plugins, plugins_registry or a parent has
readOnly: true.

Why: the plugin cannot make its socket, so it crashes or never registers.

Sure: a second container that only looks (a metrics reader, a check) may mount it read-only; the
plugin's own container may not.

Do: remove readOnly from that mount.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        mounts = kubelet_mounts(plugin)
        if mounts and all(item.mount.get("readOnly") is True for item in mounts):
            first = mounts[0]
            yield Violation(
                manifest=plugin,
                path=(*first.mount_at, "readOnly"),
                message=f"container {first.container} mounts {first.inside} read-only: "
                "it cannot make its socket there",
            )


RULE = LintRule(
    name="registration-mount-read-only",
    severity=Severity.ERROR,
    references=(
        "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    check=_check,
)
