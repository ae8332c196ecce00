"""What is wrong with devices in a cluster, before anybody asks why.

Only what matters to devices: nodes that offer fewer than they should, pods of plugins and pods that
ask for devices, DaemonSets of plugins, names that nobody offers. What looks bad and is not (a gap
just after a start, a finished pod, a cordoned node) is no symptom.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.device_signs import resources_of
from bridgehead.core.diagnose.pod_state import unsound
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import (
    Symptom,
    daemon_set_key,
    devices_key,
    pod_key,
    resource_key,
)
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import child
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod

PATIENCE = 60.0
"""Seconds that a pod may take to start, and a node to show its devices after that."""


def symptoms_of(scene: Scene) -> tuple[Symptom, ...]:
    """All symptoms, in a stable order: DaemonSets, pods, nodes, names."""
    return (
        *_daemon_sets(scene),
        *_pods(scene),
        *_devices(scene),
        *_names(scene),
    )


def _daemon_sets(scene: Scene) -> Iterable[Symptom]:
    for plugin in scene.plugins:
        component = plugin.component
        ref = ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name)
        for why, evidence in _unlike(scene, plugin):
            yield Symptom(
                key=daemon_set_key(component.namespace, component.name),
                text=why,
                object=ref,
                evidence=evidence,
            )
            break


def _unlike(scene: Scene, plugin: Plugin) -> Iterable[tuple[str, tuple[Evidence, ...]]]:
    """Why its controller does not make the pods that it should; the gravest first."""
    component = plugin.component
    name = f"DaemonSet/{component.namespace}/{component.name}"
    failed = [
        event
        for event in scene.observed.events_of("DaemonSet", component.namespace, component.name)
        if event.reason == "FailedCreate"
    ]
    status = child(
        scene.observed.raw("DaemonSet", component.namespace, component.name) or {}, "status"
    )
    desired, current, updated = (
        _number(status, field)
        for field in (
            "desiredNumberScheduled",
            "currentNumberScheduled",
            "updatedNumberScheduled",
        )
    )
    if failed and current < desired:
        proof = (Evidence(failed[-1].source, failed[-1].message),)
        yield f"{name} wants {desired} pods and has {current}: creating them fails", proof
    counts = (Evidence(f"status of {name}", f"desired {desired}, current {current}"),)
    if desired == 0 and scene.nodes:
        yield f"{name} wants no pod on any node", counts
    elif current < desired and not failed:
        yield f"{name} wants {desired} pods and has {current}", counts
    elif updated < desired and component.strategy_type == "RollingUpdate":
        proof = (Evidence(f"status of {name}", f"desired {desired}, updated {updated}"),)
        yield f"{name} has {updated} of {desired} pods on its newest revision", proof


def _number(status: object, field: str) -> int:
    value = child(status, field)  # type: ignore[arg-type]
    return value if isinstance(value, int) else 0


def _pods(scene: Scene) -> Iterable[Symptom]:
    mine = {pod.ref for plugin in scene.plugins for pod in plugin.pods}
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref):
        asks = any(is_extended(name) for name in pod.requests)
        hangs = pod.bound and not pod.admitted and not pod.deleting
        if not (pod.ref in mine or asks or hangs):
            continue
        why = unsound(pod, scene.now, PATIENCE)
        if why:
            yield Symptom(
                key=pod_key(pod),
                text=f"pod {pod.ref}: {why}",
                object=ObjectRef("v1", "Pod", pod.namespace, pod.name),
                node=pod.node,
                since=pod.created or None,
                evidence=(Evidence(f"status of pod {pod.ref}", why),),
            )


def _devices(scene: Scene) -> Iterable[Symptom]:
    # A plugin that has lost all its pods offers nothing any more, and its names still count.
    resources = sorted({name for plugin in scene.plugins for name in resources_of(scene, plugin)})
    for node in scene.nodes.values():
        for resource in resources:
            found = _short(scene, node, resource)
            if found:
                yield found


def _short(scene: Scene, node: Node, resource: str) -> Symptom | None:
    offer = node.offer(resource)
    expected = scene.expected(node.name, resource)
    allocatable = offer.allocatable if offer else 0
    unhealthy = offer is not None and offer.allocatable < offer.capacity
    count = max(expected.count if expected else 0, offer.capacity if offer and unhealthy else 0)
    if allocatable >= count or node.ready is not True or _young(scene, node, resource):
        return None
    basis = expected.basis if expected else "its capacity counts so many"
    shown = str(offer) if offer else "absent"
    return Symptom(
        key=devices_key(node.name, resource),
        text=f"node {node.name} shows {resource} {shown}, expected {count} ({basis})",
        object=ObjectRef("v1", "Node", "", node.name),
        node=node.name,
        resource=resource,
        evidence=(Evidence(f"status of node {node.name}", f"{resource} {shown}"),),
    )


def _young(scene: Scene, node: Node, resource: str) -> bool:
    """Whether the plugin's pod there began so recently that its devices may still come."""
    pods = [
        pod
        for plugin in scene.plugins
        if resource in plugin.resources
        for pod in [plugin.pod_on(node.name)]
        if pod is not None
    ]
    return any(scene.now - pod.created < PATIENCE and pod.restarts == 0 for pod in pods)


def _names(scene: Scene) -> Iterable[Symptom]:
    waiting: dict[str, list[Pod]] = {}
    for pod in scene.observed.snapshot.pods:
        if pod.phase == "Pending" and not pod.bound and scene.now - pod.created >= PATIENCE:
            for name in pod.requests:
                waiting.setdefault(name, []).append(pod)
    for resource, pods in sorted(waiting.items()):
        if any(resource in node.offers for node in scene.nodes.values()):
            continue
        first = min(pods, key=lambda item: item.ref)
        yield Symptom(
            key=resource_key(resource),
            text=f"{len(pods)} waiting pods ask for {resource}, which no node offers",
            object=ObjectRef("v1", "Pod", first.namespace, first.name),
            resource=resource,
            evidence=(Evidence(f"spec of pod {first.ref}", f"{resource}: {first.requests}"),),
        )
