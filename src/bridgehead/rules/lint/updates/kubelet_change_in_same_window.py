"""A plugin is changed while its nodes are being upgraded.

Finds: a change to a device plugin whose nodes run different versions of the kubelet, with nodes of
the older version out of scheduling or NotReady: an upgrade under way.

Why: an upgraded node restarts its kubelet, which takes all devices away for a moment and may refuse
pods. If something is wrong afterwards, plugin and upgrade cannot be told apart, and a rollback of
the plugin repairs nothing that the upgrade did.

Sure: kubectl get nodes -L node-pool shows mixed versions and SchedulingDisabled.

Do: let the upgrade end first, and change the plugin in a window of its own.
"""

from collections.abc import Iterable

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import HELD_BY, Node
from bridgehead.core.model.version import version_in


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        live = standing(linted, plugin)
        if live is None or not template_changes(plugin, live.template):
            continue
        nodes = [node for node in eligible_nodes(linted, plugin) if version_in(node.kubelet)]
        known = {node.kubelet: version_in(node.kubelet) or () for node in nodes}
        versions = sorted(known, key=lambda kubelet: known[kubelet])
        moving = [node.name for node in nodes if _away(node) and node.kubelet != versions[-1]]
        if len(versions) > 1 and moving:
            yield Violation(
                manifest=plugin,
                path=("spec", "template"),
                message=f"its nodes run the kubelets {', '.join(versions)}, and {few(moving)} of"
                " the older ones are out of scheduling: an upgrade is under way",
                confidence=Confidence.MEDIUM,
            )


def _away(node: Node) -> bool:
    """Cordoned by somebody else, or not answering."""
    return (node.unschedulable and HELD_BY not in node.annotations) or node.ready is not True


RULE = LintRule(
    name="kubelet-change-in-same-window",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=("kubernetes#114422", "kubernetes#118559", "kubernetes#102880"),
    needs=frozenset({Need.DAEMON_SETS, Need.NODES}),
    check=_check,
)
