"""Nodes that offer fewer devices than they should.

No symptom is: a node that is not ready, that others are working on, or whose plugin or kubelet has
just started (``core.diagnose.too_early`` says so); a node of which nothing says how many it should
offer.
"""

from collections.abc import Collection, Iterable

from bridgehead.core.diagnose.device_signs import resources_of
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import Symptom, devices_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.foreign_holds import foreign_hold


def device_symptoms(scene: Scene) -> Iterable[Symptom]:
    """By node and resource.

    A plugin that has lost all its pods offers nothing any more, and its names still count.
    """
    survey = Survey(scene)
    for node in survey.nodes:
        for resource, plugins in survey.plugins.items():
            condemned = _condemned(scene, node, plugins)
            if just_began(scene, node) and not condemned:
                continue
            gap = survey.gap(node, resource)
            if gap is not None and (condemned or not _any_young(scene, node, plugins)):
                yield gap
            elif condemned:
                yield _failed(node, resource)


class Survey:
    """What nodes should offer, asked of all nodes alike."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.names = {it.component.ref: resources_of(scene, it) for it in scene.plugins}
        """Names of each plugin by its ``ref``."""
        self.plugins = {
            name: [item for item in scene.plugins if name in self.names[item.component.ref]]
            for name in sorted({name for found in self.names.values() for name in found})
        }
        """Plugins of each name."""
        self._dark = {name for name, found in self.plugins.items() if self.is_dark(found)}
        self._asked = {
            name
            for pod in scene.observed.snapshot.pods
            if not pod.terminal
            for name, count in pod.requests.items()
            if count
        }

    @property
    def nodes(self) -> Iterable[Node]:
        """Nodes that are judged at all: ready, and in nobody else's hands."""
        for node in self._scene.nodes.values():
            if node.ready is True and not _in_other_hands(node):
                yield node

    def is_dark(self, plugins: list[Plugin]) -> bool:
        """Whether no node has a healthy device of any name of these, a sibling's included."""
        mine = {name for plugin in plugins for name in self.names[plugin.component.ref]}
        domains = {name.partition("/")[0] for name in mine}
        return not any(
            offer.allocatable and (name in mine or name.partition("/")[0] in domains)
            for node in self._scene.nodes.values()
            for name, offer in node.offers.items()
        )

    def gap(self, node: Node, resource: str) -> Symptom | None:
        """That the node offers fewer than it should, if so, whatever has just begun there."""
        plugins, dark = self.plugins[resource], resource in self._dark
        some = _any_at_all(node, resource, plugins, self._asked) if dark else (0, "")
        return _short(self._scene, node, resource, some)


def _short(scene: Scene, node: Node, resource: str, some: tuple[int, str]) -> Symptom | None:
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
    if allocatable >= count:
        return None
    said = f"node {node.name} shows {_shown(node, resource)}, expected {count} ({basis})"
    return _symptom(node, resource, said, guessed=guessed)


def _symptom(node: Node, resource: str, said: str, *, guessed: bool = False) -> Symptom:
    return Symptom(
        key=devices_key(node.name, resource),
        text=said,
        object=ObjectRef("v1", "Node", "", node.name),
        node=node.name,
        resource=resource,
        evidence=(Evidence(f"status of node {node.name}", _shown(node, resource)),),
        guessed=guessed,
    )


def _shown(node: Node, resource: str) -> str:
    return f"{resource} {node.offer(resource) or 'absent'}"


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


def just_began(scene: Scene, node: Node) -> bool:
    """Whether the node's kubelet began so recently that no value of the node is a verdict."""
    start = scene.kubelet_starts.get(node.name)
    return start is not None and 0 <= scene.now - start.at < PATIENCE


def _condemned(scene: Scene, node: Node, plugins: list[Plugin]) -> bool:
    """Whether a run's gates, which have a patience of their own, found that one of them fails."""
    verdicts = scene.observed.verdicts
    return any(verdicts.gate(plugin.component.ref, node.name) for plugin in plugins)


def _failed(node: Node, resource: str) -> Symptom:
    """Devices stay on offer for a while after their plugin has failed."""
    said = f"its plugin failed in a run on node {node.name}, which shows {_shown(node, resource)}"
    return _symptom(node, resource, said)


def _any_young(scene: Scene, node: Node, plugins: list[Plugin]) -> bool:
    """Whether a plugin's pod there began so recently that its devices may still come."""
    return any(young_pod(scene, node, plugin) is not None for plugin in plugins)


def young_pod(scene: Scene, node: Node, plugin: Plugin) -> Pod | None:
    """The plugin's pod there that is on its way out or has just begun; None where it is neither."""
    for pod in plugin.pods_on(node.name):
        if pod.deleting:
            return pod
    newest = plugin.pod_on(node.name)
    if newest is not None and scene.now - newest.created < PATIENCE and newest.restarts == 0:
        return newest
    return None
