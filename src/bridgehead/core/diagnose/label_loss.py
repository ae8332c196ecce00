"""Nodes that a plugin lost because labels vanished, whether or not they are back."""

from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.components.label_writers import LabelWriter, writer_of, writes
from bridgehead.core.diagnose.left_out import left_out
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.revisions import templates_of
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import daemon_set_key, devices_key, pod_key
from bridgehead.core.diagnose.unserved import RECENT, Reason
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.findings.observed import Event
from bridgehead.core.inventory.placement import label_conditions
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.model.times import epoch

_ROLLING = 600.0
"""Seconds after a new revision in which deleted pods are most likely its update's."""
_SAME_MOMENT = 120.0


class LabelLoss(msgspec.Struct, frozen=True, kw_only=True):
    """One plugin's loss; ``writer_trouble`` says what is wrong with who writes the labels."""

    component: Component
    nodes: tuple[str, ...]
    labels: tuple[str, ...]
    returned: bool
    evidence: tuple[Evidence, ...]
    explains: tuple[str, ...]
    writer_trouble: tuple[Evidence, ...] = ()
    writer_pods: tuple[tuple[str, str], ...] = ()

    @property
    def where(self) -> str:
        """The nodes in words."""
        return f"{'node' if len(self.nodes) == 1 else 'nodes'} {listed(self.nodes)}"

    @property
    def object(self) -> ObjectRef:
        """The DaemonSet."""
        return ObjectRef("apps/v1", "DaemonSet", self.component.namespace, self.component.name)


def label_losses(scene: Scene) -> Iterable[LabelLoss]:
    """Losses that last, and those that are over and have left pods that start."""
    lasting = left_out(scene, Reason.VANISHED)
    for item in lasting:
        labels = tuple(sorted({asked.key for each in item.items for asked in each.failing}))
        trouble, pods = _troubled_writers(scene, labels)
        deleted = _deletions(scene, item.component)
        yield LabelLoss(
            component=item.component,
            nodes=item.nodes,
            labels=labels,
            returned=False,
            evidence=(
                Evidence(f"template of {item.component.ref}", item.first.misfits[0].text),
                *item.first.signs[:2],
                *(Evidence(event.source, event.message) for event in deleted[-1:]),
            ),
            explains=item.explains,
            writer_trouble=trouble,
            writer_pods=pods,
        )
    known = {item.component.ref for item in lasting}
    for plugin in scene.plugins:
        found = None if plugin.component.ref in known else _over(scene, plugin)
        if found:
            yield found


def _over(scene: Scene, plugin: Plugin) -> LabelLoss | None:
    """Pods deleted by their controller, new ones where the labels are back."""
    component = plugin.component
    labels = tuple(
        sorted(
            {asked.key for asked in label_conditions(component.template) if writer_of(asked.key)}
        )
    )
    deleted = _deletions(scene, component)
    if not labels or not deleted:
        return None
    begin = deleted[0].first
    fresh = [
        pod
        for pod in plugin.pods
        if not pod.terminal and pod.created >= begin and pod.node in scene.nodes
    ]
    trouble, writers = _troubled_writers(scene, labels)
    written = [item for pod in fresh for item in _written_then(scene, pod, labels)]
    if not fresh or not (trouble or written):
        return None
    nodes = tuple(sorted({pod.node for pod in fresh}))
    known = {item.key for item in scene.symptoms}
    keys = (
        daemon_set_key(component.namespace, component.name),
        *(pod_key(pod) for pod in fresh),
        *(devices_key(node, name) for node in nodes for name in plugin.resources),
    )
    explains = tuple(key for key in keys if key in known)
    if not explains:
        return None
    return LabelLoss(
        component=component,
        nodes=nodes,
        labels=labels,
        returned=True,
        evidence=(Evidence(deleted[-1].source, deleted[-1].message), *written[:2]),
        explains=explains,
        writer_trouble=trouble,
        writer_pods=writers,
    )


def _deletions(scene: Scene, component: Component) -> list[Event]:
    """Pods that the controller deleted lately, and not in the course of an update."""
    revisions = templates_of(scene, component)
    changed = max((item.at or 0.0 for item in revisions), default=0.0)
    events = scene.observed.events_of("DaemonSet", component.namespace, component.name)
    return [
        item
        for item in events
        if item.reason == "SuccessfulDelete"
        and scene.now - item.last <= RECENT
        and item.first - changed > _ROLLING
    ]


def _troubled_writers(
    scene: Scene, labels: Iterable[str]
) -> tuple[tuple[Evidence, ...], tuple[tuple[str, str], ...]]:
    """Pods that write such labels and have ended lately or do not run, with what says so."""
    writers = {item.name: item for item in map(writer_of, labels) if item}
    proof, pods = [], []
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref):
        if not any(_is_part(scene, pod, writer) for writer in writers.values()):
            continue
        for container in pod.containers:
            said = _ended_lately(scene, pod, container)
            if said:
                proof.append(Evidence(f"status of pod {pod.ref}", said))
                pods.append((pod.namespace, pod.name))
    return tuple(proof), tuple(dict.fromkeys(pods))


def _is_part(scene: Scene, pod: Pod, writer: LabelWriter) -> bool:
    spec = child(scene.raw(pod), "spec")
    seen: JsonObject = {
        "containers": [{"name": item.name, "image": item.image} for item in pod.containers]
    }
    return writes({"spec": spec if isinstance(spec, Mapping) else seen}, writer)


def _ended_lately(scene: Scene, pod: Pod, container: Container) -> str:
    if container.state == "waiting" and container.reason == "CrashLoopBackOff":
        return f"container {container.name} of {pod.name} crashes: {container.last_reason}"
    for item in children(scene.raw(pod), "status", "containerStatuses"):
        ended: JsonValue = child(item, "lastState", "terminated")
        at = epoch(text(ended, "finishedAt"))
        if text(item, "name") == container.name and at and scene.now - at <= RECENT:
            reason = text(ended, "reason") or "Error"
            when = text(ended, "finishedAt")
            return f"container {container.name} of {pod.name} ended at {when}: {reason}"
    return ""


def _written_then(scene: Scene, pod: Pod, labels: Iterable[str]) -> Iterable[Evidence]:
    """The labels were written on the pod's node just before it was created."""
    node = scene.observed.raw("Node", "", pod.node) or {}
    for entry in children(node, "metadata", "managedFields"):
        at = epoch(text(entry, "time"))
        written = child(entry, "fieldsV1", "f:metadata", "f:labels")
        if at is None or not isinstance(written, Mapping):
            continue
        if abs(pod.created - at) <= _SAME_MOMENT and any(f"f:{key}" in written for key in labels):
            said = f"{text(entry, 'manager')} wrote its labels at {text(entry, 'time')}"
            yield Evidence(f"managedFields of node {pod.node}", said)
