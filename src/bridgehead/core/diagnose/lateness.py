"""Whether a pod was refused because its node, its kubelet or its plugin had only just begun."""

from collections.abc import Mapping
from enum import Enum

import msgspec

from bridgehead.core.diagnose.refusals import Refused, post_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import Evidence, stamp

AFTER_START = 600.0
"""Seconds after the start of a node or kubelet in which plugins may still be coming back."""
AFTER_PLUGIN = 120.0
"""Seconds after the creation of a plugin's pod in which its first list may be empty."""
EVENTS_KEPT = 3600.0
"""Seconds for which an API server keeps events by default (--event-ttl)."""


class Late(Enum):
    """What had only just begun."""

    NODE = "the node had just booted"
    KUBELET = "the kubelet had just started"
    READY = "the node had just become Ready"
    RESTARTED = "the plugin's process had not started yet, or only just"
    PLUGIN = "the plugin's pod was only just made"


class Lateness(msgspec.Struct, frozen=True):
    """What had begun, and what tells of it."""

    late: Late
    evidence: Evidence
    since: float
    """Seconds from that start to the refusal; below 0 where the refusal came first."""


class Starts:
    """Starts around refusals; boots are looked up once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._boots: Mapping[str, tuple[float, Evidence]] = {
            event.name: (event.last, Evidence(event.source, event.message))
            for event in sorted(scene.observed.events, key=lambda item: item.last)
            if event.kind == "Node" and event.reason == "Rebooted"
        }

    def lateness(self, refused: Refused) -> Lateness | None:
        """What had only just begun when the pod was refused; None where nothing tells."""
        node, at = refused.pod.node, refused.at
        boot = self._boots.get(node)
        # The kubelet tells of a boot in its first status, a moment after it has begun.
        if boot is not None and -60.0 <= at - boot[0] <= AFTER_START:
            return Lateness(Late.NODE, boot[1], at - boot[0])
        start = self._scene.kubelet_starts.get(node)
        if start is not None and start.sure and -5.0 <= at - start.at <= AFTER_START:
            return Lateness(Late.KUBELET, start.evidence, at - start.at)
        if start is not None and not start.sure and -60.0 <= at - start.at <= AFTER_START:
            return Lateness(Late.READY, start.evidence, at - start.at)
        return self._plugin(refused)

    def _plugin(self, refused: Refused) -> Lateness | None:
        resource = refused.resources[0] if refused.resources else ""
        post = post_of(self._scene, refused.pod.node, resource)
        if post is None or post.pod is None or post.started is None:
            return None
        source, at = f"status of pod {post.pod.ref}", refused.at
        if -5.0 <= at - post.pod.created <= AFTER_PLUGIN and not post.pod.restarts:
            said = f"created {stamp(post.pod.created)}, running since {stamp(post.started)}"
            return Lateness(Late.PLUGIN, Evidence(source, said), at - post.started)
        if -AFTER_START <= at - post.started <= AFTER_PLUGIN:
            said = f"running since {stamp(post.started)}, {post.pod.restarts} restarts"
            return Lateness(Late.RESTARTED, Evidence(source, said), at - post.started)
        return None
