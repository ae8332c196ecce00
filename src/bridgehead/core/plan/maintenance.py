"""Objects elsewhere in the cluster by which others hold a node: maintenance objects, kured's lock.

Sources: github.com/Mellanox/maintenance-operator api/v1alpha1/nodemaintenance_types.go,
github.com/medik8s/node-maintenance-operator api/v1beta1/nodemaintenance_types.go,
github.com/kubereboot/kured pkg/daemonsetlock/daemonsetlock.go.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text
from bridgehead.core.model.node import Node

GROUPS = (
    "maintenance.nvidia.com",
    "nodemaintenance.medik8s.io",
    "nodemaintenance.kubevirt.io",
)
"""API groups that have a kind NodeMaintenance; most clusters have none. The last is what medik8s'
operator had before."""
KIND = "NodeMaintenance"
LOCK = "weave.works/kured-node-lock"
"""Annotation of kured's DaemonSet, unless its option --lock-annotation says otherwise."""

Holds = Mapping[str, tuple[str, ...]]
"""Who holds a node by such objects, in words, by the node's name."""

_REQUESTED = frozenset({"", "Pending"})
"""Reasons of the condition Ready while NVIDIA's operator has done nothing to the node yet."""


def with_holds(nodes: Iterable[Node], holds: Holds) -> tuple[Node, ...]:
    """The nodes, each with what holds it."""
    return tuple(
        msgspec.structs.replace(node, holds=holds[node.name]) if node.name in holds else node
        for node in nodes
    )


def joined(*holds: Holds) -> Holds:
    """All of them together."""
    names = dict.fromkeys(name for some in holds for name in some)
    return {name: tuple(words for some in holds for words in some.get(name, ())) for name in names}


def maintenance_holds(objects: Iterable[JsonObject]) -> Holds:
    """What NodeMaintenance objects of either group say.

    One of NVIDIA's that is only requested holds nothing: its operator starts it when the node is
    free. One of medik8s holds its node from its creation to its deletion.
    """
    found: dict[str, tuple[str, ...]] = {}
    for item in objects:
        node = text(item, "spec", "nodeName")
        if not node or (_of_nvidia(item) and _reason(item) in _REQUESTED):
            continue
        found[node] = (*found.get(node, ()), _words(item))
    return found


def lock_holds(annotation: str, ref: str, now: float) -> Holds:
    """Who holds kured's lock: one node, or several where it reboots more than one at a time.

    A lock that has expired by its own time, or that nobody can read, holds no node.
    """
    try:
        value: JsonValue = msgspec.json.decode(annotation)
    except msgspec.DecodeError:
        return {}
    locks = children(value, "locks") or ((value,) if isinstance(value, dict) else ())
    nodes = [text(lock, "nodeID") for lock in locks if not _expired(lock, now)]
    return {name: (f"kured holds its lock for it ({ref})",) for name in nodes if name}


def _of_nvidia(item: JsonObject) -> bool:
    return text(item, "apiVersion").startswith(f"{GROUPS[0]}/")


def _reason(item: JsonObject) -> str:
    conditions = children(item, "status", "conditions")
    ready = (text(c, "reason") for c in conditions if text(c, "type") == "Ready")
    return next(ready, "")


def _words(item: JsonObject) -> str:
    named = [text(item, "metadata", "namespace"), text(item, "metadata", "name")]
    who = text(item, "spec", "requestorID") or text(item, "spec", "reason")
    state = _reason(item) or text(item, "status", "phase")
    told = ", ".join(filter(None, (who, state)))
    group = text(item, "apiVersion").split("/")[0]
    name = "/".join(filter(None, named))
    return f"it is in maintenance (nodemaintenance.{group} {name}{f': {told}' if told else ''})"


def _expired(lock: JsonObject, now: float) -> bool:
    """``TTL`` is in nanoseconds; 0 never expires."""
    ttl = child(lock, "TTL")
    if not isinstance(ttl, int) or ttl <= 0:
        return False
    try:
        created = datetime.fromisoformat(text(lock, "created")).timestamp()
    except ValueError:
        return False
    return now >= created + ttl / 1e9


def unknown_holds(nodes: Iterable[str], what: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What could not be read may hold any node."""
    for name in nodes:
        yield name, (f"whether it is in maintenance is not known: {what}",)
