"""Which symptoms follow from which: what explains one explains those that it brings about.

A plugin that gets no pod offers no devices; a plugin pod that does not run, none on its node; and a
node without its devices refuses pods, or is passed over by the scheduler.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import (
    Symptom,
    daemon_set_key,
    devices_key,
    pod_key,
    resource_key,
)
from bridgehead.core.model.pod import Pod


class Consequences:
    """Symptoms of a scene by what would bring them about."""

    def __init__(self, scene: Scene) -> None:
        self._next: Mapping[str, tuple[str, ...]] = _direct(scene)

    def of(self, keys: Iterable[str]) -> frozenset[str]:
        """The keys and all that follows from them."""
        found: set[str] = set()
        left = list(keys)
        while left:
            key = left.pop()
            if key not in found:
                found.add(key)
                left.extend(self._next.get(key, ()))
        return frozenset(found)


def _direct(scene: Scene) -> dict[str, tuple[str, ...]]:
    known = {item.key for item in scene.symptoms}
    found: dict[str, set[str]] = defaultdict(set)
    short: dict[str, list[Symptom]] = defaultdict(list)
    for symptom in scene.symptoms_with("devices/"):
        short[symptom.resource].append(symptom)
    for plugin in scene.plugins:
        _of_plugin(plugin, known, short, found)
    asking = _asking(scene, known)
    for resource, symptoms in short.items():
        for pod in asking.get(resource, ()):
            for symptom in symptoms:
                if _waits_for(pod, symptom):
                    found[symptom.key].add(pod_key(pod))
    for resource, pods in asking.items():
        found[resource_key(resource)] |= {pod_key(pod) for pod in pods if not pod.bound}
    return {key: tuple(sorted(keys & known)) for key, keys in found.items()}


def _of_plugin(
    plugin: Plugin,
    known: set[str],
    short: Mapping[str, list[Symptom]],
    found: dict[str, set[str]],
) -> None:
    """What a plugin without pods, or with pods that do not run, brings about."""
    component = plugin.component
    own = daemon_set_key(component.namespace, component.name)
    for pod in plugin.pods:
        if pod_key(pod) in known:
            found[pod_key(pod)] |= {devices_key(pod.node, name) for name in plugin.resources}
    if own in known:
        found[own] |= {
            symptom.key
            for name in plugin.resources
            for symptom in short.get(name, ())
            if (there := plugin.pod_on(symptom.node)) is None or not there.ready
        }
        found[own] |= {resource_key(name) for name in plugin.resources}


def _asking(scene: Scene, known: set[str]) -> dict[str, list[Pod]]:
    """Pods with a symptom, by the resources that they ask for."""
    found: dict[str, list[Pod]] = defaultdict(list)
    for pod in scene.observed.snapshot.pods:
        if pod.requests and pod_key(pod) in known:
            for name in pod.requests:
                found[name].append(pod)
    return found


def _waits_for(pod: Pod, symptom: Symptom) -> bool:
    """Whether the pod was refused on that node, or is placed nowhere while devices are missing."""
    if not pod.bound:
        return pod.phase == "Pending"
    return pod.node == symptom.node and (pod.refused or not pod.admitted)
