"""The plugin would run on fewer nodes than it does, or on none.

Finds: a plugin's DaemonSet whose template fits no node of the cluster, or does not fit nodes that
the DaemonSet of the same name fits as it stands.

Why: the controller deletes the pods of these nodes at once, whatever the update strategy, and says
nothing. Their devices are gone with the pods.

Sure: the first condition that each node fails is named. A node pool that is scaled to zero has no
node to match; then the first case is no fault. Where the DaemonSet that stands fits no node either,
nothing changes, and it is a warning.

Do: label the nodes, correct the affinity, or add the toleration, before the change.
"""

from collections.abc import Iterable

from bridgehead.core.findings.eligible import eligible_nodes, nodes_of, why_not
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.findings.standing import few, standing
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.node import Node

_SHOWN = 3


def _check(linted: Linted) -> Iterable[Violation]:
    nodes = nodes_of(linted)
    for plugin in linted.plugins:
        fits = eligible_nodes(linted, plugin)
        live = standing(linted, plugin)
        lost = [
            node
            for node in nodes
            if live is not None
            and not misfit(live.template, node)
            and misfit(plugin.template, node)
        ]
        if lost:
            yield _violation(plugin, lost, f"{len(lost)} nodes would lose the plugin")
        elif nodes and not fits:
            none = f"none of {len(nodes)} nodes fits"
            as_before = Severity.WARNING if live is not None else None
            yield _violation(plugin, list(nodes), none, as_before)


def _violation(
    plugin: Manifest, nodes: list[Node], what: str, severity: Severity | None = None
) -> Violation:
    shown = few([node.name for node in nodes], _SHOWN)
    return Violation(
        manifest=plugin,
        path=POD_SPEC,
        message=f"{what}: {shown}: {why_not(plugin.template, nodes[0])}",
        node=nodes[0].name,
        severity=severity,
        evidence=tuple(
            Evidence(f"node {node.name}", why_not(plugin.template, node)) for node in nodes[:_SHOWN]
        ),
    )


RULE = LintRule(
    name="eligible-nodes-lost",
    severity=Severity.ERROR,
    references=(
        "siderolabs/talos#12103",
        "NVIDIA#708",
        "NVIDIA#1213",
        "gpu-op#78",
        "gpu-op#1469",
        "aws/eks-charts#1348",
    ),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)
