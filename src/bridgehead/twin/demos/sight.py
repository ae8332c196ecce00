"""What there is to see of the twin's nodes, as people care for it: version, devices, jobs."""

import msgspec

from bridgehead.twin.demos.script import Script
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, at, fields, is_deleting, items, name_of, text, uid_of
from bridgehead.twin.store import Store

_NODES, _PODS = Stored("", "nodes"), Stored("", "pods")
_DAEMON_SETS = Stored("apps", "daemonsets")
NAMESPACE = "gpu"
PLUGIN = "accelerator-plugin"
"""Name of the DaemonSet, and the value of its pods' label ``app``."""


class NodeSight(msgspec.Struct, frozen=True, kw_only=True):
    """One node at one moment."""

    name: str
    product: str
    kernel: str
    version: str
    """Tag of its plugin pod's image; empty where there is no pod."""
    state: str
    """``Ready``, ``Starting``, ``Stopping``; empty where there is no pod."""
    offered: int
    present: int
    """Devices that are physically there."""
    jobs: tuple[str, ...]
    cordoned: bool


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster at one moment."""

    nodes: tuple[NodeSight, ...]
    """In the order of their names."""
    desired: int
    ready: int
    """Pods of the plugin as ``kubectl get daemonset`` counts them."""
    jobs: frozenset[tuple[str, str, int]]
    """Pods that hold devices: name, uid, restarts. Whoever is missing later was harmed."""


def sight(store: Store, script: Script) -> Sight:
    """What there is to see now."""
    daemon_set = store.get(_DAEMON_SETS, NAMESPACE, PLUGIN) or {}
    return Sight(
        nodes=tuple(_nodes(store, script)),
        desired=at(daemon_set, "status", "desiredNumberScheduled") or 0,
        ready=at(daemon_set, "status", "numberReady") or 0,
        jobs=frozenset(_alive(pod) for pod in store.select(_PODS) if _is_job(pod)),
    )


def _is_job(pod: Object) -> bool:
    return "job" in fields(pod, "metadata", "labels") and text(pod, "status", "phase") == "Running"


def _alive(pod: Object) -> tuple[str, str, int]:
    restarts = sum(item["restartCount"] for item in items(pod, "status", "containerStatuses"))
    return name_of(pod), uid_of(pod), restarts


def _nodes(store: Store, script: Script) -> list[NodeSight]:
    hardware = {
        name: machines.hardware.get(script.plugin.resource, 0)
        for machines in script.machines
        for name in machines.names
    }
    products = {name: item.product for item in script.machines for name in item.names}
    plugins: dict[str, Object] = {}
    jobs: dict[str, list[str]] = {}
    for pod in store.select(_PODS):
        node = text(pod, "spec", "nodeName")
        if text(pod, "metadata", "labels", "app") == PLUGIN:
            plugins[node] = pod
        elif _is_job(pod):
            jobs.setdefault(node, []).append(_job(pod, script.plugin.resource))
    return [
        NodeSight(
            name=name_of(node),
            product=products.get(name_of(node), ""),
            kernel=text(node, "status", "nodeInfo", "kernelVersion"),
            version=_version(plugins.get(name_of(node))),
            state=_state(plugins.get(name_of(node))),
            offered=int(fields(node, "status", "allocatable").get(script.plugin.resource, 0)),
            present=hardware.get(name_of(node), 0),
            jobs=tuple(jobs.get(name_of(node), ())),
            cordoned=bool(at(node, "spec", "unschedulable")),
        )
        for node in store.select(_NODES)
    ]


def _job(pod: Object, resource: str) -> str:
    held = sum(
        int(fields(container, "resources", "limits").get(resource, 0))
        for container in items(pod, "spec", "containers")
    )
    return f"{name_of(pod)} ({held})"


def _version(pod: Object | None) -> str:
    images = [text(item, "image") for item in items(pod, "spec", "containers")]
    return images[0].rpartition(":")[2] if images else ""


def _state(pod: Object | None) -> str:
    if pod is None:
        return ""
    if is_deleting(pod):
        return "Stopping"
    conditions = {item["type"]: item["status"] for item in items(pod, "status", "conditions")}
    return "Ready" if conditions.get("Ready") == "True" else "Starting"
