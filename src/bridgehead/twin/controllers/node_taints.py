"""The taints by which a node tells what is wrong with it.

Source: k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go (1.37).
"""

from typing import Any

from bridgehead.twin.conditions import condition
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, at, items, name_of, with_field
from bridgehead.twin.registry import Registry

NODES = Stored("", "nodes")
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"

_BY_CONDITION = {
    "Ready": {"False": NOT_READY, "Unknown": UNREACHABLE},
    "MemoryPressure": {"True": "node.kubernetes.io/memory-pressure"},
    "DiskPressure": {"True": "node.kubernetes.io/disk-pressure"},
    "NetworkUnavailable": {"True": "node.kubernetes.io/network-unavailable"},
    "PIDPressure": {"True": "node.kubernetes.io/pid-pressure"},
}
_OURS = frozenset(key for keys in _BY_CONDITION.values() for key in keys.values()) | {UNSCHEDULABLE}


def ready_status(node: Object) -> str:
    """``True``, ``False`` or ``Unknown``; empty where the node has never said."""
    found = condition(node, "Ready")
    return str(found["status"]) if found is not None else ""


def keep_new_pods_off(registry: Registry, node: Object) -> Object:
    """Give a node the ``NoSchedule`` taints of its conditions, and of being cordoned."""
    wanted = [
        key
        for found in items(node, "status", "conditions")
        if (key := _BY_CONDITION.get(found["type"], {}).get(found["status"]))
    ]
    if at(node, "spec", "unschedulable"):
        wanted.append(UNSCHEDULABLE)
    has = {
        taint["key"]
        for taint in items(node, "spec", "taints")
        if taint["effect"] == "NoSchedule" and taint["key"] in _OURS
    }
    gone = sorted(has - set(wanted))
    new = [key for key in wanted if key not in has]
    return swap(registry, node, "NoSchedule", new, gone)


def has_taint(node: Object, key: str, effect: str) -> bool:
    """Whether a node has that taint."""
    return any(
        taint["key"] == key and taint["effect"] == effect for taint in items(node, "spec", "taints")
    )


def swap(registry: Registry, node: Object, effect: str, new: list[str], gone: list[str]) -> Object:
    """Take taints off a node and put others on; the node as it is then."""
    taints: list[Any] = list(items(node, "spec", "taints"))
    added = [
        {"key": key, "effect": effect, "timeAdded": registry.clock.timestamp()}
        for key in new
        if not has_taint(node, key, effect)
    ]
    kept = [
        taint
        for taint in [*taints, *added]
        if (taint["effect"], taint["key"]) not in {(effect, key) for key in gone}
    ]
    if kept == taints:
        return node
    fresh = registry.store.get(NODES, "", name_of(node)) or node
    changed = with_field(fresh, ("spec", "taints"), kept or None)
    return registry.update(registry.kinds.named(*NODES), changed)
