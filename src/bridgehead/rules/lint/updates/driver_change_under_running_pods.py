"""A driver or a container toolkit is changed under pods that use its devices.

Finds: a change of the images of a driver or toolkit DaemonSet, while pods on its nodes hold devices
that a plugin offers, or mount device files of the node.

Why: the kernel module cannot be unloaded while it is in use, so the new driver pod crash-loops; or
it is replaced, and pods keep mounts of the old one and break later.

Sure: lsmod on the node shows the module's use count; the driver pod says "driver is in use".

Do: free the node of such pods first, those without a device request and DaemonSets included.
"""

from collections.abc import Iterable

from bridgehead.core.components.operands import operand_of
from bridgehead.core.components.resources import offered_by
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation, component_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing
from bridgehead.core.model.pod import Pod

_OWN = frozenset({"net", "net/tun", "shm", "log"})
"""Names below /dev that belong to no device driver."""


def _check(linted: Linted) -> Iterable[Violation]:
    assert linted.cluster is not None
    offered = _offered(linted.cluster)
    for manifest in linted.of_kind("DaemonSet"):
        live = standing(linted, manifest)
        what = operand_of(manifest.ref.name, manifest.template)
        changed = live is not None and component_of(manifest).images != live.images
        if what is None or live is None or not changed:
            continue
        where = {node.name for node in eligible_nodes(linted, manifest)}
        users = [
            pod
            for pod in linted.cluster.snapshot.pods
            if pod.node in where and _uses(pod, offered) and pod.owner_name != live.name
        ]
        if users:
            nodes = sorted({pod.node for pod in users})
            yield Violation(
                manifest=manifest,
                path=("spec", "template"),
                message=f"the {what.value} changes on {few(nodes)} under pods that use its devices:"
                f" {few(sorted(pod.ref for pod in users))}",
            )


def _offered(cluster: Observed) -> frozenset[str]:
    snapshot = cluster.snapshot
    found = offered_by(snapshot.components, snapshot.nodes, snapshot.pods)
    return frozenset(name for offer in found.values() for name in offer.resources)


def _uses(pod: Pod, offered: frozenset[str]) -> bool:
    if not pod.bound or pod.terminal:
        return False
    if any(count and name in offered for name, count in pod.requests.items()):
        return True
    below = (path.removeprefix("/dev/") for path in pod.host_paths if path.startswith("/dev/"))
    return pod.owner_kind != "DaemonSet" and any(name not in _OWN for name in below)


RULE = LintRule(
    name="driver-change-under-running-pods",
    severity=Severity.WARNING,
    references=("gpu-operator#2509", "gpu-operator#2166", "gpu-operator#2570"),
    needs=frozenset({Need.DAEMON_SETS, Need.NODES, Need.PODS}),
    check=_check,
)
