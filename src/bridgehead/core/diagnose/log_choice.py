"""Whose logs are worth reading: of plugins that are suspicious, of a few sound ones to compare
with, and of pods that need explaining."""

from collections.abc import Collection, Iterable

from bridgehead.core.components.label_writers import writes_labels
from bridgehead.core.components.resources import pods_of
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.pod_state import unsound
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.findings.observed import LogId, Observed
from bridgehead.core.inventory.cohort import cohort_of
from bridgehead.core.model.pod import Container, Pod

MOST_SUSPICIOUS = 200
"""Pods of one plugin whose logs are read: more say nothing new."""
MOST_SOUND = 32
"""Sound pods of one plugin, of different kinds of nodes."""
FEW = 4
"""Pods that a failed one is compared with where there is little time."""
MOST_OTHERS = 100
"""Other pods that need explaining."""


def logs_to_read(scene: Scene) -> tuple[tuple[LogId, ...], int]:
    """Logs of current and previous containers, in order; and of how many pods none are read."""
    pods: dict[str, Pod] = {}
    passed = 0
    for plugin in scene.plugins:
        suspicious, sound = _of_plugin(scene, plugin)
        passed += max(0, len(suspicious) - MOST_SUSPICIOUS)
        chosen = (*suspicious[:MOST_SUSPICIOUS], *_varied(scene, sound)[:MOST_SOUND])
        pods.update((pod.ref, pod) for pod in chosen)
    others = [pod for pod in _others(scene) if pod.ref not in pods]
    passed += max(0, len(others) - MOST_OTHERS)
    pods.update((pod.ref, pod) for pod in others[:MOST_OTHERS])
    keys = (key for ref in sorted(pods) for key in _of_pod(pods[ref]))
    return tuple(keys), passed


def logs_near(
    observed: Observed, component: str, nodes: Collection[str]
) -> tuple[tuple[LogId, ...], int]:
    """Logs of one component on some nodes, and of a few of its other pods to compare with.

    Without a look at anything else: for a moment in which nothing must wait for this.
    """
    snapshot = observed.snapshot
    found = next((item for item in snapshot.components if item.ref == component), None)
    pods = pods_of(found, snapshot.pods) if found is not None else ()
    order = sorted(pods, key=lambda pod: (pod.node not in nodes, pod.node, pod.ref))
    here = sum(pod.node in nodes for pod in order)
    chosen = order[: min(here, MOST_SUSPICIOUS) + FEW]
    return tuple(key for pod in chosen for key in _of_pod(pod)), 0


def _of_plugin(scene: Scene, plugin: Plugin) -> tuple[list[Pod], list[Pod]]:
    """Its pods that are suspicious, and those that are sound, both by node.

    Where it is not known what a plugin offers, all of its pods are suspicious: it may offer none.
    """
    short = {
        item.node for item in scene.symptoms_with("devices/") if item.resource in plugin.resources
    }
    bad = {item.key for item in scene.symptoms_with("pod/")}
    suspicious: list[Pod] = []
    sound: list[Pod] = []
    for pod in sorted(plugin.pods, key=lambda item: (item.node, item.ref)):
        doubtful = pod.node in short or pod_key(pod) in bad or bool(pod.restarts)
        (suspicious if doubtful or not plugin.resources else sound).append(pod)
    return suspicious, sound


def _varied(scene: Scene, pods: Iterable[Pod]) -> list[Pod]:
    """The first pod of each kind of node first."""
    firsts: dict[str, Pod] = {}
    rest: list[Pod] = []
    for pod in pods:
        node = scene.nodes.get(pod.node)
        cohort = cohort_of(node).name if node is not None else ""
        if cohort in firsts:
            rest.append(pod)
        else:
            firsts[cohort] = pod
    return [*firsts.values(), *rest]


def _others(scene: Scene) -> list[Pod]:
    """Pods with a symptom, and unsound ones beside plugins or of DaemonSets that label nodes."""
    near = {plugin.component.namespace for plugin in scene.plugins}
    snapshot = scene.observed.snapshot
    labelling = {
        pod.ref
        for item in snapshot.components
        if writes_labels(item.template)
        for pod in pods_of(item, snapshot.pods)
    }
    bad = {item.key for item in scene.symptoms_with("pod/")}
    return [
        pod
        for pod in snapshot.pods
        if pod_key(pod) in bad
        or ((pod.namespace in near or pod.ref in labelling) and unsound(pod, scene.now, PATIENCE))
    ]


def _of_pod(pod: Pod) -> Iterable[LogId]:
    """Containers that have ever run; of init containers those that have not simply done."""
    for item in pod.init_containers:
        done = item.state == "terminated" and item.exit_code == 0
        if not done:
            yield from _of_container(pod, item)
    for item in pod.containers:
        yield from _of_container(pod, item)


def _of_container(pod: Pod, item: Container) -> Iterable[LogId]:
    ended = item.last_exit_code is not None
    if item.state in ("running", "terminated") or ended:
        yield LogId(pod.namespace, pod.name, item.name)
    if ended:
        yield LogId(pod.namespace, pod.name, item.name, True)
