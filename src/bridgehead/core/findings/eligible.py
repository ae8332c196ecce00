"""On which nodes of the cluster a manifest's DaemonSet wants pods, and what keeps others out."""

from collections.abc import Sequence

from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.inventory.nearest_label import same_in_another_shape
from bridgehead.core.inventory.placement import misfit, misfits
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node


def nodes_of(linted: Linted) -> Sequence[Node]:
    """The cluster's nodes by name; none without a cluster."""
    found = linted.cluster.snapshot.nodes if linted.cluster else ()
    return sorted(found, key=lambda node: node.name)


def eligible_nodes(linted: Linted, manifest: Manifest) -> tuple[Node, ...]:
    """Nodes of the cluster that the manifest's placement allows; none without a cluster."""
    return tuple(node for node in nodes_of(linted) if not misfit(manifest.template, node))


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
