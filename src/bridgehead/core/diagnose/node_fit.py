"""Which check of the scheduler keeps a pod off a node, devices apart.

The scheduler makes its checks in a fixed order and counts a node under the first that fails
(``getDefaultPlugins`` in pkg/scheduler/apis/config/v1/default_plugins.go, Kubernetes 1.37):
cordon, taints, selection, ports, room, volumes, other pods. Judged here are those that nodes and
pods alone decide; the rest is left to the scheduler's own words.
"""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal

import msgspec

from bridgehead.core.diagnose.free_devices import room_on
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scheduling_message import Check
from bridgehead.core.inventory.placement import Predicate, misfits, untolerated
from bridgehead.core.model.json import (
    JsonObject,
    JsonValue,
    canonical,
    child,
    children,
    text,
    texts,
)
from bridgehead.core.model.node import Node, Taint
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.quantity import amount

_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
_PLAIN = ("cpu", "memory")
_PLACING = ("nodeName", "nodeSelector", "affinity", "tolerations")


class Obstacle(msgspec.Struct, frozen=True):
    """The first check that a node fails for a pod, in words."""

    check: Check
    text: str


class Wanted(msgspec.Struct, frozen=True):
    """What a pod asks of a node beside the devices in question."""

    spec: JsonObject
    others: Mapping[str, int]
    """Further extended resources."""
    plain: Mapping[str, Decimal]
    """Processors and memory."""
    cordoned_too: bool
    """Whether a cordon is none for it."""
    placing: str
    """What decides about cordon, taints and selection; equal for pods that are placed alike."""


class Fits:
    """Judges pods against nodes; what is in use on a node is added up once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._used: dict[str, Mapping[str, Decimal] | None] = {}
        self._placing: dict[tuple[str, str], Obstacle | None] = {}
        self._offered = {
            text(item, "metadata", "name"): {
                name: amount(written)
                for name, written in texts(item, "status", "allocatable").items()
                if name in _PLAIN
            }
            for item in scene.observed.of_kind("Node")
        }

    def wanted(self, pod: Pod, spec: JsonObject, resource: str) -> Wanted:
        """What the pod asks of any node, worked out once."""
        others = {name: count for name, count in pod.requests.items() if name != resource}
        placing = canonical({name: spec.get(name) for name in _PLACING})
        return Wanted(spec, others, _asked(spec), _may_go_to_cordoned(spec), placing)

    def obstacle(self, wanted: Wanted, node: Node) -> Obstacle | None:
        """Why the pod cannot go to the node, whatever devices of the resource are free there.

        None where nothing speaks against it, as far as can be told from here.
        """
        key = (wanted.placing, node.name)
        if key not in self._placing:
            self._placing[key] = _placing(wanted, node)
        return self._placing[key] or self._room(wanted, node)

    def _room(self, wanted: Wanted, node: Node) -> Obstacle | None:
        for name, count in wanted.others.items():
            other = room_on(self._scene, node.name, name)
            if other is None or other.free < count:
                return Obstacle(Check.ROOM, f"has too little free {name}")
        used = self._used_on(node.name)
        if used is None:
            return None
        offered = self._offered.get(node.name, {})
        for name in _PLAIN:
            whole, asked = offered.get(name), wanted.plain[name]
            if whole is not None and asked > 0 and used[name] + asked > whole:
                return Obstacle(Check.ROOM, f"has too little free {name}")
        return None

    def _used_on(self, node: str) -> Mapping[str, Decimal] | None:
        """What pods there ask for; None where one of them was not kept with all its fields."""
        if node not in self._used:
            self._used[node] = self._added_up(node)
        return self._used[node]

    def _added_up(self, node: str) -> Mapping[str, Decimal] | None:
        total: dict[str, Decimal] = defaultdict(Decimal)
        for pod in self._scene.pods_on(node):
            if not pod.bound or pod.terminal:
                continue
            spec = child(self._scene.raw(pod), "spec")
            if not isinstance(spec, Mapping):
                return None
            for name, value in _asked(spec).items():
                total[name] += value
        return total


def _placing(wanted: Wanted, node: Node) -> Obstacle | None:
    """The first of cordon, taints and selection that the node fails."""
    if node.unschedulable and not wanted.cordoned_too:
        held = f", held by {node.held_by}" if node.held_by else ""
        return Obstacle(Check.CORDON, f"is cordoned{held}")
    taint = untolerated(wanted.spec, node) if node.taints else None
    if taint is not None and taint.key != _UNSCHEDULABLE:
        return Obstacle(Check.TAINT, f"has the taint {taint}, which the pod does not tolerate")
    for other in misfits({"spec": wanted.spec}, node):
        if other.predicate is not Predicate.TAINT:
            return Obstacle(Check.SELECTION, f"is not selected: {other.text}")
    return None


def _may_go_to_cordoned(spec: JsonObject) -> bool:
    return untolerated(spec, Node(name="", taints=(Taint(_UNSCHEDULABLE, "NoSchedule"),))) is None


def _asked(spec: JsonObject) -> dict[str, Decimal]:
    """Processors and memory of a pod: its containers together, or its largest init container."""
    found = {}
    for name in _PLAIN:
        together = sum((_one(item, name) for item in children(spec, "containers")), Decimal())
        first = max(
            (_one(item, name) for item in children(spec, "initContainers")), default=together
        )
        found[name] = max(together, first)
    return found


def _one(container: JsonValue, name: str) -> Decimal:
    resources = child(container, "resources")
    value = child(resources, "requests", name) or child(resources, "limits", name)
    return amount(str(value)) or Decimal() if value is not None else Decimal()
