"""What changed on a node after a plugin had looked for its devices."""

import re
from collections.abc import Iterable

import msgspec

from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.times import epoch

_PATH = re.compile(r"/[\w./-]*\w")
_PREPARES = ("driver", "config-daemon", "ofed", "firmware")
"""Parts of the names of pods that prepare devices of a node."""


class Change(msgspec.Struct, frozen=True):
    """What changed, when, and whether it is the plugin's configuration or that of the node."""

    at: float
    evidence: Evidence
    configuration: bool = False
    of_node: bool = False


def later_changes(scene: Scene, post: Post) -> list[Change]:
    """Changes since the plugin's process began, oldest first; empty where its start is unknown."""
    started = post.started
    if started is None:
        return []
    found = [
        *_node_states(scene, post),
        *_configuration(scene, post),
        *_preparing_pods(scene, post),
        *_devices_there_now(scene, post, started),
    ]
    return sorted((it for it in found if it.at > started), key=lambda it: it.at)


def _written(item: JsonObject) -> float | None:
    """When an object was last written, as far as its field managers or its creation tell."""
    times = [epoch(text(it, "time")) for it in children(item, "metadata", "managedFields")]
    known = [time for time in times if time is not None]
    return max(known) if known else epoch(text(item, "metadata", "creationTimestamp"))


def _node_states(scene: Scene, post: Post) -> Iterable[Change]:
    """The SR-IOV network operator keeps one object for each node, named after it."""
    for item in scene.observed.of_kind("SriovNetworkNodeState"):
        at = _written(item)
        if text(item, "metadata", "name") == post.node.name and at is not None:
            said = f"last written {stamp(at)}, sync {text(item, 'status', 'syncStatus')}"
            source = f"SriovNetworkNodeState/{post.node.name}"
            yield Change(at, Evidence(source, said), of_node=True)
    for event in scene.observed.events:
        if event.kind == "SriovNetworkNodeState" and event.name == post.node.name:
            yield Change(event.last, Evidence(event.source, event.message), of_node=True)


def _configuration(scene: Scene, post: Post) -> Iterable[Change]:
    component = post.plugin.component
    for volume in children(component.template, "spec", "volumes"):
        name = text(volume, "configMap", "name")
        item = scene.observed.raw("ConfigMap", component.namespace, name) if name else None
        at = _written(item) if item is not None else None
        if at is not None:
            source = f"ConfigMap/{component.namespace}/{name}"
            yield Change(at, Evidence(source, f"last written {stamp(at)}"), configuration=True)


def _preparing_pods(scene: Scene, post: Post) -> Iterable[Change]:
    """Pods of drivers and node configuration that became what they are after the plugin."""
    for pod in scene.pods_on(post.node.name):
        if pod is post.pod or not pod.ready or not any(it in pod.name for it in _PREPARES):
            continue
        raw = scene.raw_pods.get((pod.namespace, pod.name), {})
        for condition in children(raw, "status", "conditions"):
            at = epoch(text(condition, "lastTransitionTime"))
            if text(condition, "type") == "Ready" and at is not None:
                said = f"Ready since {stamp(at)}"
                yield Change(at, Evidence(f"status of pod {pod.ref}", said))


def _devices_there_now(scene: Scene, post: Post, started: float) -> Iterable[Change]:
    """Device nodes that the plugin's log misses and that are there now.

    When they came is not known, only that it was after the plugin had looked.
    """
    seen = scene.observed.evidence.get(post.node.name)
    if seen is None or not seen.devices:
        return
    for key in ("driver-missing", "no-device-found", "path-gone", "no-device-selected"):
        quote = post.quotes.get(key)
        named = set(_PATH.findall(quote.text)) if quote else set()
        for path in sorted(named & set(seen.devices))[:1]:
            proof = Evidence(f"/dev of node {post.node.name}", f"{path} is there")
            yield Change(started + 1.0, proof)
