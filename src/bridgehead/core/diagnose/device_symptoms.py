"""Nodes that offer fewer devices than they should.

No symptom is: a node that is not ready, that others are working on, or whose plugin or kubelet has
just started; a node of which nothing says how many it should offer.
"""

from collections.abc import Collection, Iterable, Mapping

from bridgehead.core.diagnose.device_signs import resources_of
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import Symptom, devices_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node
from bridgehead.core.plan.foreign_holds import foreign_hold


def device_symptoms(scene: Scene) -> Iterable[Symptom]:
    """By node and resource.

    A plugin that has lost all its pods offers nothing any more, and its names still count.
    """
    names = {plugin.component.ref: resources_of(scene, plugin) for plugin in scene.plugins}
    resources = sorted({name for found in names.values() for name in found})
    plugins = {
        name: [item for item in scene.plugins if name in names[item.component.ref]]
        for name in resources
    }
    dark = {name for name in resources if _is_dark(scene, plugins[name], names)}
    asked = {
        name
        for pod in scene.observed.snapshot.pods
        if not pod.terminal
        for name, count in pod.requests.items()
        if count
    }
    for node in scene.nodes.values():
        if node.ready is not True or _in_other_hands(node) or _just_began(scene, node):
            continue
        for resource in resources:
            mine = plugins[resource]
            some = _any_at_all(node, resource, mine, asked) if resource in dark else (0, "")
            found = _short(scene, node, resource, mine, some)
            if found is not None:
                yield found


def _short(
    scene: Scene, node: Node, resource: str, plugins: list[Plugin], some: tuple[int, str]
) -> Symptom | None:
    """``some``: what is expected where nothing else says how many there should be."""
    offer = node.offer(resource)
    allocatable = offer.allocatable if offer else 0
    count, basis, guessed = 0, "", False
    expected = scene.expected(node.name, resource)
    if expected is not None:
        count, basis = expected.count, expected.basis
        guessed = expected.confidence is Confidence.LOW and offer is None
    if offer is not None and offer.allocatable < offer.capacity and offer.capacity > count:
        count, basis = offer.capacity, "its capacity counts so many"
    held = scene.in_use(node.name, resource)
    if held > max(count, allocatable):
        count, basis, guessed = held, "pods that run there hold so many", False
    if count == 0:
        count, basis = some
    if allocatable >= count or _young(scene, node, plugins):
        return None
    shown = str(offer) if offer else "absent"
    return Symptom(
        key=devices_key(node.name, resource),
        text=f"node {node.name} shows {resource} {shown}, expected {count} ({basis})",
        object=ObjectRef("v1", "Node", "", node.name),
        node=node.name,
        resource=resource,
        evidence=(Evidence(f"status of node {node.name}", f"{resource} {shown}"),),
        guessed=guessed,
    )


def _is_dark(scene: Scene, plugins: list[Plugin], names: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether no node has a healthy device of any name of these plugins, a sibling's included."""
    mine = {name for plugin in plugins for name in names[plugin.component.ref]}
    domains = {name.partition("/")[0] for name in mine}
    return not any(
        offer.allocatable and (name in mine or name.partition("/")[0] in domains)
        for node in scene.nodes.values()
        for name, offer in node.offers.items()
    )


def _any_at_all(
    node: Node, resource: str, plugins: list[Plugin], asked: Collection[str]
) -> tuple[int, str]:
    """Where no node has any: one, if a label tells of a device here or pods ask for the name.

    A plugin that finds nothing on nodes without its device is as it should be.
    """
    serving = [plugin for plugin in plugins if plugin.pod_on(node.name) is not None]
    if not serving:
        return 0, ""
    hints = [hint for plugin in serving for hint in plugin.family.hints_in(node.labels)]
    if hints:
        return 1, f"its label {hints[0]} tells of a device"
    if resource in asked and node.offer(resource) is not None:
        return 1, "pods ask for it, and no node has any"
    return 0, ""


def _in_other_hands(node: Node) -> bool:
    """Whether others are working on the node; a run of ours looks at its own nodes."""
    return bool(foreign_hold(node, node.held_by))


def _just_began(scene: Scene, node: Node) -> bool:
    start = scene.kubelet_starts.get(node.name)
    return start is not None and 0 <= scene.now - start.at < PATIENCE


def _young(scene: Scene, node: Node, plugins: list[Plugin]) -> bool:
    """Whether a plugin's pod there began so recently that its devices may still come."""
    for plugin in plugins:
        pods = plugin.pods_on(node.name)
        if any(pod.deleting for pod in pods):
            return True
        pod = plugin.pod_on(node.name)
        if pod is not None and scene.now - pod.created < PATIENCE and pod.restarts == 0:
            return True
    return False
