"""What a device manager keeps on disk: which devices belong to whom, and names it has known.

Source: k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/pod_devices.go and checkpoint/ (1.37).
"""

from collections.abc import Collection, Mapping, Sequence

Held = dict[str, dict[str, tuple[str, ...]]]
"""Of one pod: ids of devices by container and resource."""


class Checkpoint:
    """Outlives the kubelet, and the node's reboot."""

    def __init__(self) -> None:
        self.registered: dict[str, None] = {}
        """Resources that were registered, in the order in which they came."""
        self._pods: dict[str, Held] = {}

    def of(self, uid: str, container: str, resource: str) -> tuple[str, ...] | None:
        """Devices of a container; None where it has been given none."""
        return self._pods.get(uid, {}).get(container, {}).get(resource)

    def of_container(self, uid: str, container: str) -> Mapping[str, tuple[str, ...]]:
        """All devices of a container, by resource."""
        return self._pods.get(uid, {}).get(container, {})

    def give(self, uid: str, container: str, resource: str, ids: Sequence[str]) -> None:
        """Devices belong to a container from now on."""
        self._pods.setdefault(uid, {}).setdefault(container, {})[resource] = tuple(ids)

    def in_use(self, resource: str) -> set[str]:
        """Ids of all devices of a resource that belong to somebody."""
        return {
            device
            for held in self._pods.values()
            for by_resource in held.values()
            for device in by_resource.get(resource, ())
        }

    def resources_in_use(self) -> set[str]:
        """Resources of which somebody has a device."""
        return {
            resource
            for held in self._pods.values()
            for by_resource in held.values()
            for resource in by_resource
        }

    def holders(self, resource: str, ids: Collection[str]) -> list[str]:
        """Uids of pods that have one of these devices."""
        return [
            uid
            for uid, held in self._pods.items()
            if any(set(ids) & set(item.get(resource, ())) for item in held.values())
        ]

    def keep_only(self, uids: Collection[str]) -> None:
        """Free what belongs to all other pods."""
        for uid in [uid for uid in self._pods if uid not in uids]:
            del self._pods[uid]
