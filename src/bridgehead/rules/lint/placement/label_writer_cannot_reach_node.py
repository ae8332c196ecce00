"""The plugin waits for a label whose writer cannot run on the node.

Finds: a plugin that asks for a label of Node Feature Discovery, GPU Feature Discovery or another
known writer, and nodes that lack the label, whose taints the plugin tolerates, and whose taints no
DaemonSet of that writer tolerates.

Why: a chain of two steps. The plugin would run there, but the label never comes, so it never does,
and nothing fails.

Sure: the writer has no pod on the node, and the taint is one of key, value and effect that its
tolerations do not cover.

Do: give the writer's DaemonSet a toleration for the taint, operator Exists.
"""

from collections.abc import Iterable

from bridgehead.core.components.label_writers import LabelWriter, writer_of, writes
from bridgehead.core.findings.eligible import nodes_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.inventory.placement import Predicate, label_conditions, misfits
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.node import Node


def _check(linted: Linted) -> Iterable[Violation]:
    if linted.cluster is None:
        return
    components = sorted(linted.cluster.snapshot.components, key=lambda item: item.ref)
    for plugin in linted.plugins:
        for asked in label_conditions(plugin.template):
            writer = writer_of(asked.key) if asked.positive else None
            if writer is None:
                continue
            writing = [item for item in components if writes(item.template, writer)]
            kept = [
                (node, why)
                for node in nodes_of(linted)
                if asked.key not in node.labels
                and _only_labels_lack(plugin, node)
                and (why := _kept_away(writing, node))
            ]
            if kept:
                yield _violation(plugin, asked.key, writer, kept)
                break


def _only_labels_lack(plugin: Manifest, node: Node) -> bool:
    """Whether labels alone keep the plugin from a node that is tainted for devices."""
    found = list(misfits(plugin.template, node))
    return (
        bool(node.taints)
        and bool(found)
        and all(item.predicate is not Predicate.TAINT for item in found)
    )


def _kept_away(writing: list[Component], node: Node) -> str:
    """The taint that keeps every DaemonSet of the writer away; empty where one of them fits."""
    found = []
    for component in writing:
        taints = [item for item in misfits(component.template, node) if item.taint is not None]
        if not taints:
            return ""
        found.append(f"{component.ref} {taints[0].text}")
    return found[0] if found else ""


def _violation(
    plugin: Manifest, label: str, writer: LabelWriter, kept: list[tuple[Node, str]]
) -> Violation:
    node, why = kept[0]
    return Violation(
        manifest=plugin,
        path=POD_SPEC,
        message=f"{label} is written by {writer.name}, which cannot run on {len(kept)} tainted "
        f"nodes that this plugin tolerates, such as {node.name}: {why}",
        node=node.name,
        evidence=(Evidence(f"taints of node {node.name}", ", ".join(map(str, node.taints))),),
    )


RULE = LintRule(
    name="label-writer-cannot-reach-node",
    severity=Severity.ERROR,
    references=("gpu-op#580", "gpu-op#782"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)
