"""Reads a cluster into a snapshot. Sends get and list requests only.

A kind that may not be read is noted in the snapshot and the rest is still read. A server that does
not answer, or that does not accept the credential, is an error of ``kube.errors`` and ends it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from bridgehead.cluster.convert import (
    component_from,
    controller_ref,
    controller_uid,
    node_from,
    pod_from,
    revision_from,
)
from bridgehead.cluster.names import lease_name
from bridgehead.cluster.rows import NODE_ROWS, POD_ROWS
from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.listing import Listing
from bridgehead.kube.resources import (
    CONTROLLER_REVISIONS,
    DAEMON_SETS,
    LEASES,
    NAMESPACES,
    Resource,
)

T = TypeVar("T")

Raw = dict[str, Any]
"""An object as JSON has it."""


async def read_snapshot(
    kube: Kube,
    *,
    now: float,
    namespaces: Sequence[str] | None = None,
    with_namespaces: bool = False,
) -> Snapshot:
    """What a rollout or an inventory needs to know of the cluster.

    ``namespaces`` limits DaemonSets and their revisions. Pods are asked for in all namespaces, as
    devices may be held anywhere; where that is forbidden, those of ``namespaces`` are read and the
    others noted as unread. ``with_namespaces`` reads which namespaces are terminating, too.
    """
    unread: list[Unread] = []
    where: tuple[str | None, ...] = tuple(namespaces) if namespaces else (None,)
    nodes = await _listed(kube, NODE_ROWS, None, unread)
    daemon_sets = [
        raw for name in where for raw in await _listed_raw(kube, DAEMON_SETS, name, unread)
    ]
    revisions = [
        raw for name in where for raw in await _listed_raw(kube, CONTROLLER_REVISIONS, name, unread)
    ]
    components = tuple(component_from(raw) for raw in daemon_sets)
    return Snapshot(
        at=now,
        server=await _version(kube, unread),
        nodes=tuple(node_from(item) for item in nodes),
        pods=await _pods(kube, namespaces, unread),
        components=components,
        revisions=revisions_by_ref(components, revisions),
        namespaces_terminating=await _terminating(kube, unread) if with_namespaces else (),
        unread=tuple(unread),
    )


async def read_component(kube: Kube, ref: ComponentRef) -> Component | None:
    """One component as it stands; None where there is none of that name. Raises KubeError."""
    try:
        return component_from(await kube.get_raw(DAEMON_SETS, ref.name, ref.namespace))
    except NotFound:
        return None


async def read_holder(kube: Kube, namespace: str, ref: ComponentRef) -> str:
    """Who holds the component's lock, with the time of the last renewal; empty where nobody does.

    Whether the holder still lives cannot be told from one look: its time is shown instead.
    """
    try:
        lease = await kube.get(LEASES, lease_name(ref), namespace)
    except NotFound:
        return ""
    if not lease.spec.holder_identity:
        return ""
    renewed = lease.spec.renew_time
    return f"{lease.spec.holder_identity}, renewed {renewed:%H:%M:%S}" if renewed else ""


def revisions_by_ref(
    components: Sequence[Component], raw: Sequence[Raw]
) -> tuple[tuple[str, tuple[Revision, ...]], ...]:
    """ControllerRevision objects as revisions of their components, oldest first.

    They belong to a component by the uid of their controller or, in records without uids, by its
    name; ControllerRevisions of StatefulSets belong to none.
    """
    found: dict[str, list[Revision]] = {item.ref: [] for item in components}
    by_uid = {item.uid: item.ref for item in components if item.uid}
    for item in raw:
        ref = by_uid.get(controller_uid(item)) or controller_ref(item)
        if ref in found:
            found[ref].append(revision_from(item))
    return tuple(
        (ref, tuple(sorted(revisions, key=lambda item: item.number)))
        for ref, revisions in found.items()
    )


async def _pods(
    kube: Kube, namespaces: Sequence[str] | None, unread: list[Unread]
) -> tuple[Pod, ...]:
    """Pods of all namespaces or, where that is forbidden, those of the namespaces asked for."""
    everywhere: list[Unread] = []
    found = await _listed(kube, POD_ROWS, None, everywhere)
    if everywhere and namespaces:
        found = [pod for name in namespaces for pod in await _listed(kube, POD_ROWS, name, unread)]
        elsewhere = everywhere[0]
        unread.append(Unread("pods of other namespaces", elsewhere.why, elsewhere.grant))
    else:
        unread.extend(everywhere)
    return tuple(pod_from(item) for item in found)


async def _terminating(kube: Kube, unread: list[Unread]) -> tuple[str, ...]:
    found = await _listed(kube, NAMESPACES, None, unread)
    return tuple(sorted(item.metadata.name for item in found if item.status.phase == "Terminating"))


async def _version(kube: Kube, unread: list[Unread]) -> str:
    try:
        return (await kube.server_version()).git_version
    except Forbidden as error:
        unread.append(Unread("version of the server", error.message, "get /version"))
        return ""


async def _listed(
    kube: Kube, resource: Resource[T], namespace: str | None, unread: list[Unread]
) -> list[T]:
    return await _permitted(lambda: kube.list(resource, namespace), resource, namespace, unread)


async def _listed_raw(
    kube: Kube, resource: Resource[Any], namespace: str | None, unread: list[Unread]
) -> list[Raw]:
    return await _permitted(lambda: kube.list_raw(resource, namespace), resource, namespace, unread)


async def _permitted(
    read: Callable[[], Awaitable[Listing[T]]],
    resource: Resource[Any],
    namespace: str | None,
    unread: list[Unread],
) -> list[T]:
    """The items, or none and a note of what may not be read and which permission is missing."""
    try:
        return list((await read()).items)
    except Forbidden as error:
        scope = f" in namespace {namespace}" if namespace else ""
        unread.append(
            Unread(
                what=f"{resource.plural}{scope}",
                why=error.message,
                grant=f"list {resource.qualified}{scope}",
            )
        )
        return []
