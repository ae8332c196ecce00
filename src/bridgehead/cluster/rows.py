"""What of nodes and pods a snapshot is made from, where all of a cluster are read at once.

Attributes have the names of ``kube.objects``, so that ``convert`` reads both. The rest (images on a
node, field managers, mounts, environment) is skipped while decoding: it is most of the memory.
"""

from datetime import datetime

import msgspec

from bridgehead.kube.objects.base import Partial
from bridgehead.kube.objects.lean_pod import (
    LeanContainer,
    LeanMeta,
    LeanPod,
    LeanPodSpec,
    LeanPodStatus,
)
from bridgehead.kube.objects.node import NodeInfo, NodeSpec
from bridgehead.kube.objects.pod import Affinity, ContainerStatus, pinned_node
from bridgehead.kube.resources import NODES, PODS, Resource


class ConditionRow(Partial, frozen=True):
    """A condition without its history."""

    type: str = ""
    status: str = "Unknown"


class NodeMetaRow(Partial, frozen=True):
    """Metadata of a node without field managers."""

    name: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)


class NodeStatusRow(Partial, frozen=True):
    """Status of a node without images and addresses."""

    capacity: dict[str, str] = msgspec.field(default_factory=dict)
    allocatable: dict[str, str] = msgspec.field(default_factory=dict)
    conditions: tuple[ConditionRow, ...] = ()
    node_info: NodeInfo = NodeInfo()


class NodeRow(Partial, frozen=True):
    """A node."""

    metadata: NodeMetaRow = NodeMetaRow()
    spec: NodeSpec = NodeSpec()
    status: NodeStatusRow = NodeStatusRow()


class PodMetaRow(LeanMeta, frozen=True):
    """Metadata of a pod with its time of creation."""

    creation_timestamp: datetime | None = None


class ContainerRow(LeanContainer, frozen=True):
    """A container; ``restart_policy`` Always marks a sidecar among init containers."""

    restart_policy: str = ""


class PodSpecRow(LeanPodSpec, frozen=True):
    """Spec of a pod with the affinity that names the node of a daemon pod."""

    containers: tuple[ContainerRow, ...] = ()
    init_containers: tuple[ContainerRow, ...] = ()
    affinity: Affinity | None = None


class PodStatusRow(LeanPodStatus, frozen=True):
    """Status of a pod with that of its containers."""

    message: str = ""
    conditions: tuple[ConditionRow, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()


class PodRow(LeanPod, frozen=True):
    """A pod."""

    metadata: PodMetaRow = PodMetaRow()
    spec: PodSpecRow = PodSpecRow()
    status: PodStatusRow = PodStatusRow()

    @property
    def intended_node(self) -> str:
        """The node it is bound to, else the one its controller made it for, else empty."""
        return self.spec.node_name or pinned_node(self.spec.affinity)


NODE_ROWS = Resource(
    NODES.group, NODES.version, NODES.plural, NODES.kind, NODES.namespaced, NodeRow
)
POD_ROWS = Resource(PODS.group, PODS.version, PODS.plural, PODS.kind, PODS.namespaced, PodRow)
