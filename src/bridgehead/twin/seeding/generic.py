"""A cluster that is made up: so many nodes with accelerators, of several kinds, some of them busy.

Sizes and names are those of clusters as they are run: a few accelerator models, two kernels, eight
devices in a node.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from bridgehead.twin.objects import Object
from bridgehead.twin.seeding.recorded import seed_of
from bridgehead.twin.seeding.seed import Seed

NAMESPACE = "accelerators"
PLUGIN = "device-plugin"
IMAGE = "registry.example/device-plugin:1.0.0"
RESOURCE = "example.com/accelerator"
_HASH = "5d4b7c9f6d"
_FOLDER = "/var/lib/kubelet/device-plugins"


class Model(NamedTuple):
    """One kind of node, and how many of every ten are of it."""

    product: str
    kernel: str
    devices: int
    of_ten: int


MODELS = (
    Model("Accelerator-A80", "6.12.48", 8, 5),
    Model("Accelerator-B141", "6.12.48", 8, 3),
    Model("Accelerator-C24", "6.1.119", 4, 2),
)
"""Cohorts by ``cohort: [device, kernel]``."""


def generic_seed(nodes: int, *, at: float, pods_per_node: int = 0) -> Seed:
    """A cluster of so many nodes with one device plugin; every third node is busy.

    ``pods_per_node``: further pods that hold no devices, as every cluster has them.
    """
    models = [model for model in MODELS for _ in range(model.of_ten)]
    placed = [(f"node-{number:04}", models[number % 10]) for number in range(nodes)]
    objects: list[Object] = [_daemon_set(), _revision()]
    for number, (name, model) in enumerate(placed):
        objects.append(_node(name, model))
        objects.append(_plugin_pod(name))
        if number % 3 == 0:
            objects.append(_job_pod(name, model.devices // 2))
        objects.extend(_other_pods(name, pods_per_node))
    return seed_of(objects, at=at)


def _template() -> Object:
    mount = {"name": "plugins", "mountPath": _FOLDER}
    container = {
        "name": "plugin",
        "image": IMAGE,
        "volumeMounts": [mount],
        "env": [{"name": "RESOURCE", "value": RESOURCE}],
    }
    volume = {"name": "plugins", "hostPath": {"path": _FOLDER}}
    return {
        "metadata": {"labels": {"app": PLUGIN}},
        "spec": {
            "priorityClassName": "system-node-critical",
            "containers": [container],
            "volumes": [volume],
        },
    }


def _daemon_set() -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"namespace": NAMESPACE, "name": PLUGIN, "labels": {"app": PLUGIN}},
        "spec": {
            "selector": {"matchLabels": {"app": PLUGIN}},
            "updateStrategy": {"type": "RollingUpdate"},
            "template": _template(),
        },
    }


def _revision() -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "namespace": NAMESPACE,
            "name": f"{PLUGIN}-{_HASH}",
            "labels": {"app": PLUGIN, "controller-revision-hash": _HASH},
            "ownerReferences": [_controller("DaemonSet", PLUGIN)],
        },
        "revision": 1,
        "data": {"spec": {"template": _template()}},
    }


def _node(name: str, model: Model) -> Object:
    counts = {RESOURCE: str(model.devices)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": model.product}},
        "status": {
            "capacity": counts,
            "allocatable": counts,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kernelVersion": model.kernel},
        },
    }


def _plugin_pod(node: str) -> Object:
    labels = {"app": PLUGIN, "controller-revision-hash": _HASH}
    owner = _controller("DaemonSet", PLUGIN)
    return _pod(NAMESPACE, f"{PLUGIN}-{node}", node, IMAGE, labels=labels, owners=[owner])


def _job_pod(node: str, devices: int) -> Object:
    asked = {RESOURCE: str(devices)}
    owner = _controller("Job", f"train-{node}")
    pod = _pod("jobs", f"train-{node}-0", node, "registry.example/train:3", owners=[owner])
    pod["spec"]["containers"][0]["resources"] = {"requests": asked, "limits": asked}
    return pod


def _other_pods(node: str, count: int) -> Iterator[Object]:
    for number in range(count):
        name = f"service-{node}-{number}"
        yield _pod("services", name, node, "registry.example/service:7")


def _pod(
    namespace: str,
    name: str,
    node: str,
    image: str,
    *,
    labels: dict[str, str] | None = None,
    owners: list[Object] | None = None,
) -> Object:
    metadata: dict[str, Any] = {"namespace": namespace, "name": name, "labels": labels or {}}
    if owners:
        metadata["ownerReferences"] = owners
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": image}]},
        "status": {"phase": "Running"},
    }


def _controller(kind: str, name: str) -> Object:
    return {"kind": kind, "name": name, "controller": True}
