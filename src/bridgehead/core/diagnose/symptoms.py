"""What is wrong with devices in a cluster, before anybody asks why.

Only what matters to devices: nodes that offer fewer than they should, pods of plugins and pods that
ask for devices, DaemonSets of plugins, names that nobody offers. What looks bad and is not (a gap
just after a start, a finished pod, a cordoned node) is no symptom.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.daemon_set_symptoms import daemon_set_symptoms
from bridgehead.core.diagnose.device_symptoms import device_symptoms
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.pod_symptoms import pod_symptoms
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import Symptom, resource_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.pod import Pod


def symptoms_of(scene: Scene) -> tuple[Symptom, ...]:
    """All symptoms, in a stable order: DaemonSets, pods, nodes, names."""
    return (
        *daemon_set_symptoms(scene),
        *pod_symptoms(scene),
        *device_symptoms(scene),
        *_names(scene),
    )


def _names(scene: Scene) -> Iterable[Symptom]:
    waiting: dict[str, list[Pod]] = {}
    for pod in scene.waiting_pods:
        if scene.now - pod.created >= PATIENCE and not pod.deleting:
            for name in filter(is_extended, pod.requests):
                waiting.setdefault(name, []).append(pod)
    offered = {name for node in scene.nodes.values() for name in node.offers}
    for resource, pods in sorted(waiting.items()):
        if resource in offered:
            continue
        first = min(pods, key=lambda item: item.ref)
        counted = "a waiting pod asks" if len(pods) == 1 else f"{len(pods)} waiting pods ask"
        yield Symptom(
            key=resource_key(resource),
            text=f"{counted} for {resource}, which no node offers",
            object=ObjectRef("v1", "Pod", first.namespace, first.name),
            resource=resource,
            evidence=(
                Evidence(f"spec of pod {first.ref}", f"{resource}: {first.requests[resource]}"),
            ),
        )
