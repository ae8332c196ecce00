"""How two inventories differ in what ought to stay as it is.

Compared are images, digests, revisions, driver, kernel, operating system, runtime, kubelet,
capacity, allocatable, the labels that matter and the cohort. Never use, pod names or ages: they
change by themselves.
"""

from collections.abc import Mapping

import msgspec

from bridgehead.core.inventory.view import ComponentRow, Inventory, NodeRow

ABSENT = "absent"
"""What stands for a thing that one of the two inventories does not have."""


class Difference(msgspec.Struct, frozen=True, order=True):
    """One thing that is not as it was."""

    object: str
    what: str
    before: str
    after: str


def drift(before: Inventory, after: Inventory) -> tuple[Difference, ...]:
    """All differences, sorted; empty where nothing that counts has changed.

    What one of the two could not read may differ without showing: look at ``unread`` of both.
    """
    return tuple(
        sorted(
            Difference(item, what, _said(was, what), _said(now, what))
            for item, was, now in _pairs(_facts(before), _facts(after))
            for what in {*was, *now}
            if _said(was, what) != _said(now, what)
        )
    )


_CAPACITY, _ALLOCATABLE = " capacity", " allocatable"

Facts = Mapping[str, Mapping[str, str]]
"""What an inventory says, by object and by name of the fact."""


def _said(facts: Mapping[str, str], what: str) -> str:
    """A resource that is missing offers as little as one that is 0/0: names are never deleted."""
    return facts.get(what, "0" if what.endswith((_CAPACITY, _ALLOCATABLE)) else ABSENT)


def _pairs(before: Facts, after: Facts) -> list[tuple[str, Mapping[str, str], Mapping[str, str]]]:
    """Both sides of each object; one that is only on one side differs in that alone."""
    pairs = []
    for item in sorted({*before, *after}):
        if item in before and item in after:
            pairs.append((item, before[item], after[item]))
        else:
            there = {"existence": "present"}
            pairs.append((item, there if item in before else {}, there if item in after else {}))
    return pairs


def _facts(inventory: Inventory) -> Facts:
    facts = {f"node/{row.name}": _of_node(row) for row in inventory.nodes}
    for component in inventory.components:
        facts[component.ref] = _of_component(component)
        for node, found in _of_pods(component).items():
            facts[f"{component.ref} on node/{node}"] = found
    return facts


def _of_node(row: NodeRow) -> dict[str, str]:
    facts = {
        "operating system": row.os_image,
        "kernel": row.kernel,
        "runtime": row.runtime,
        "kubelet": row.kubelet,
        "cohort": row.cohort,
    }
    for label, value in row.labels.items():
        facts[f"label {label}"] = value
    for item in row.resources:
        facts[f"{item.resource}{_CAPACITY}"] = str(item.capacity)
        facts[f"{item.resource}{_ALLOCATABLE}"] = str(item.allocatable)
    return facts


def _of_component(row: ComponentRow) -> dict[str, str]:
    return {
        "revision": row.revision,
        **{f"image of {name}": image for name, image in row.images.items()},
    }


def _of_pods(row: ComponentRow) -> dict[str, dict[str, str]]:
    """Revision and resolved images on each node; of several pods on one node, each counts."""
    found: dict[str, dict[str, set[str]]] = {}
    for pod in row.pods:
        facts = found.setdefault(pod.node, {})
        facts.setdefault("revision", set()).add(pod.revision)
        for container in pod.containers:
            if container.image_id:
                facts.setdefault(f"digest of {container.name}", set()).add(container.image_id)
    return {
        node: {what: ", ".join(sorted(values)) for what, values in facts.items()}
        for node, facts in found.items()
    }
