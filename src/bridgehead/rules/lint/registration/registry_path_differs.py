"""The kubelet's plugin registry has another path inside the container than on the host.

Finds: a device plugin that mounts plugins_registry from the host at another path.

Why: through this directory a plugin announces the path of its socket as it sees it itself, and the
kubelet dials that path on the host, where nothing is.

Sure: the kubelet's log names the path that it could not dial. The device-plugins directory is
milder: there only the file's name is announced.

Do: mount the directory at the same path inside and outside.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import Reach, kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for item in kubelet_mounts(plugin):
            if item.reach is Reach.REGISTRY and item.host and item.host != item.inside:
                yield Violation(
                    manifest=plugin,
                    path=(*item.mount_at, "mountPath"),
                    message=f"{item.host} of the host is {item.inside} in container "
                    f"{item.container}: the kubelet will dial the wrong path",
                    remedy=f"set mountPath to {item.host}",
                )


RULE = LintRule(
    name="registry-path-differs",
    severity=Severity.ERROR,
    references=("rdma#96", "sriov#586"),
    check=_check,
)
