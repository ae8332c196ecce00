"""Looks at files of nodes that are to be explained, where a person or a spec allows it."""

from collections.abc import Callable, Sequence

import msgspec

from bridgehead.cluster.errors import ClusterError
from bridgehead.cluster.reader import NodeReader
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """``NodeEvidence`` objects, and what could not be read."""

    objects: tuple[JsonObject, ...] = ()
    unread: tuple[Unread, ...] = ()


async def allowed_image(kube: Kube, state_namespace: str, component: ComponentRef | None) -> str:
    """The reader's image of the component's newest run, where its spec allows one; else empty.

    A run that cannot be read, or may not be, allows nothing.
    """
    if component is None:
        return ""
    store = RunStore(kube, state_namespace)
    try:
        runs = await store.list_runs(component)
        if not runs:
            return ""
        spec = (await store.load(runs[-1].run)).plan.spec
    except (ClusterError, Forbidden):
        return ""
    return spec.reader.image if spec.allow.reader else ""


async def look_at(
    kube: Kube,
    nodes: Sequence[str],
    *,
    image: str,
    state_namespace: str,
    clock: Callable[[], float],
) -> Looked:
    """Files of these nodes, one node after the other. Raises KubeError where nobody answers."""
    reader = NodeReader(kube, state_namespace, image, clock)
    objects: list[JsonObject] = []
    unread: list[Unread] = []
    for node in dict.fromkeys(nodes):
        answer = await reader.read(node)
        if isinstance(answer, Unread):
            unread.append(answer)
        else:
            objects.append(answer.evidence)
            unread.extend(answer.unread)
    return Looked(objects=tuple(objects), unread=tuple(unread))
