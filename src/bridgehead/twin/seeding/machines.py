"""Nodes of a record as machines, and what is broken on them."""

from collections.abc import Iterator, Mapping
from typing import Any

from bridgehead.core.model.device import Offer, device_count, is_extended
from bridgehead.twin.nodes.fleet import Machine
from bridgehead.twin.nodes.images import Overlay
from bridgehead.twin.objects import Object, fields, items, name_of, text

_OURS = "bridgehead.dev/"


def machine_of(node: Object) -> Machine:
    """The machine of a recorded Node; what is not recorded of it is as ``Machine`` has it."""
    info = fields(node, "status", "nodeInfo")
    capacity = fields(node, "status", "capacity")
    addresses = {text(item, "type"): text(item, "address") for item in _addresses(node)}
    known: dict[str, Any] = {
        "cpu": capacity.get("cpu"),
        "memory": capacity.get("memory"),
        "pods": device_count(str(capacity.get("pods", ""))),
        "kernel": info.get("kernelVersion"),
        "os_image": info.get("osImage"),
        "runtime": info.get("containerRuntimeVersion"),
        "kubelet": info.get("kubeletVersion"),
        "architecture": info.get("architecture"),
        "address": addresses.get("InternalIP"),
    }
    return Machine(
        name=name_of(node),
        hardware={name: offer.capacity for name, offer in offers_of(node).items()},
        labels=dict(fields(node, "metadata", "labels")),
        annotations=_foreign(fields(node, "metadata", "annotations")),
        **{key: value for key, value in known.items() if value},
    )


def offers_of(node: Object) -> dict[str, Offer]:
    """What a recorded node offers beside its own resources."""
    capacity = fields(node, "status", "capacity")
    allocatable = fields(node, "status", "allocatable")
    found = {}
    for name in sorted({*capacity, *allocatable}):
        if is_extended(name):
            total = device_count(str(capacity.get(name, "0")))
            healthy = device_count(str(allocatable.get(name, "0")))
            found[name] = Offer(total or 0, healthy or 0)
    return found


def is_down(node: Object) -> bool:
    """Whether its kubelet does not answer, or says that the node is not ready."""
    return not any(
        text(item, "type") == "Ready" and text(item, "status") == "True"
        for item in items(node, "status", "conditions")
    )


def sickness(node: Object) -> Iterator[Overlay]:
    """Devices of a recorded node that are there and unhealthy stay so, whatever version looks.

    A plugin that is gone leaves all devices unhealthy for five minutes: that is none of theirs.
    """
    name = name_of(node)
    for offer in offers_of(node).values():
        if 0 < offer.allocatable < offer.capacity:
            sick = offer.capacity - offer.allocatable
            knobs = {"unhealthyAfter": "0s", "unhealthyDevices": str(sick)}
            yield Overlay(where=lambda machine: machine.name == name, knobs=knobs)


def node_object(node: Object, machine: Machine, stamp: str) -> Object:
    """The whole Node object; ``stamp``: since when it is as it is, where nothing tells.

    Marks of a run of ours are left out: the record has no run that they belong to.
    """
    metadata = fields(node, "metadata")
    own: dict[str, Any] = {
        "name": machine.name,
        "labels": {
            "kubernetes.io/arch": machine.architecture,
            "kubernetes.io/hostname": machine.name,
            "kubernetes.io/os": "linux",
            **machine.labels,
        },
        "annotations": dict(machine.annotations),
    }
    if created := metadata.get("creationTimestamp"):
        own["creationTimestamp"] = created
    spec = {key: value for key, value in fields(node, "spec").items() if value}
    return {"metadata": own, "spec": spec, "status": _status(node, machine, stamp)}


def _status(node: Object, machine: Machine, stamp: str) -> Object:
    recorded = fields(node, "status")
    basic = {"cpu": machine.cpu, "memory": machine.memory, "pods": str(machine.pods)}
    info = {
        "kernelVersion": machine.kernel,
        "osImage": machine.os_image,
        "containerRuntimeVersion": machine.runtime,
        "kubeletVersion": machine.kubelet,
        "architecture": machine.architecture,
        "operatingSystem": "linux",
    }
    told = {text(item, "type"): item for item in items(recorded, "conditions")}
    healthy = {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "Unknown" if is_down(node) else "True",
    }
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": "Recorded",
            "message": "as recorded",
            "lastHeartbeatTime": stamp,
            "lastTransitionTime": stamp,
            **told.get(kind, {}),
        }
        for kind, status in healthy.items()
    ]
    extra = [item for kind, item in told.items() if kind not in healthy]
    return {
        **recorded,
        "capacity": {**basic, **fields(recorded, "capacity")},
        "allocatable": {**basic, **fields(recorded, "allocatable")},
        "conditions": [*conditions, *extra],
        "nodeInfo": {**info, **fields(recorded, "nodeInfo")},
    }


def _addresses(node: Object) -> list[Object]:
    return list(items(node, "status", "addresses"))


def _foreign(annotations: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in annotations.items() if not key.startswith(_OURS)}
