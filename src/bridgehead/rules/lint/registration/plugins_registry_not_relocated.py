"""The plugin registry is mounted from the usual place although the kubelet's root is elsewhere.

Finds: a device plugin that registers through /var/lib/kubelet/plugins_registry in a cluster whose
kubelets have another root directory, as a CSI driver's mounts or the distribution show.

Why: plugins_registry follows --root-dir. The kubelet watches another directory than the one in
which the plugin waits; the opposite of the device-plugins directory, which never moves.

Sure: the host paths of a CSI node DaemonSet of the same cluster name the kubelet's true root.

Do: mount plugins_registry below that root at the same path inside.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import REGISTRY, Reach, kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.kubelet_root import kubelet_roots
from bridgehead.core.journal.entry import Evidence


def _check(linted: Linted) -> Iterable[Violation]:
    if linted.cluster is None:
        return
    cluster = linted.cluster
    roots = kubelet_roots(cluster.snapshot.nodes, cluster.of_kind("DaemonSet"))
    for plugin in linted.plugins:
        for item in kubelet_mounts(plugin):
            if not roots or item.reach is not Reach.REGISTRY or item.host != REGISTRY:
                continue
            root = roots[0]
            yield Violation(
                manifest=plugin,
                path=(*item.volume_at, "hostPath", "path"),
                message=f"kubelets here live in {root.path}: they watch "
                f"{root.path}/plugins_registry, not {REGISTRY}",
                remedy=f"mount {root.path}/plugins_registry at the same path",
                severity=Severity.ERROR if root.known_distribution else None,
                evidence=(Evidence("cluster", root.basis),),
            )


RULE = LintRule(
    name="plugins-registry-not-relocated",
    severity=Severity.WARNING,
    references=("sriov#586",),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)
