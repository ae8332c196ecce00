"""The inventory: what runs where, on what, and what could not be read. A value that prints.

Field names are part of ``bridgehead.dev/inventory/v1``; in JSON they are camelCase.
"""

from collections.abc import Mapping

import msgspec

from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.snapshot import Unread


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the inventory."""


class CohortView(Value, frozen=True):
    """Nodes with devices, or for a plugin, that are alike in all that decides how they change."""

    name: str
    keys: Mapping[str, str]
    nodes: tuple[str, ...]


class Holder(Value, frozen=True):
    """A pod that holds devices."""

    pod: str
    count: int


class ResourceView(Value, frozen=True):
    """One resource on one node. Use is None where not all pods could be read."""

    resource: str
    capacity: int
    allocatable: int
    in_use: int | None
    free: int | None
    """Allocatable less use; negative where devices in use have become unhealthy or are gone."""
    holders: tuple[Holder, ...] = ()
    claimants: tuple[str, ...] = ()
    """Workloads with a pod on this node that offer the resource."""


class NodeRow(Value, frozen=True):
    """One node; ``ready`` is None where the node does not say."""

    name: str
    cohort: str
    ready: bool | None
    schedulable: bool
    held_by: str
    roles: tuple[str, ...]
    taints: tuple[str, ...]
    os_image: str
    kernel: str
    runtime: str
    arch: str
    kubelet: str
    boot_id: str
    labels: Mapping[str, str]
    """Labels that matter: those that device plugins are placed by, and those of devices."""
    resources: tuple[ResourceView, ...]


class ContainerRow(Value, frozen=True):
    """The image that a container of a plugin's pod was made from, as written and as resolved."""

    name: str
    image: str
    image_id: str


class PodRow(Value, frozen=True):
    """A plugin's pod on a node."""

    node: str
    pod: str
    phase: str
    ready: bool
    restarts: int
    revision: str
    """Hash of the template that the pod was made from."""
    containers: tuple[ContainerRow, ...]


class ComponentRow(Value, frozen=True):
    """A DaemonSet that is a device plugin."""

    ref: str
    family: str
    resources: tuple[str, ...]
    inferred: str
    """What the resources were inferred from."""
    confidence: Confidence
    images: Mapping[str, str]
    revision: str
    """Hash of the revision that holds the standing template; empty where none is known to."""
    update_strategy: str
    owners: tuple[str, ...]
    run: str
    """The rollout that has the component, as namespace/run/holder; empty where none has."""
    desired: int | None
    eligible: tuple[str, ...]
    """Nodes that its placement rules allow."""
    pods: tuple[PodRow, ...]

    @property
    def ready(self) -> int:
        """Pods that say they are ready."""
        return sum(pod.ready for pod in self.pods)


class OtherRow(Value, frozen=True):
    """Something else that mounts the kubelet's device plugin directory."""

    ref: str
    family: str
    images: tuple[str, ...]
    nodes: tuple[str, ...]


class Conflict(Value, frozen=True):
    """A resource that more than one workload claims on a node: the last to register wins."""

    resource: str
    node: str
    claimants: tuple[str, ...]


class DeadName(Value, frozen=True):
    """A resource name that is 0/0 and that nothing on these nodes offers.

    The kubelet never deletes a name from a node's status (kubernetes#92396, Kubernetes 1.37).
    """

    resource: str
    nodes: tuple[str, ...]


class VersionCount(Value, frozen=True):
    """A kubelet version, how many nodes run it, and what the skew policy says of it."""

    kubelet: str
    nodes: int
    skew: str


class Inventory(Value, frozen=True):
    """The device plugins of a cluster and the nodes that they run on."""

    at: float
    server: str
    kubelets: tuple[VersionCount, ...]
    cohorts: tuple[CohortView, ...]
    splitting_key: str
    """With more than eight cohorts: the key that splits them most; else empty."""
    components: tuple[ComponentRow, ...]
    others: tuple[OtherRow, ...]
    nodes: tuple[NodeRow, ...]
    conflicts: tuple[Conflict, ...]
    dead_names: tuple[DeadName, ...]
    unread: tuple[Unread, ...]

    def node(self, name: str) -> NodeRow | None:
        """The row of a node."""
        return next((row for row in self.nodes if row.name == name), None)
