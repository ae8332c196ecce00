"""The plugin also runs on nodes without its devices, and ends where it finds none.

Finds: a plugin that ends when it cannot initialise, and eligible nodes without any label that hints
at its family's hardware, while other eligible nodes have such a label.

Why: crash loops on the nodes without a device; the DaemonSet never becomes fully ready, and
whatever waits for that never goes on.

Sure: the labels are hints; a node whose device the labelling tool does not know looks the same.

Do: restrict the plugin by nodeSelector or affinity to nodes with the device.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.init_choices import init_choices
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        family = family_of(plugin.template)
        choices = [item.ends for item in init_choices(linted, plugin)]
        if not any(choices) and None not in choices:
            continue
        nodes = eligible_nodes(linted, plugin)
        hinted = {node.name for node in nodes if family.hints_in(node.labels)}
        bare = [
            node
            for node in nodes
            if node.name not in hinted
            and not any(
                family.offers(name) and offer.capacity for name, offer in node.offers.items()
            )
        ]
        if hinted and bare and not any(choices):
            yield Doubt(
                why=f"whether {plugin.ref} ends on nodes without a device such as {bare[0].name}:"
                " what decides that is not among the files"
            )
        elif hinted and bare:
            yield Violation(
                manifest=plugin,
                path=POD_SPEC,
                message=f"{len(bare)} of {len(nodes)} nodes show no {family.name} device, such as "
                f"{bare[0].name}: the plugin would crash there again and again",
                node=bare[0].name,
                evidence=(Evidence(f"labels of node {bare[0].name}", "no label of the family"),),
            )


RULE = LintRule(
    name="eligible-node-without-device",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=("NVIDIA#17", "eksctl-io/eksctl#2329", "ROCm#175", "intel#372"),
    needs=frozenset({Need.NODES}),
    check=_check,
)
