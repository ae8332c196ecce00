"""What each node has of each resource, what of it is in use, and by whom."""

from collections.abc import Iterable, Mapping

from bridgehead.core.inventory.view import Holder, ResourceView
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot


def pods_unread(snapshot: Snapshot) -> bool:
    """Whether pods may hold devices that the snapshot does not know of."""
    return any(item.what.split()[:1] == ["pods"] for item in snapshot.unread)


def pods_by_node(pods: Iterable[Pod]) -> dict[str, list[Pod]]:
    """Pods that are bound and have not ended, by node."""
    found: dict[str, list[Pod]] = {}
    for pod in pods:
        if pod.bound and not pod.terminal:
            found.setdefault(pod.node, []).append(pod)
    return found


def resources_on(
    node: Node,
    pods: Iterable[Pod],
    claimants: Mapping[str, tuple[str, ...]],
    *,
    use_known: bool,
) -> tuple[ResourceView, ...]:
    """The node's resources, and those that its pods hold without the node offering them any more.

    Free is allocatable less the requests of pods that have not ended: running pods do not lower
    allocatable (NVIDIA/k8s-device-plugin#213).
    """
    here = tuple(pods)
    held = {name for pod in here for name in pod.requests}
    views = []
    for name in sorted({*node.offers, *held}):
        offer = node.offers.get(name)
        capacity, allocatable = (offer.capacity, offer.allocatable) if offer else (0, 0)
        holders = tuple(
            Holder(pod=pod.ref, count=pod.requests[name])
            for pod in sorted(here, key=lambda item: item.ref)
            if pod.requests.get(name)
        )
        used = sum(holder.count for holder in holders) if use_known else None
        views.append(
            ResourceView(
                resource=name,
                capacity=capacity,
                allocatable=allocatable,
                in_use=used,
                free=None if used is None else allocatable - used,
                holders=holders,
                claimants=claimants.get(name, ()),
            )
        )
    return tuple(views)
