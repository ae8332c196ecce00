"""Pods that are about devices and not as they should be, and pods that hang on their node.

No symptom is: a pod on a node that is not ready, as that is the node's trouble; a pod that ended by
itself or long ago; a workload that runs and does not call itself ready; one that is held back on
purpose by a scheduling gate.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.patience import LATELY, PATIENCE
from bridgehead.core.diagnose.pod_state import unsound
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import Symptom, pod_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import children, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch

_BY_ADMISSION = ("UnexpectedAdmissionError", "TopologyAffinityError", "OutOf", "AdmissionError")
"""Reasons, or beginnings of them, with which a kubelet refuses a pod for good."""


def pod_symptoms(scene: Scene) -> Iterable[Symptom]:
    """In the order of their names."""
    mine = {pod.ref: plugin for plugin in scene.plugins for pod in plugin.pods}
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref):
        asks = any(is_extended(name) for name in pod.requests)
        hangs = pod.bound and not pod.admitted and not pod.deleting
        if not (pod.ref in mine or asks or hangs) or _elsewhere_the_matter(scene, pod):
            continue
        plugin = mine.get(pod.ref)
        if plugin is not None:
            replaced = pod.phase == "Failed" and plugin.pod_on(pod.node) is not None
            why = "" if replaced else unsound(pod, scene.now, PATIENCE)
        else:
            why = _of_workload(scene, pod)
        if why:
            yield Symptom(
                key=pod_key(pod),
                text=f"pod {pod.ref}: {why}",
                object=ObjectRef("v1", "Pod", pod.namespace, pod.name),
                node=pod.node,
                since=pod.created or None,
                evidence=(Evidence(f"status of pod {pod.ref}", why),),
            )


def _elsewhere_the_matter(scene: Scene, pod: Pod) -> bool:
    """Whether its node is not ready, or somebody holds it back on purpose."""
    node = scene.nodes.get(pod.node)
    if node is not None and node.ready is not True and not pod.terminal:
        return True
    conditions = children(scene.raw(pod), "status", "conditions") if not pod.bound else ()
    return any(
        text(item, "type") == "PodScheduled" and text(item, "reason") == "SchedulingGated"
        for item in conditions
    )


def _of_workload(scene: Scene, pod: Pod) -> str:
    """Why a pod that is no plugin's is not as it should be, as far as devices may be to blame."""
    if pod.phase == "Failed":
        refused = pod.reason.startswith(_BY_ADMISSION)
        lately = scene.now - _ended(scene, pod) < LATELY
        return unsound(pod, scene.now, PATIENCE) if refused and lately else ""
    if pod.phase == "Running" and all(item.state == "running" for item in pod.containers):
        return ""
    return unsound(pod, scene.now, PATIENCE)


def _ended(scene: Scene, pod: Pod) -> float:
    """When a kubelet refused it: the time at which it was taken up, or its creation."""
    taken = epoch(text(scene.raw(pod), "status", "startTime"))
    return taken if taken is not None else pod.created
