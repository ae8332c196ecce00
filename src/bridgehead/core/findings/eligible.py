"""On which nodes of the cluster a manifest's DaemonSet wants pods, and what keeps others out."""

from collections.abc import Sequence

from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.inventory.nearest_label import same_in_another_shape
from bridgehead.core.inventory.placement import misfit, misfits
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node


def nodes_of(linted: Linted) -> Sequence[Node]:
    """The cluster's nodes by name; none without a cluster."""
    found = linted.cluster.snapshot.nodes if linted.cluster else ()
    return sorted(found, key=lambda node: node.name)


def eligible(linted: Linted, template: JsonObject) -> list[Node]:
    """Nodes on which the DaemonSet controller wants a pod of the template."""
    return [node for node in nodes_of(linted) if not misfit(template, node)]


def live(linted: Linted, manifest: Manifest) -> Component | None:
    """The DaemonSet of the same name as it stands in the cluster; None where there is none."""
    for component in linted.cluster.snapshot.components if linted.cluster else ():
        if (component.namespace, component.name) == (manifest.ref.namespace, manifest.ref.name):
            return component
    return None


def why_not(template: JsonObject, node: Node) -> str:
    """The first thing that keeps the node out, with the nearest label that it has."""
    for found in misfits(template, node):
        nearest = [
            label
            for expression in found.failing
            for label in same_in_another_shape(expression, node.labels)
        ]
        return f"{found.text}; the node has {nearest[0]}" if nearest else found.text
    return ""
