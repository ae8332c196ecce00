"""Which devices are free where: allocatable less what pods that have not ended ask for.

Running pods lower neither capacity nor allocatable (NVIDIA/k8s-device-plugin#213), and a pod that
is being deleted holds its devices until its containers have ended.
"""

from collections.abc import Iterable

import msgspec

from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import Offer
from bridgehead.core.model.pod import Pod


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What a node has of a resource, and who holds it."""

    node: str
    resource: str
    offer: Offer
    holders: tuple[Pod, ...]
    in_use: int
    """Devices that the holders ask for."""

    @property
    def free(self) -> int:
        """Devices that a further pod can have; never below 0."""
        return max(0, self.offer.allocatable - self.in_use)

    @property
    def evidence(self) -> Evidence:
        """As a cause quotes it."""
        return Evidence(
            f"status of node {self.node}",
            f"{self.resource} {self.offer}, {self.in_use} in use, {self.free} free",
        )


def room_on(scene: Scene, node: str, resource: str) -> Room | None:
    """What the node has of the resource; None where the name was never registered there."""
    offer = scene.nodes[node].offer(resource)
    if offer is None:
        return None
    holders = scene.holders(node, resource)
    return Room(
        node=node,
        resource=resource,
        offer=offer,
        holders=holders,
        in_use=sum(pod.requests[resource] for pod in holders),
    )


def rooms(scene: Scene, resource: str) -> tuple[Room, ...]:
    """All nodes that know the name, in the order of their names."""
    found = (room_on(scene, name, resource) for name in scene.nodes)
    return tuple(room for room in found if room is not None)


def holders_text(found: Iterable[Room]) -> str:
    """The pods that hold devices, those first that will not give them back by themselves."""
    held = [(pod, pod.requests[room.resource]) for room in found for pod in room.holders]
    held.sort(key=lambda item: (bool(item[0].owner_kind), not item[0].deleting, item[0].ref))
    shown = [f"{pod.ref} ({count}{_remark(pod)})" for pod, count in held[:_SHOWN]]
    more = f" and {len(held) - _SHOWN} more" if len(held) > _SHOWN else ""
    return ", ".join(shown) + more


_SHOWN = 8


def _remark(pod: Pod) -> str:
    if pod.deleting:
        return ", being deleted"
    return "" if pod.owner_kind else ", without a controller"
