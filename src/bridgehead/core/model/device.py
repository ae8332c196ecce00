"""Devices that a node offers under an extended resource name."""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation

import msgspec

# Suffixes that the API server writes for whole numbers: 2000 devices are stored as "2k".
_SUFFIXES = {
    "": 1,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
}


def device_count(quantity: str) -> int | None:
    """A Kubernetes quantity of whole devices as a number; None if it is not one.

    Extended resources are whole numbers, but their stored form is canonical ("2k" for 2000).
    Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    number = quantity.rstrip("kKMGi")
    scale = _SUFFIXES.get(quantity[len(number) :])
    if scale is None:
        return None
    try:
        value = Decimal(number) * scale
    except InvalidOperation:
        return None
    return int(value) if value.is_finite() and value == value.to_integral_value() else None


def is_extended(resource: str) -> bool:
    """Whether a resource name is one that a device plugin can offer.

    Extended resources are fully qualified and outside the ``kubernetes.io`` domain.
    Source: https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/
    """
    domain, slash, _ = resource.partition("/")
    own = domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
    return bool(slash) and not own and not resource.startswith("requests.")


class Offer(msgspec.Struct, frozen=True, order=True):
    """What one node says of one resource.

    Capacity counts healthy and unhealthy devices, allocatable the healthy ones only; running pods
    lower neither. After a plugin's end allocatable is 0 at once and capacity after five minutes;
    the name stays in the node's status for good (Kubernetes 1.37, kubernetes#92396).
    """

    capacity: int
    allocatable: int

    def __str__(self) -> str:
        """As ``kubectl describe node`` readers know it: capacity, slash, allocatable."""
        return f"{self.capacity}/{self.allocatable}"


Offers = Mapping[str, Offer]


def usual(offers: Iterable[Offer]) -> Offer | None:
    """The most frequent offer, the larger one of equals; None where there is none at all."""
    return most_of(Counter(offers))


def most_of(counts: Mapping[Offer, int]) -> Offer | None:
    """As ``usual``, of offers that are counted already."""
    return max(counts, key=lambda offer: (counts[offer], offer), default=None)
