"""Nodes that give no sign of life: unknown after a while, tainted, their pods not ready.

A sign of life is a renewed lease or a reported status. Where the real controller looks at every
node every few seconds, this one looks, at the same moments, at those whose time is up.

Source: k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go (1.37).
"""

import math
from collections import OrderedDict

import msgspec

from bridgehead.twin.conditions import condition
from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.node_taints import (
    NODES,
    NOT_READY,
    UNREACHABLE,
    has_taint,
    keep_new_pods_off,
    ready_status,
    swap,
)
from bridgehead.twin.controllers.zones import Evictions, Health, health_of, rate_of, zone_of
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, items, name_of, namespace_of, text, uid_of, with_field
from bridgehead.twin.pods import PODS, index_by_node, pods_on
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.store import Change

LEASES = Stored("coordination.k8s.io", "leases")
LEASE_NAMESPACE = "kube-node-lease"
COMPONENT = "node-controller"
STARTUP_GRACE = 60.0
"""Seconds for which a new node may have no condition ``Ready``."""

_REPORTED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """The controller's options; defaults of kube-controller-manager 1.37."""

    grace: float = 50.0
    """Seconds without a sign of life until a node is unknown. ``--node-monitor-grace-period``."""
    period: float = 5.0
    """Seconds between two looks at all nodes. ``--node-monitor-period``."""


class NodeLifecycleController:
    """Writes the conditions of silent nodes, and the taints of all."""

    def __init__(self, registry: Registry, timing: Timing | None = None) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._timing = timing or Timing()
        self._kind = registry.kinds.named(*NODES)
        self._began = registry.clock.now()
        self._seen: OrderedDict[str, float] = OrderedDict()
        """The last sign of life of each node that is not silent, oldest first."""
        self._silent: dict[str, None] = {}
        """Nodes whose time is up, and those that have never reported a status."""
        self._looks = False
        self._ready: dict[str, dict[str, bool]] = {}
        """By zone, which nodes are ready."""
        self._zones: dict[str, Evictions] = {}
        self._health: dict[str, Health] = {}
        self._halted = False
        """Whether all zones have failed, so that the fault is more likely ours."""
        self._queue: WorkQueue[str] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        index_by_node(self._store)
        self._store.subscribe(self._changed, NODES, LEASES)
        for node in self._store.select(NODES):
            self._meet(node)

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "leases":
            if change.type != "DELETED" and namespace_of(change.object) == LEASE_NAMESPACE:
                self._sign(name_of(change.object))
        else:
            self._node_changed(change)

    def _node_changed(self, change: Change) -> None:
        node, name = change.object, name_of(change.object)
        if change.type == "DELETED":
            self._part(node)
        elif name not in self._seen and name not in self._silent:
            self._meet(node)
        else:
            if change.previous is not None and _heartbeat(node) != _heartbeat(change.previous):
                self._sign(name)
            if _looks_different(node, change.previous):
                self._queue.add(name)

    def _meet(self, node: Object) -> None:
        name = name_of(node)
        self._silent[name] = None
        if ready_status(node):
            self._sign(name)
        else:
            self._clock.after(STARTUP_GRACE, lambda: self._never_reported(name))
        self._clock.soon(
            lambda: self._tell(node, "RegisteredNode", f"Registered Node {name} in Controller")
        )
        self._queue.add(name)

    def _part(self, node: Object) -> None:
        name = name_of(node)
        self._seen.pop(name, None)
        self._silent.pop(name, None)
        self._ready.get(zone_of(node), {}).pop(name, None)
        self._zones.get(zone_of(node), Evictions()).waiting.pop(name, None)
        self._clock.soon(
            lambda: self._tell(node, "RemovingNode", f"Removing Node {name} from Controller")
        )

    def _tell(self, node: Object, reason: str, message: str) -> None:
        told = f"Node {name_of(node)} event: {message}"
        record(self._registry, _about(node), "Normal", reason, told, component=COMPONENT)

    # Signs of life

    def _sign(self, name: str) -> None:
        """A node has given a sign of life."""
        if name in self._seen:
            self._seen[name] = self._clock.now()
            self._seen.move_to_end(name)
        elif name in self._silent:
            del self._silent[name]
            self._seen[name] = self._clock.now()
            self._look_later()

    def _look_later(self) -> None:
        """Look again at the first moment at which the most silent node can be lost."""
        if self._looks or not self._seen:
            return
        self._looks = True
        due = next(iter(self._seen.values())) + self._timing.grace - self._began
        looks = math.floor(due / self._timing.period) + 1
        moment = self._began + looks * self._timing.period
        self._clock.after(moment - self._clock.now(), self._look)

    def _look(self) -> None:
        self._looks = False
        latest = self._clock.now() - self._timing.grace
        while self._seen:
            name = next(iter(self._seen))
            if self._seen[name] >= latest:
                break
            del self._seen[name]
            self._silent[name] = None
            node = self._store.get(NODES, "", name)
            if node is not None:
                self._lose(node)
        self._look_later()

    def _never_reported(self, name: str) -> None:
        node = self._store.get(NODES, "", name)
        if node is not None and not ready_status(node):
            self._lose(node)

    def _lose(self, node: Object) -> None:
        """A node says nothing: nothing is known of it, and its pods are not ready."""
        before = ready_status(node)
        stamp = self._clock.timestamp()
        conditions = []
        for found in items(node, "status", "conditions"):
            if found["type"] in _REPORTED and found["status"] != "Unknown":
                unknown = {
                    "status": "Unknown",
                    "reason": "NodeStatusUnknown",
                    "message": "Kubelet stopped posting node status.",
                    "lastTransitionTime": stamp,
                }
                conditions.append({**found, **unknown})
            else:
                conditions.append(found)
        known = {found["type"] for found in conditions}
        conditions += [_unreported(node, one, stamp) for one in _REPORTED if one not in known]
        if conditions != list(items(node, "status", "conditions")):
            changed = with_field(node, ("status", "conditions"), conditions)
            node = self._registry.update(self._kind, changed, subresource="status")
        if before == "True":
            message = f"Node {name_of(node)} status is now: NodeNotReady"
            record(
                self._registry, _about(node), "Normal", "NodeNotReady", message, component=COMPONENT
            )
            self._mark_pods(name_of(node))

    def _mark_pods(self, name: str) -> None:
        kind = self._registry.kinds.named(*PODS)
        for pod in pods_on(self._store, name):
            ready = condition(pod, "Ready")
            if ready is None or ready["status"] == "False":
                continue
            now = {"status": "False", "lastTransitionTime": self._clock.timestamp()}
            conditions = [
                {**found, **now} if found["type"] == "Ready" else found
                for found in items(pod, "status", "conditions")
            ]
            changed = with_field(pod, ("status", "conditions"), conditions)
            marked = self._registry.update(kind, changed, subresource="status")
            message = "Node is not ready"
            record(self._registry, marked, "Warning", "NodeNotReady", message, component=COMPONENT)

    # Taints

    def _sync(self, name: str) -> None:
        node = self._store.get(NODES, "", name)
        if node is None:
            return
        status = ready_status(node)
        node = keep_new_pods_off(self._registry, node)
        zone = zone_of(node)
        evictions = self._zones.setdefault(zone, Evictions())
        self._ready.setdefault(zone, {})[name] = status == "True"
        self._judge_zones()
        match status:
            case "True":
                evictions.waiting.pop(name, None)
                swap(self._registry, node, "NoExecute", [], [NOT_READY, UNREACHABLE])
            case "False" | "Unknown" if not self._halted:
                self._drive_out(node, evictions, status)

    def _drive_out(self, node: Object, evictions: Evictions, status: str) -> None:
        new, other = (NOT_READY, UNREACHABLE) if status == "False" else (UNREACHABLE, NOT_READY)
        if has_taint(node, other, "NoExecute"):
            swap(self._registry, node, "NoExecute", [new], [other])
        elif not has_taint(node, new, "NoExecute"):
            evictions.waiting.setdefault(name_of(node))
            self._evict(evictions)

    def _evict(self, evictions: Evictions) -> None:
        name = evictions.take(self._clock.now())
        if name is not None:
            node = self._store.get(NODES, "", name)
            status = ready_status(node) if node is not None else ""
            if node is not None and status in {"False", "Unknown"}:
                new, other = NOT_READY, UNREACHABLE
                if status == "Unknown":
                    new, other = other, new
                swap(self._registry, node, "NoExecute", [new], [other])
        due = evictions.due()
        if due is not None and not evictions.awaited:
            evictions.awaited = True
            self._clock.after(due - self._clock.now(), lambda: self._evict_next(evictions))

    def _evict_next(self, evictions: Evictions) -> None:
        evictions.awaited = False
        self._evict(evictions)

    def _judge_zones(self) -> None:
        """Slow down where most of a zone has failed; stop where everything has."""
        judged = {zone: health_of(ready.values()) for zone, ready in self._ready.items() if ready}
        health = {zone: found for zone, (found, _) in judged.items()}
        halted = bool(health) and all(one is Health.FULL for one in health.values())
        if health == self._health and halted == self._halted:
            return
        self._health = health
        if halted and not self._halted:
            self._halt()
        elif self._halted and not halted:
            self._seen = OrderedDict.fromkeys(self._seen, self._clock.now())
        self._halted = halted
        for zone, (found, size) in judged.items():
            evictions = self._zones.setdefault(zone, Evictions())
            evictions.rate = 0.0 if halted else rate_of(found, size)
            if evictions.waiting:
                self._evict(evictions)

    def _halt(self) -> None:
        for node in list(self._store.select(NODES)):
            swap(self._registry, node, "NoExecute", [], [NOT_READY, UNREACHABLE])
        for evictions in self._zones.values():
            evictions.waiting.clear()


def _about(node: Object) -> Object:
    return {"kind": "Node", "name": name_of(node), "uid": uid_of(node), "apiVersion": "v1"}


def _heartbeat(node: Object) -> str:
    found = condition(node, "Ready")
    return str(found.get("lastHeartbeatTime", "")) if found is not None else ""


def _looks_different(node: Object, previous: Object | None) -> bool:
    """Whether a change of a node can change its taints."""
    if previous is None:
        return True

    def looks(one: Object) -> tuple[object, ...]:
        states = [(c["type"], c["status"]) for c in items(one, "status", "conditions")]
        spec = one.get("spec", {})
        return states, spec.get("unschedulable"), spec.get("taints"), zone_of(one)

    return looks(node) != looks(previous)


def _unreported(node: Object, name: str, stamp: str) -> Object:
    return {
        "type": name,
        "status": "Unknown",
        "lastHeartbeatTime": text(node, "metadata", "creationTimestamp"),
        "lastTransitionTime": stamp,
        "reason": "NodeStatusNeverUpdated",
        "message": "Kubelet never posted node status.",
    }
