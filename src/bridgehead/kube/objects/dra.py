"""Dynamic resource allocation, `resource.k8s.io/v1` (served by default since Kubernetes 1.34)."""

from typing import Any

import msgspec

from bridgehead.kube.objects.base import ObjectMeta, Partial


class DeviceClass(Partial, frozen=True):
    """A class of devices; selectors stay raw."""

    metadata: ObjectMeta = ObjectMeta()
    spec: dict[str, Any] = msgspec.field(default_factory=dict)


class AllocatedDevice(Partial, frozen=True):
    """One device that a claim got; a device is driver, pool and name together."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool = False


class AllocatedDevices(Partial, frozen=True):
    """All devices that a claim got."""

    results: tuple[AllocatedDevice, ...] = ()


class Allocation(Partial, frozen=True):
    """Result of an allocation."""

    devices: AllocatedDevices = AllocatedDevices()


class ClaimConsumer(Partial, frozen=True):
    """Who a claim is reserved for; `resource` is `pods` in practice."""

    resource: str = ""
    name: str = ""
    uid: str = ""


class ResourceClaimStatus(Partial, frozen=True):
    """Whether a claim is allocated and who may use it."""

    allocation: Allocation | None = None
    reserved_for: tuple[ClaimConsumer, ...] = ()


class ResourceClaim(Partial, frozen=True):
    """A claim; its spec stays raw."""

    metadata: ObjectMeta = ObjectMeta()
    spec: dict[str, Any] = msgspec.field(default_factory=dict)
    status: ResourceClaimStatus = ResourceClaimStatus()


class ResourcePool(Partial, frozen=True):
    """A pool counts as complete when all slices of its newest generation are there."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


class SliceDevice(Partial, frozen=True):
    """A device as a driver publishes it; attribute values stay raw, one key each."""

    name: str = ""
    attributes: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    capacity: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)


class ResourceSliceSpec(Partial, frozen=True):
    """Devices of one driver on one node (or on nodes that a selector names)."""

    driver: str = ""
    node_name: str = ""
    all_nodes: bool = False
    pool: ResourcePool = ResourcePool()
    devices: tuple[SliceDevice, ...] = ()


class ResourceSlice(Partial, frozen=True):
    """A slice of a pool of devices."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSliceSpec = ResourceSliceSpec()
