"""The device-plugins directory is mounted from another place of the host.

Finds: a device plugin whose hostPath of device-plugins is not /var/lib/kubelet/device-plugins. It
is an error where its last part is no device-plugins, as no kubelet has such a directory, and where
the cluster's distribution is known to keep the usual path; else a warning.

Why: the kubelet's device-plugins directory is a constant that does not follow --root-dir (up to and
including 1.37). The plugin serves in a directory at which no kubelet looks.

Sure: ls /var/lib/kubelet/device-plugins/kubelet.sock on the node; if it is a link to the other
place, or a patched kubelet follows its root, the mount is right.

Do: mount /var/lib/kubelet/device-plugins.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import DEVICE_PLUGINS, Reach, kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.kubelet_root import kubelet_roots
from bridgehead.core.journal.entry import Evidence


def _check(linted: Linted) -> Iterable[Violation]:
    roots = _roots(linted)
    for plugin in linted.plugins:
        seen = set()
        for item in kubelet_mounts(plugin):
            if item.reach is not Reach.DEVICE_PLUGINS or item.host in ("", DEVICE_PLUGINS):
                continue
            if item.volume_at in seen:
                continue
            seen.add(item.volume_at)
            basis = roots.get(item.host.removesuffix("/device-plugins"))
            yield Violation(
                manifest=plugin,
                path=(*item.volume_at, "hostPath", "path"),
                message=f"{item.host} is not where kubelets look for device plugins: "
                f"that is {DEVICE_PLUGINS}, wherever their root directory is",
                severity=Severity.ERROR if basis or _is_misspelt(item.host) else None,
                evidence=(Evidence("cluster", basis),) if basis else (),
            )


def _is_misspelt(host: str) -> bool:
    """Whether it is below no kubelet's root, moved or not."""
    return host.rstrip("/").rpartition("/")[2] != DEVICE_PLUGINS.rpartition("/")[2]


def _roots(linted: Linted) -> dict[str, str]:
    """Moved roots of known distributions: of those it is known that the constant holds."""
    if linted.cluster is None:
        return {}
    nodes, sets = linted.cluster.snapshot.nodes, linted.cluster.of_kind("DaemonSet")
    return {it.path: it.basis for it in kubelet_roots(nodes, sets) if it.known_distribution}


RULE = LintRule(
    name="device-plugins-dir-relocated",
    severity=Severity.WARNING,
    references=("kubernetes#120626", "kubernetes PR#138986"),
    helped_by=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)
