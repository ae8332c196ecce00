"""Nodes: what they offer, whether they take pods, what they run."""

from datetime import datetime

import msgspec

from bridgehead.kube.objects.base import Condition, ObjectMeta, Partial


class Taint(Partial, frozen=True):
    """Keeps pods off a node unless they tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: datetime | None = None


class NodeSpec(Partial, frozen=True):
    """`unschedulable` is what `kubectl cordon` sets."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    provider_id: str = msgspec.field(default="", name="providerID")


class NodeInfo(Partial, frozen=True):
    """Versions that the kubelet reports of its machine."""

    machine_id: str = msgspec.field(default="", name="machineID")
    boot_id: str = msgspec.field(default="", name="bootID")
    kernel_version: str = ""
    os_image: str = ""
    operating_system: str = ""
    architecture: str = ""
    container_runtime_version: str = ""
    kubelet_version: str = ""


class NodeAddress(Partial, frozen=True):
    """One address of a node; `type` is `InternalIP`, `Hostname` and so on."""

    type: str = ""
    address: str = ""


class NodeStatus(Partial, frozen=True):
    """`capacity` and `allocatable` are quantities as written, device resources included.

    The images of a node are not decoded: they are half of its bytes, and only the 50 largest.
    """

    capacity: dict[str, str] = msgspec.field(default_factory=dict)
    allocatable: dict[str, str] = msgspec.field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    addresses: tuple[NodeAddress, ...] = ()
    node_info: NodeInfo = NodeInfo()


class Node(Partial, frozen=True):
    """A node of the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
