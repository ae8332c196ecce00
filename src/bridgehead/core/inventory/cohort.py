"""Cohorts: groups of nodes that are alike in everything that decides how they take on a change.

A version proven on one node says something about the nodes of its cohort and nothing about others.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.model.node import Node
from bridgehead.core.plan.settings import CohortKey

UNKNOWN = "unknown"
"""Value of a key that the node does not tell. Nodes that do not tell are a cohort of their own."""

_PRODUCT = "nvidia.com/gpu.product"
# Node Feature Discovery labels PCI devices of the classes 03 (display), 0b40 (co-processor) and 12
# (accelerator) by default, as pci-CLASS_VENDOR.present; with deviceLabelFields: [vendor] the class
# is missing. Source: https://nfd.sigs.k8s.io/usage/features (PCI)
_PCI = re.compile(
    r"feature\.node\.kubernetes\.io/(pci-(?:(?:03..|0b40|12..)_\S+|[0-9a-f]{4}))\.present"
)


class Cohort(msgspec.Struct, frozen=True, order=True):
    """The values that its nodes share, in the order of the keys that were asked for."""

    values: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """All values in order: the same for the same kind of node in every cluster."""
        return " / ".join(value for _, value in self.values)

    def value(self, key: CohortKey) -> str:
        """The value of one key; ``unknown`` where it was not asked for."""
        return dict(self.values).get(key.value, UNKNOWN)

    def __str__(self) -> str:
        return self.name


def cohort_of(node: Node, keys: Iterable[CohortKey] = tuple(CohortKey)) -> Cohort:
    """The cohort of one node; depends on nothing but the node and the keys."""
    return Cohort(tuple((key.value, _value(node, key) or UNKNOWN) for key in keys))


def cohorts_of(
    nodes: Iterable[Node], keys: Sequence[CohortKey] = tuple(CohortKey)
) -> dict[Cohort, tuple[Node, ...]]:
    """Nodes by cohort: the largest cohort first, then by name; nodes by name."""
    groups: dict[Cohort, list[Node]] = {}
    for node in sorted(nodes, key=lambda item: item.name):
        groups.setdefault(cohort_of(node, keys), []).append(node)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0].name))
    return {cohort: tuple(members) for cohort, members in ordered}


def splitting_key(cohorts: Iterable[Cohort]) -> CohortKey | None:
    """The key without which the fewest cohorts would be left; None if none of them splits.

    Of equals it is the first in the cohorts' own order.
    """
    known = set(cohorts)
    keys = next(iter(known)).values if known else ()
    left = {key: len({_without(cohort, key) for cohort in known}) for key, _ in keys}
    best = min(left, key=left.__getitem__, default=None)
    return CohortKey(best) if best is not None and left[best] < len(known) else None


def short_names(cohorts: Iterable[Cohort]) -> dict[Cohort, str]:
    """Each cohort by the values that tell it from the others, for a page that shows them together.

    Only one cohort, or none that differ: its first value. Such a name means nothing elsewhere.
    """
    known = tuple(cohorts)
    names = {}
    for cohort in known:
        telling = [
            value
            for key, value in cohort.values
            if any(dict(other.values).get(key) != value for other in known)
        ]
        names[cohort] = " / ".join(telling or [value for _, value in cohort.values[:1]])
    return names


def device_of(node: Node) -> str:
    """What the node's devices are: the product, else their PCI ids, else what it offers.

    Empty where nothing tells. The number of devices is left out: a node with one broken card is
    still a node of its kind.
    """
    offered = sorted(name for name, offer in node.offers.items() if offer.capacity > 0)
    return labelled_device(node) or ",".join(offered)


def labelled_device(node: Node) -> str:
    """What labels say that the node's devices are, whether or not it offers them."""
    product = node.labels.get(_PRODUCT)
    if product:
        return product
    present = (_PCI.fullmatch(label) for label, value in node.labels.items() if value == "true")
    return ",".join(sorted({match[1] for match in present if match}))


def _value(node: Node, key: CohortKey) -> str:
    match key:
        case CohortKey.DEVICE:
            return device_of(node)
        case CohortKey.OS:
            return node.os_image
        case CohortKey.KERNEL:
            return node.kernel
        case CohortKey.RUNTIME:
            return node.runtime
        case CohortKey.ARCH:
            return node.arch
        case CohortKey.KUBELET:
            return node.kubelet


def _without(cohort: Cohort, key: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in cohort.values if pair[0] != key)
