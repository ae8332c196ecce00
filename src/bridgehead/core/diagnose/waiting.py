"""Pods that wait for devices, with what the scheduler says and what every node has for them.

Pods that ask for the same and may go to the same nodes are one group: a Deployment of a thousand
is judged once. So are those of one DaemonSet, each for a node of its own, where no node has any.
"""

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from bridgehead.core.diagnose.free_devices import Room, rooms
from bridgehead.core.diagnose.node_fit import Fits, Obstacle
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scheduling_message import SchedulingMessage, parse_scheduling_message
from bridgehead.core.diagnose.symptom import pod_key, resource_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, canonical, child, children, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod


class Option(msgspec.Struct, frozen=True):
    """A node that knows the resource: what it has of it, and what else speaks against it."""

    node: Node
    room: Room
    obstacle: Obstacle | None

    @property
    def free(self) -> int:
        """Free devices there."""
        return self.room.free

    @property
    def offered(self) -> int:
        """Healthy devices there, free or not."""
        return self.room.offer.allocatable


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A group of pods that wait for ``count`` devices of ``resource`` each."""

    pods: tuple[Pod, ...]
    resource: str
    count: int
    options: tuple[Option, ...]
    message: SchedulingMessage | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def fitting(self) -> tuple[Option, ...]:
        """Nodes against which nothing but devices can speak."""
        return tuple(item for item in self.options if item.obstacle is None)

    @property
    def explained(self) -> tuple[str, ...]:
        """Keys of the symptoms that these pods are."""
        return (*(pod_key(pod) for pod in self.pods), resource_key(self.resource))

    @property
    def who(self) -> str:
        """The pods in words: the first by its name, the others by their number."""
        first = f"pod {self.pods[0].ref}"
        more = len(self.pods) - 1
        return first if not more else f"{first} and {more} more like it"

    @property
    def verb(self) -> str:
        """``asks for`` or ``ask for``."""
        return "asks for" if len(self.pods) == 1 else "ask for"

    @property
    def object(self) -> ObjectRef:
        """The first pod."""
        return ObjectRef("v1", "Pod", self.pods[0].namespace, self.pods[0].name)


def waiting_for_devices(scene: Scene) -> tuple[Waiting, ...]:
    """All groups, by namespace and name of their first pods; gated and young pods are none."""
    groups: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    offered = {
        name
        for node in scene.nodes.values()
        for name, offer in node.offers.items()
        if offer.allocatable
    }
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref):
        if not _waits(scene, pod):
            continue
        likes = canonical(_likes(scene.raw(pod)))
        owner = f"{pod.namespace}/{pod.owner_name}" if pod.owner_kind == "DaemonSet" else ""
        for resource in pod.requests:
            alike = owner if owner and resource not in offered else likes
            groups[resource, alike].append(pod)
    fits = Fits(scene)
    known = {resource: rooms(scene, resource) for resource, _ in groups}
    return tuple(
        _group(scene, fits, known[resource], resource, pods)
        for (resource, _), pods in groups.items()
    )


def _waits(scene: Scene, pod: Pod) -> bool:
    if pod.phase != "Pending" or pod.bound or pod.deleting or not pod.requests:
        return False
    gated = children(scene.raw(pod), "spec", "schedulingGates")
    return scene.now - pod.created >= PATIENCE and not gated


def _likes(raw: JsonObject) -> JsonObject:
    """What decides where a pod may go."""
    spec = child(raw, "spec")
    return {
        "nodeName": child(spec, "nodeName"),
        "nodeSelector": child(spec, "nodeSelector"),
        "affinity": child(spec, "affinity"),
        "tolerations": child(spec, "tolerations"),
        "resources": [
            child(item, "resources")
            for field in ("initContainers", "containers")
            for item in children(spec, field)
        ],
    }


def _group(
    scene: Scene, fits: Fits, known: tuple[Room, ...], resource: str, pods: list[Pod]
) -> Waiting:
    first = pods[0]
    spec = child(scene.raw(first), "spec")
    wanted = fits.wanted(first, spec if isinstance(spec, Mapping) else {}, resource)
    message, evidence = _said(scene, pods)
    return Waiting(
        pods=tuple(pods),
        resource=resource,
        count=first.requests[resource],
        options=tuple(
            Option(scene.nodes[room.node], room, fits.obstacle(wanted, scene.nodes[room.node]))
            for room in known
        ),
        message=message,
        evidence=evidence,
    )


def _said(scene: Scene, pods: list[Pod]) -> tuple[SchedulingMessage | None, tuple[Evidence, ...]]:
    """The scheduler's newest word on the first of the pods that it speaks of."""
    for pod in pods:
        for event in reversed(scene.events(pod)):
            message = parse_scheduling_message(event.message)
            if event.reason == "FailedScheduling" and message is not None:
                return message, (Evidence(event.source, event.message),)
        for condition in children(scene.raw(pod), "status", "conditions"):
            said = text(condition, "message")
            message = parse_scheduling_message(said)
            if text(condition, "type") == "PodScheduled" and message is not None:
                return message, (Evidence(f"condition PodScheduled of pod {pod.ref}", said),)
    return None, ()
