"""What a diagnosis is asked about: everything, one component, or some nodes."""

from collections.abc import Collection

import msgspec

from bridgehead.core.components.registration import DEVICE_PLUGINS
from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import Symptom, daemon_set_key, pod_key
from bridgehead.core.findings.needs import Need


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """``component`` is ``daemonset/NAMESPACE/NAME``; both empty ask about everything."""

    component: str = ""
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [self.component, *(f"node {name}" for name in self.nodes)]
        return ", ".join(filter(None, parts)) or "everything"

    def within(self, scene: Scene) -> "Asked":
        """The question where it is asked."""
        return Asked(scene, self)


EVERYTHING = Question()


def not_there(scene: Scene, question: Question) -> str:
    """What is asked about and is not there, or is no device plugin; empty where all of it is.

    What could not be read may be there.
    """
    observed = scene.observed
    for name in question.nodes:
        if name not in scene.nodes and observed.has(Need.NODES):
            return f"there is no node {name}"
    plugins = [item.component.ref for item in scene.plugins]
    if not question.component or question.component in plugins:
        return ""
    known = f"device plugins of this cluster: {', '.join(plugins) or 'none'}"
    if any(item.ref == question.component for item in observed.snapshot.components):
        return (
            f"{question.component} is no device plugin: none of its containers mounts "
            f"the kubelet's folder {DEVICE_PLUGINS}; {known}"
        )
    return f"{question.component} is not there; {known}" if observed.has(Need.DAEMON_SETS) else ""


class Asked:
    """A question with the scene that it is asked of. Component and nodes narrow it together."""

    def __init__(self, scene: Scene, question: Question) -> None:
        self._question = question
        plugin = next(
            (item for item in scene.plugins if item.component.ref == question.component), None
        )
        self._resources = _names_of(scene, plugin) if plugin is not None else frozenset()
        self._names = tuple(question.component.split("/")[1:])
        mine = {pod_key(pod) for pod in plugin.pods} if plugin is not None else set()
        if self._names:
            mine.add(daemon_set_key(*self._names))
        self._own = frozenset(mine)
        self._asking = {
            pod_key(pod): pod.node
            for pod in scene.observed.snapshot.pods
            if self._resources & set(pod.requests)
        }
        self._pods_there = frozenset(
            pod_key(pod) for name in question.nodes for pod in scene.pods_on(name)
        )
        self._keys = frozenset(item.key for item in scene.symptoms if self.includes(item))

    def includes(self, symptom: Symptom) -> bool:
        """Whether the symptom is one of what is asked about."""
        return self._of_component(symptom) and self._of_nodes(symptom)

    def about(self, component: str, node: str) -> bool:
        """Whether a plugin on a node is part of what is asked about."""
        question = self._question
        if question.component and component != question.component:
            return False
        return not question.nodes or node in question.nodes

    def concerns(self, cause: Cause, reach: Collection[str]) -> bool:
        """Whether the cause explains any of it, or speaks of the component or the nodes."""
        question = self._question
        if not (question.component or question.nodes):
            return True
        if self._keys & set(reach):
            return True
        named = (cause.object.namespace, cause.object.name) == self._names
        pod = f"pod/{cause.object.namespace}/{cause.object.name}"
        own = cause.object.kind == "Pod" and pod in self._own
        there = bool(set(question.nodes) & set(cause.nodes))
        if question.component and question.nodes:
            return (named or own) and (there or not cause.nodes)
        return (named or own) if question.component else there

    def _of_component(self, symptom: Symptom) -> bool:
        if not self._question.component:
            return True
        if symptom.key in self._own or symptom.key in self._asking:
            return True
        return symptom.resource in self._resources

    def _of_nodes(self, symptom: Symptom) -> bool:
        if not self._question.nodes:
            return True
        return symptom.node in self._question.nodes or symptom.key in self._pods_there


def _names_of(scene: Scene, plugin: Plugin) -> frozenset[str]:
    """The plugin's resources, and those of their domain that nobody offers any more where it runs.

    A version that renames its resource has left the old name behind, and is asked about that, too.
    """
    domains = {name.partition("/")[0] for name in plugin.resources}
    of_others = {name for item in scene.plugins if item is not plugin for name in item.resources}
    there = (scene.nodes[name] for name in {pod.node for pod in plugin.pods} & set(scene.nodes))
    left = {
        name
        for node in there
        for name in node.offers
        if name.partition("/")[0] in domains and name not in of_others
    }
    return frozenset({*plugin.resources, *left})
