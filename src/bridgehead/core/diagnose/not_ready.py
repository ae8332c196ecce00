"""Nodes of which nothing is known, as their kubelets say nothing: neither a fault nor health."""

from collections.abc import Iterator

from bridgehead.core.diagnose.question import Question
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.model.json import children, text
from bridgehead.core.model.snapshot import Unread


def not_ready(scene: Scene, question: Question) -> Iterator[Unread]:
    """What is asked about on nodes that are not Ready: those with the plugin's pod, those named.

    What such a node shows is what its kubelet said last. A node without any plugin is nobody's
    loss, unless it is asked about by name.
    """
    mine = [it for it in scene.plugins if question.component in ("", it.component.ref)]
    for name in scene.nodes:
        runs = any(plugin.pod_on(name) is not None for plugin in mine)
        if name in question.nodes or (runs and not question.nodes):
            since = _since(scene, name)
            if since is not None:
                why = f"{name} is not Ready{since}: nothing is known of its devices"
                yield Unread(f"node {name}", why)


def _since(scene: Scene, name: str) -> str | None:
    """From when, in words; None where it is Ready, or has not told whether it is."""
    node = scene.observed.raw("Node", "", name) or {}
    for item in children(node, "status", "conditions"):
        if text(item, "type") == "Ready" and text(item, "status") in ("False", "Unknown"):
            at = text(item, "lastTransitionTime")
            return f" since {at}" if at else ""
    return None
