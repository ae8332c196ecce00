"""A small cluster with one plugin, as tests of diagnosis need it: made of API objects."""

from collections.abc import Mapping
from typing import Any

from bridgehead.app.observing import observed_from
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.findings.needs import KINDS
from bridgehead.core.findings.observed import Log, LogId, Observed
from bridgehead.core.journal.entry import stamp

NOW = 1_769_860_800.0
"""2026-01-31T12:00:00Z"""
CARD = "vendor.example/card"
Object = dict[str, Any]

EVERY_KIND = frozenset(kind for kinds in KINDS.values() for kind in kinds)


def ago(seconds: float) -> str:
    """A time before now, as objects write it."""
    return stamp(NOW - seconds)


def node(
    name: str,
    offer: str = "4/4",
    *,
    resource: str = CARD,
    ready: str = "True",
    labels: Mapping[str, str] = {},
    info: Mapping[str, str] = {},
    **spec: Any,
) -> Object:
    """A node that shows CAPACITY/ALLOCATABLE of a resource; an empty offer: the name is absent."""
    capacity, _, allocatable = offer.partition("/")
    conditions = [{"type": "Ready", "status": ready, "lastTransitionTime": ago(86400)}]
    status: Object = {"conditions": conditions, "nodeInfo": dict(info)}
    if offer:
        status |= {"capacity": {resource: capacity}, "allocatable": {resource: allocatable}}
    metadata = {"name": name, "labels": dict(labels), "creationTimestamp": ago(90000)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def daemon_set(desired: int = 1, current: int | None = None, **status: int) -> Object:
    """The plugin; it names what it offers."""
    counts = {
        "desiredNumberScheduled": desired,
        "currentNumberScheduled": desired if current is None else current,
        "updatedNumberScheduled": desired,
    }
    mount = {"name": "dir", "mountPath": "/var/lib/kubelet/device-plugins"}
    spec = {
        "containers": [
            {
                "name": "ctr",
                "image": "registry.example/plugin:1",
                "args": [f"--resource={CARD}"],
                "volumeMounts": [mount],
            }
        ],
        "volumes": [{"name": "dir", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "plugin", "namespace": "gpu", "creationTimestamp": ago(90000)},
        "spec": {
            "selector": {"matchLabels": {"app": "plugin"}},
            "updateStrategy": {"type": "RollingUpdate"},
            "template": {"metadata": {"labels": {"app": "plugin"}}, "spec": spec},
        },
        "status": counts | status,
    }


def revision(name: str, number: int, age: float) -> Object:
    """A version of the plugin, other than every one with another number."""
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"plugin-{name}",
            "namespace": "gpu",
            "creationTimestamp": ago(age),
            "labels": {"controller-revision-hash": name},
            "ownerReferences": [{"kind": "DaemonSet", "name": "plugin", "controller": True}],
        },
        "revision": number,
        "data": {"spec": {"template": {"spec": {"priority": number}}}},
    }


def plugin_pod(
    at: str, *, age: float = 7200, revision: str = "", waits: str = "", **metadata: Any
) -> Object:
    """The plugin's pod on a node; ``waits`` is the reason for which its container does."""
    found = pod(f"plugin-{at}", at, namespace="gpu", age=age, waits=waits)
    found["metadata"] |= {
        "ownerReferences": [{"kind": "DaemonSet", "name": "plugin", "controller": True}],
        **metadata,
    }
    if revision:
        found["metadata"]["labels"] = {"controller-revision-hash": revision}
    found["spec"]["volumes"] = [
        {"name": "dir", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}
    ]
    return found


def pod(
    name: str,
    at: str = "",
    *,
    namespace: str = "ml",
    asks: int = 0,
    resource: str = CARD,
    age: float = 7200,
    waits: str = "",
    **status: Any,
) -> Object:
    """A pod; on a node it runs, without one it is pending."""
    limits = {resource: str(asks)} if asks else {}
    state: Object = (
        {"waiting": {"reason": waits}} if waits else {"running": {"startedAt": ago(age)}}
    )
    running = {
        "phase": "Running",
        "startTime": ago(age),
        "conditions": [{"type": "Ready", "status": "False" if waits else "True"}],
        "containerStatuses": [{"name": "ctr", "ready": not waits, "state": state}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "creationTimestamp": ago(age)},
        "spec": {
            **({"nodeName": at} if at else {}),
            "containers": [
                {"name": "ctr", "image": "registry.example/x:1", "resources": {"limits": limits}}
            ],
        },
        "status": (running if at else {"phase": "Pending"}) | status,
    }


def event(
    reason: str, kind: str, name: str, message: str, *, namespace: str = "", age: float = 60
) -> Object:
    """A warning."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{reason}", "namespace": namespace or "default"},
        "type": "Warning",
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": kind, "namespace": namespace, "name": name},
        "lastTimestamp": ago(age),
    }


def log(at: str, *lines: str) -> tuple[LogId, Log]:
    """The log of the plugin's pod on a node."""
    return LogId("gpu", f"plugin-{at}", "ctr"), Log(lines)


def observed(*objects: Object, logs: Mapping[LogId, Log] | None = None) -> Observed:
    """The cluster, all of it read."""
    return observed_from(objects, at=NOW, logs=logs or {}, complete=EVERY_KIND)


def scene(*objects: Object) -> Scene:
    """The cluster with its symptoms."""
    found = observed(*objects)
    return Scene(found, symptoms_of(Scene(found)))


def keys(*objects: Object) -> list[str]:
    """Keys of the cluster's symptoms."""
    return [item.key for item in scene(*objects).symptoms]
