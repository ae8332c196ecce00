"""DaemonSets of plugins that do not make the pods that they should.

No symptom is: that no node wants a pod, where no node has a device of the plugin; an update that
makes progress; old pods on nodes that are not ready, or under OnDelete.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.device_signs import resources_of
from bridgehead.core.diagnose.patience import PATIENCE, UPDATING
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import Symptom, daemon_set_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.findings.observed import Event
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonValue, child, text
from bridgehead.core.model.times import epoch


def daemon_set_symptoms(scene: Scene) -> Iterable[Symptom]:
    """At most one for each plugin: the gravest."""
    for plugin in scene.plugins:
        component = plugin.component
        if component.deleting:
            continue
        for why, evidence in _unlike(scene, plugin):
            yield Symptom(
                key=daemon_set_key(component.namespace, component.name),
                text=why,
                object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
                evidence=(evidence,),
            )
            break


def _unlike(scene: Scene, plugin: Plugin) -> Iterable[tuple[str, Evidence]]:
    component = plugin.component
    name = f"DaemonSet/{component.namespace}/{component.name}"
    raw = scene.observed.raw("DaemonSet", component.namespace, component.name) or {}
    desired, current = (
        _number(raw, field) for field in ("desiredNumberScheduled", "currentNumberScheduled")
    )
    refused = _refused(scene, plugin)
    # While pods are gone that were not replaced, the controller's count follows late.
    missing = current < desired or (refused is not None and _lacks_pods(scene, plugin))
    if refused is not None and missing:
        proof = Evidence(refused.source, refused.message)
        yield f"{name} wants {desired} pods and has {current}: creating them fails", proof
    counts = Evidence(f"status of {name}", f"desired {desired}, current {current}")
    if desired == 0:
        if _is_missed(scene, plugin):
            yield f"{name} wants no pod on any node", counts
    elif current < desired and not _began_lately(scene, plugin, raw):
        yield f"{name} wants {desired} pods and has {current}", counts
    elif (stale := _stale(scene, plugin)) and not _under_way(scene, plugin):
        updated = _number(raw, "updatedNumberScheduled")
        proof = Evidence(f"status of {name}", f"desired {desired}, updated {updated}")
        yield f"{name}: {len(stale)} pods on ready nodes are not of its newest revision", proof


def _is_missed(scene: Scene, plugin: Plugin) -> bool:
    """Whether it leaves out a node with its devices, or pods wait for its devices."""
    if any(item.plugin.component.ref == plugin.component.ref for item in scene.unserved):
        return True
    names = set(resources_of(scene, plugin))
    offered = {name for node in scene.nodes.values() for name in node.offers}
    return any(names & set(pod.requests) - offered for pod in scene.waiting_pods)


def _refused(scene: Scene, plugin: Plugin) -> Event | None:
    """The last refusal to create a pod; one before the last creation is over."""
    component = plugin.component
    found = [
        event
        for event in scene.observed.events_of("DaemonSet", component.namespace, component.name)
        if event.reason == "FailedCreate"
    ]
    return found[-1] if found else None


def _lacks_pods(scene: Scene, plugin: Plugin) -> bool:
    return any(
        node.ready is True and plugin.pod_on(node.name) is None for node in scene.wanted_on(plugin)
    )


def on_their_way(scene: Scene, plugin: Plugin) -> tuple[str, float] | None:
    """What it lacks, and for how many seconds it or its newest pod has been there, if others may
    still come; None where it lacks none, or what it lacks is a symptom."""
    component = plugin.component
    raw = scene.observed.raw("DaemonSet", component.namespace, component.name) or {}
    desired, current = (
        _number(raw, field) for field in ("desiredNumberScheduled", "currentNumberScheduled")
    )
    lately = current < desired and _began_lately(scene, plugin, raw)
    if not lately or component.deleting or _refused(scene, plugin) is not None:
        return None
    name = f"DaemonSet/{component.namespace}/{component.name}"
    return f"{name} wants {desired} pods and has {current} so far", _age(scene, plugin, raw)


def _began_lately(scene: Scene, plugin: Plugin, raw: JsonValue) -> bool:
    """Whether the DaemonSet or one of its pods is so young that others may be on their way."""
    return _leaving(scene, plugin) or _age(scene, plugin, raw) < PATIENCE


def _age(scene: Scene, plugin: Plugin, raw: JsonValue) -> float:
    created = epoch(text(raw, "metadata", "creationTimestamp"))
    newest = max((pod.created for pod in plugin.pods), default=0.0)
    return scene.now - max(created or 0.0, newest)


def _stale(scene: Scene, plugin: Plugin) -> list[str]:
    """Ready nodes with a pod of an older revision, where the controller would replace it."""
    component = plugin.component
    revisions = scene.observed.snapshot.revisions_of(component)
    if component.strategy_type != "RollingUpdate" or not revisions:
        return []
    newest = revisions[-1].hash
    return sorted(
        pod.node
        for pod in plugin.pods
        if not (pod.terminal or pod.deleting)
        and pod.revision not in ("", newest)
        and pod.node in scene.nodes
        and scene.nodes[pod.node].ready is True
    )


def _under_way(scene: Scene, plugin: Plugin) -> bool:
    """Whether the update has made a step of late: a pod was created, or one is leaving."""
    newest = max((pod.created for pod in plugin.pods), default=0.0)
    changed = max(
        (
            epoch(text(item, "metadata", "creationTimestamp")) or 0.0
            for item in scene.observed.of_kind("ControllerRevision")
            if _belongs(item, plugin)
        ),
        default=0.0,
    )
    return _leaving(scene, plugin) or scene.now - max(newest, changed) < UPDATING


def _leaving(scene: Scene, plugin: Plugin) -> bool:
    """Whether a pod is on its way out; those of dead nodes are so for ever."""
    ready = (pod for pod in plugin.pods if pod.deleting and pod.node in scene.nodes)
    return any(scene.nodes[pod.node].ready is True for pod in ready)


def _belongs(revision: JsonValue, plugin: Plugin) -> bool:
    owners = child(revision, "metadata", "ownerReferences")
    listed = owners if isinstance(owners, list | tuple) else ()
    return any(text(owner, "name") == plugin.component.name for owner in listed)


def _number(raw: JsonValue, field: str) -> int:
    value = child(raw, "status", field)
    return value if isinstance(value, int) else 0
