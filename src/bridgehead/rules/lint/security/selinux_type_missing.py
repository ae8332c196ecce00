"""A device plugin has no SELinux type of its own on nodes that enforce SELinux.

Finds: a plugin's container that is neither privileged nor given a seLinuxOptions type, on eligible
nodes whose OS image is of the Red Hat or Fedora family.

Why: the default type of containers may neither write the kubelet's directory nor connect to a
kubelet with another label: "permission denied" although the process is root.

Sure: getenforce on such a node; where it says Permissive or Disabled, nothing is denied.

Do: set seLinuxOptions.type to container_device_plugin_t (newer policies have it); privileged is the
last resort.
"""

import re
from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import secured
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import text

_ENFORCING = re.compile(r"Red Hat|RHEL|Fedora|CentOS|Rocky|AlmaLinux|Oracle Linux", re.IGNORECASE)


def _check(linted: Linted) -> Iterable[Violation]:
    if linted.cluster is None:
        return
    nodes = sorted(linted.cluster.snapshot.nodes, key=lambda node: node.name)
    enforcing = [node for node in nodes if _ENFORCING.search(node.os_image)]
    for plugin in linted.plugins:
        eligible = [node for node in enforcing if not misfit(plugin.template, node)]
        registering = {item.container for item in kubelet_mounts(plugin)}
        for item in secured(plugin):
            options = item.setting("seLinuxOptions").value
            if item.name not in registering or item.privileged or text(options, "type"):
                continue
            if eligible:
                first = eligible[0]
                yield Violation(
                    manifest=plugin,
                    path=item.at,
                    message=f"container {item.name} has no SELinux type, and {len(eligible)} of "
                    f"its nodes run {first.os_image}",
                    node=first.name,
                    evidence=(Evidence(f"status of node {first.name}", first.os_image),),
                )


RULE = LintRule(
    name="selinux-type-missing",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=(
        "intel#1628",
        "kubernetes#73240",
        "sriov#51",
        "intel/intel-technology-enabling-for-openshift#113",
    ),
    needs=frozenset({Need.NODES}),
    check=_check,
)
