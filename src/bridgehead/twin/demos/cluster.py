"""The cluster of a demonstration: its machines, its plugin, its jobs."""

import asyncio
from collections.abc import Iterator

from bridgehead.twin.demos.script import ImagePart, Machines, Script
from bridgehead.twin.demos.sight import NAMESPACE, PLUGIN
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.images import Image, Images, Overlay
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry

CONTAINER = "plugin"
_PRODUCT = "nvidia.com/gpu.product"
_FOLDER = "/var/lib/kubelet/device-plugins"
_SETTLED = 120.0
"""Simulated seconds in which everything has started."""


def fleet_of(script: Script) -> Fleet:
    """Machines and images."""
    images = Images()
    for reference, part in script.images.items():
        knobs = {"resource": script.plugin.resource, "idPrefix": "GPU"}
        images.add(reference, Image(program="plugin", knobs=knobs))
        if part.knobs:
            images.lay(_fault(reference, part))
    machines = [_machine(name, kind) for kind in script.machines for name in kind.names]
    return Fleet(machines, images=images)


def mend(fleet: Fleet) -> None:
    """Let everything be well from now on, whatever version starts anew."""
    for overlay in fleet.images.overlays:
        fleet.images.lift(overlay)


async def furnish(registry: Registry, script: Script) -> None:
    """Make the objects that people would have made, and wait until they all run."""
    registry.create(registry.kinds.named("", "namespaces"), {"metadata": {"name": NAMESPACE}})
    await asyncio.sleep(1)  # its service account is made meanwhile
    for group, plural, obj in _objects(script):
        kind = registry.kinds.named(group, plural)
        registry.create(kind, obj, namespace=NAMESPACE)
    await asyncio.sleep(_SETTLED)


def _fault(reference: str, part: ImagePart) -> Overlay:
    def where(machine: Machine) -> bool:
        return part.only_on in {"", machine.name, machine.labels[_PRODUCT]}

    return Overlay(image=reference, where=where, knobs=part.knobs)


def _machine(name: str, kind: Machines) -> Machine:
    labels = {_PRODUCT: kind.product, "nvidia.com/gpu.present": "true"}
    return Machine(name=name, hardware=kind.hardware, labels=labels, kernel=kind.kernel)


def _objects(script: Script) -> Iterator[tuple[str, str, Object]]:
    yield "apps", "daemonsets", _plugin(script)
    for job in script.jobs:
        limits = {script.plugin.resource: str(job.devices)}
        container = {
            "name": "job",
            "image": f"registry.example/{job.name}:3",
            "resources": {"limits": limits},
        }
        spec = {"nodeSelector": {"kubernetes.io/hostname": job.node}, "containers": [container]}
        metadata = {"name": job.name, "labels": {"job": job.name}}
        yield "", "pods", {"metadata": metadata, "spec": spec}


def _plugin(script: Script) -> Object:
    labels = {"app": PLUGIN}
    container = {
        "name": CONTAINER,
        "image": script.plugin.image,
        "volumeMounts": [{"name": "device-plugins", "mountPath": _FOLDER}],
    }
    spec = {
        "priorityClassName": "system-node-critical",
        "nodeSelector": {"nvidia.com/gpu.present": "true"},
        "tolerations": [{"operator": "Exists"}],
        "containers": [container],
        "volumes": [{"name": "device-plugins", "hostPath": {"path": _FOLDER}}],
    }
    return {
        "metadata": {"name": PLUGIN},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }
