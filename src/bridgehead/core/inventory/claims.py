"""Who claims which resource on which node; resources with two claimants, names with none."""

from collections.abc import Iterable, Mapping

from bridgehead.core.inventory.view import ComponentRow, Conflict, DeadName, NodeRow
from bridgehead.core.model.confidence import Confidence

Claims = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Claimants by node, then by resource."""


def claims(components: Iterable[ComponentRow]) -> Claims:
    """Components with a pod on the node that offer the resource.

    A guess of low confidence claims nothing: it would report conflicts that are none.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for row in components:
        if row.confidence is Confidence.LOW:
            continue
        for node in {pod.node for pod in row.pods}:
            for resource in row.resources:
                found.setdefault(node, {}).setdefault(resource, set()).add(row.ref)
    return {
        node: {resource: tuple(sorted(refs)) for resource, refs in by_resource.items()}
        for node, by_resource in found.items()
    }


def conflicts(claimed: Claims) -> tuple[Conflict, ...]:
    """Resources with more than one claimant on a node: their numbers flip at every restart."""
    return tuple(
        Conflict(resource=resource, node=node, claimants=refs)
        for node, by_resource in sorted(claimed.items())
        for resource, refs in sorted(by_resource.items())
        if len(refs) > 1
    )


def dead_names(nodes: Iterable[NodeRow]) -> tuple[DeadName, ...]:
    """Names that are 0/0 without a claimant on the node, by name.

    A plugin that is connected and offers an empty list shows 0/0 too; it has a claimant.
    """
    found: dict[str, list[str]] = {}
    for row in nodes:
        for view in row.resources:
            if view.capacity == 0 and view.allocatable == 0 and not view.claimants:
                found.setdefault(view.resource, []).append(row.name)
    return tuple(
        DeadName(resource=resource, nodes=tuple(sorted(names)))
        for resource, names in sorted(found.items())
    )
