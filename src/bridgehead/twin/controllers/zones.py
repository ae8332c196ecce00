"""Zones of nodes: the more of one that fails at once, the more slowly its nodes are emptied.

Source: k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go (1.37):
handleDisruption, setLimiterInZone, ComputeZoneState.
"""

from collections.abc import Iterable
from enum import Enum

from bridgehead.twin.objects import Object, labels_of

NORMAL_RATE = 0.1
"""Nodes a second that are tainted ``NoExecute`` in a zone. ``--node-eviction-rate``."""
REDUCED_RATE = 0.01
"""The same in a zone of which most has failed. ``--secondary-node-eviction-rate``."""
LARGE = 50
"""Nodes up to which nothing is tainted in such a zone. ``--large-cluster-size-threshold``."""
UNHEALTHY = 0.55
"""The share of nodes that makes it such a zone. ``--unhealthy-zone-threshold``."""


class Health(Enum):
    """How much of a zone is ready."""

    NORMAL = "Normal"
    PARTIAL = "PartialDisruption"
    FULL = "FullDisruption"


def zone_of(node: Object) -> str:
    """The zone of a node, by its labels for region and zone; empty for none."""
    labels = labels_of(node)
    region = labels.get("topology.kubernetes.io/region", "")
    zone = labels.get("topology.kubernetes.io/zone", "")
    return f"{region}:\0:{zone}" if region or zone else ""


def health_of(ready: Iterable[bool]) -> tuple[Health, int]:
    """How healthy a zone is, and how many nodes it has."""
    nodes = list(ready)
    failed = nodes.count(False)
    if failed and failed == len(nodes):
        return Health.FULL, len(nodes)
    if failed > 2 and failed / len(nodes) >= UNHEALTHY:
        return Health.PARTIAL, len(nodes)
    return Health.NORMAL, len(nodes)


def rate_of(health: Health, size: int) -> float:
    """Nodes a second."""
    if health is Health.PARTIAL:
        return REDUCED_RATE if size > LARGE else 0.0
    return NORMAL_RATE


class Evictions:
    """The nodes of one zone that are still to be tainted, one after the other."""

    def __init__(self) -> None:
        self.waiting: dict[str, None] = {}
        self.rate = NORMAL_RATE
        self.awaited = False
        """Whether somebody comes for the next one when it is due: one timer for all that wait."""
        self._next = 0.0

    def take(self, now: float) -> str | None:
        """The next node, if it is time for one."""
        if not self.waiting or not self.rate or now < self._next:
            return None
        name = next(iter(self.waiting))
        del self.waiting[name]
        self._next = now + 1.0 / self.rate
        return name

    def due(self) -> float | None:
        """When the next node may be taken; seconds since the epoch, None for never."""
        return self._next if self.waiting and self.rate else None
