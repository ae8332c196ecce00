"""What happened on a node, in one line of time, from everything that carries a time.

Of the node: creation, conditions, starts, changes of labels and taints by their writers, earlier
readings of its devices. Of plugin pods: creation, starts and ends of containers, registrations in
their logs. Of pods with devices: admitted and refused. And events about all these.
"""

import re
from collections.abc import Iterator, Mapping

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.diagnose.diagnosis import Moment
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch

MOST = 40
"""Moments that are shown of a node: the latest."""

_Found = Iterator[tuple[float, str, str]]
_REGISTERED = re.compile(rf"{REGISTERED}|registered (resource|plugin|with)|registration", re.I)
_LONGEST = 160
_SETTLING = 120.0
"""Seconds after a node's creation in which conditions that are well are merely reported first."""
_TELLING = frozenset({"Pulled", "Created", "Started", "Scheduled", "Pulling", "SuccessfulCreate"})
"""Reasons of ordinary events: what they say is in the pod's own status."""


def timeline(scene: Scene, node: str) -> tuple[tuple[Moment, ...], int]:
    """The latest moments of a node, oldest first, and how many older ones are left out."""
    found = {
        (at, what): source
        for part in (_of_node, _of_readings, _of_plugins, _of_pods, _of_events)
        for at, what, source in part(scene, node)
        if 0 < at <= scene.now
    }
    every = sorted((at, what, source) for (at, what), source in found.items())
    shown = every[-MOST:]
    moments = tuple(Moment(at=stamp(at), what=what, source=source) for at, what, source in shown)
    return moments, len(every) - len(shown)


def _of_node(scene: Scene, name: str) -> _Found:
    item = scene.observed.raw("Node", "", name) or {}
    source = f"node {name}"
    created = epoch(text(item, "metadata", "creationTimestamp"))
    if created is not None:
        yield created, "the Node object was created", source
    for condition in children(item, "status", "conditions"):
        at = epoch(text(condition, "lastTransitionTime"))
        kind, status = text(condition, "type"), text(condition, "status")
        first = created is not None and at is not None and at < created + _SETTLING
        if at is not None and not (first and kind != "Ready" and status == "False"):
            reason = text(condition, "reason")
            yield at, f"{kind} became {status}{f' ({reason})' if reason else ''}", source
    for entry in children(item, "metadata", "managedFields"):
        at = epoch(text(entry, "time"))
        written = _written(entry)
        if at is not None and written:
            yield at, f"{text(entry, 'manager')} wrote {written}", f"managedFields of {source}"
    start = scene.kubelet_starts.get(name)
    if start is not None and start.sure:
        yield start.at, "the kubelet started", start.evidence.source


def _written(entry: JsonObject) -> str:
    """Labels and taints that a field manager wrote, by name."""
    fields = child(entry, "fieldsV1")
    labels = child(fields, "f:metadata", "f:labels")
    keys = labels if isinstance(labels, Mapping) else {}
    names = sorted(key.removeprefix("f:") for key in keys if key != ".")
    parts = []
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        parts.append(f"labels {', '.join(names[:3])}{more}")
    if child(fields, "f:spec", "f:taints") is not None:
        parts.append("taints")
    if child(fields, "f:spec", "f:unschedulable") is not None:
        parts.append("unschedulable")
    return ", ".join(parts)


def _of_readings(scene: Scene, name: str) -> _Found:
    resources = dict.fromkeys(item.resource for item in scene.observed.history if item.node == name)
    for resource in resources:
        for stretch in scene.trajectory(name, resource).stretches:
            yield stretch.begin, f"{resource} read as {stretch}", f"reading of node {name}"


def _of_plugins(scene: Scene, name: str) -> _Found:
    for plugin in scene.plugins:
        for pod in plugin.pods_on(name):
            source = f"pod {pod.ref}"
            if pod.created:
                version = f" ({pod.revision})" if pod.revision else ""
                yield pod.created, f"plugin pod {pod.ref} was created{version}", source
            yield from _containers(scene.raw(pod), source)
            yield from _logged(scene, pod)


def _containers(item: JsonObject, source: str) -> _Found:
    for field in ("initContainerStatuses", "containerStatuses"):
        for status in children(item, "status", field):
            name = text(status, "name")
            for state in ("lastState", "state"):
                started = epoch(
                    text(status, state, "running", "startedAt")
                    or text(status, state, "terminated", "startedAt")
                )
                if started is not None:
                    yield started, f"container {name} started", source
                ended = epoch(text(status, state, "terminated", "finishedAt"))
                if ended is not None:
                    code = child(status, state, "terminated", "exitCode")
                    reason = text(status, state, "terminated", "reason")
                    yield ended, f"container {name} ended: {reason} ({code})", source


def _logged(scene: Scene, pod: Pod) -> _Found:
    """Registrations, where the log's lines carry a time of the kubelet's."""
    for key, log in scene.observed.logs_of(pod):
        for index, (at, line) in enumerate(zip(log.times, log.lines, strict=False)):
            if _REGISTERED.search(line):
                yield at, line[:_LONGEST], f"log {key}:{log.number_of(index)}"


def _of_pods(scene: Scene, name: str) -> _Found:
    for pod in scene.pods_on(name):
        if not any(is_extended(resource) for resource in pod.requests):
            continue
        item, source = scene.raw(pod), f"pod {pod.ref}"
        taken = epoch(text(item, "status", "startTime"))
        asked = ", ".join(f"{count} {resource}" for resource, count in sorted(pod.requests.items()))
        if taken is not None and pod.phase == "Failed":
            yield taken, f"pod {pod.ref} ({asked}) failed: {pod.reason}", source
        elif taken is not None:
            yield taken, f"pod {pod.ref} ({asked}) was taken up", source


def _of_events(scene: Scene, name: str) -> _Found:
    pods = [pod for plugin in scene.plugins for pod in plugin.pods_on(name)]
    pods += [pod for pod in scene.pods_on(name) if pod.requests]
    about = [
        event for pod in {pod.ref: pod for pod in pods}.values() for event in scene.events(pod)
    ]
    for event in (*scene.observed.events_of("Node", "", name), *about):
        if event.reason in _TELLING:
            continue
        often = f" ({event.count} times)" if event.count > 1 else ""
        yield event.last, f"{event.reason}: {event.message[:_LONGEST]}{often}", event.source
