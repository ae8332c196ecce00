"""Rows of the inventory for what registers devices: DaemonSets, and anything else that does."""

from collections.abc import Iterable, Sequence

from bridgehead.core.components.family import family_of, family_of_images
from bridgehead.core.components.generic import FAMILY as GENERIC
from bridgehead.core.components.registration import registers
from bridgehead.core.components.resources import Offered, pods_of
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.inventory.view import ComponentRow, ContainerRow, OtherRow, PodRow
from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot


def component_row(
    component: Component, snapshot: Snapshot, pods: Iterable[Pod], offered: Offered
) -> ComponentRow:
    """The row of a DaemonSet; ``pods`` are the pods of all DaemonSets, in order."""
    standing = standing_revision(component, snapshot.revisions_of(component))
    return ComponentRow(
        ref=component.ref,
        family=family_of(component.template).name,
        resources=offered.resources,
        inferred=offered.how,
        confidence=offered.confidence,
        images=dict(sorted(component.images.items())),
        revision=standing.hash if standing else "",
        update_strategy=component.strategy_type,
        owners=tuple(f"{owner.kind} {owner.name}".strip() for owner in component.owners),
        run=component.anchor,
        desired=component.desired,
        eligible=eligible(component, snapshot.nodes),
        pods=tuple(
            sorted(
                (_pod_row(pod) for pod in pods_of(component, pods)),
                key=lambda row: (row.node, row.pod),
            )
        ),
    )


def standing_revision(component: Component, revisions: Sequence[Revision]) -> Revision | None:
    """The revision that keeps the template as it stands, by content; the newest of equals."""
    same = [item for item in revisions if item.template_digest == component.template_digest]
    return max(same, key=lambda item: item.number, default=None)


def eligible(component: Component, nodes: Iterable[Node]) -> tuple[str, ...]:
    """Nodes that the component's placement rules allow, by name."""
    return tuple(sorted(node.name for node in nodes if not misfit(component.template, node)))


def other_rows(pods: Iterable[Pod]) -> tuple[OtherRow, ...]:
    """Pods outside of DaemonSets that mount where devices register: static ones, or of others."""
    groups: dict[str, list[Pod]] = {}
    for pod in pods:
        if pod.owner_kind != "DaemonSet" and not pod.terminal and registers_devices(pod):
            groups.setdefault(_workload(pod), []).append(pod)
    return tuple(_other_row(ref, members) for ref, members in sorted(groups.items()))


def registers_devices(pod: Pod) -> bool:
    """Whether the pod can register devices with its kubelet, whoever made it."""
    if not registers(pod.host_paths, known=True):
        return False
    known = family_of_images(_images(pod)).name != GENERIC.name
    return registers(pod.host_paths, known=known)


def _other_row(ref: str, members: Sequence[Pod]) -> OtherRow:
    images = sorted({image for pod in members for image in _images(pod)})
    return OtherRow(
        ref=ref,
        family=family_of_images(images).name,
        images=tuple(images),
        nodes=tuple(sorted({pod.node for pod in members if pod.node})),
    )


def _workload(pod: Pod) -> str:
    """What made the pod. A static pod belongs to its node: the kubelet reads it from a file."""
    if not pod.owner_kind or pod.owner_kind == "Node":
        return f"pod/{pod.namespace}/{pod.name}"
    return f"{pod.owner_kind.lower()}/{pod.namespace}/{pod.owner_name}"


def _images(pod: Pod) -> tuple[str, ...]:
    return tuple(item.image for item in (*pod.init_containers, *pod.containers))


def _pod_row(pod: Pod) -> PodRow:
    return PodRow(
        node=pod.node,
        pod=pod.ref,
        phase="Terminating" if pod.deleting else pod.phase,
        ready=pod.ready,
        restarts=pod.restarts,
        revision=pod.revision,
        containers=tuple(
            ContainerRow(name=item.name, image=item.image, image_id=item.image_id)
            for item in (*pod.init_containers, *pod.containers)
        ),
    )
