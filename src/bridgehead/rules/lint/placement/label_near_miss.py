"""A node has the label that the plugin asks for, in another shape.

Finds: a plugin whose selector or affinity asks for a label that no node has, while nodes carry one
that says the same: another composition of Node Feature Discovery's PCI label, another domain,
another letter case, another word for true.

Why: the plugin passes these nodes by, silently.

Sure: kubectl get nodes --show-labels. Where other nodes have the label as asked for, the likeness
may be on purpose, and nothing is said.

Do: ask for the label that the nodes have, or set deviceLabelFields of Node Feature Discovery so
that it writes the shape that is asked for.
"""

from collections.abc import Iterable

from bridgehead.core.findings.eligible import nodes_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.inventory.nearest_label import same_in_another_shape
from bridgehead.core.inventory.placement import label_conditions
from bridgehead.core.journal.entry import Evidence


def _check(linted: Linted) -> Iterable[Violation]:
    nodes = nodes_of(linted)
    for plugin in linted.plugins:
        for asked in label_conditions(plugin.template):
            if not asked.positive or any(asked.matches(node.labels) for node in nodes):
                continue
            near = [
                (node, label)
                for node in nodes
                for label in same_in_another_shape(asked, node.labels)
            ]
            if near:
                node, label = near[0]
                yield Violation(
                    manifest=plugin,
                    path=POD_SPEC,
                    message=f"no node has {asked}; node {node.name} has {label}",
                    remedy=f"ask for {label}, or let its writer write what is asked for",
                    node=node.name,
                    evidence=(Evidence(f"labels of node {node.name}", label),),
                )


RULE = LintRule(
    name="label-near-miss",
    severity=Severity.WARNING,
    references=("NVIDIA#1213", "https://nfd.sigs.k8s.io/usage/features"),
    needs=frozenset({Need.NODES}),
    check=_check,
)
