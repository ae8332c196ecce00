"""Signs that a node has devices of a plugin, whether or not the plugin runs there.

A plugin is missed only where something says that there is work for it: without such a sign a node
that it leaves out is an ordinary node.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonValue, canonical, child, children
from bridgehead.core.model.node import Node

if TYPE_CHECKING:
    from bridgehead.core.diagnose.scene import Plugin, Scene


def resources_of(scene: "Scene", plugin: "Plugin") -> tuple[str, ...]:
    """Names that it offers, or would offer: those of its family or its template that are in use.

    A plugin without pods offers nothing that could be seen; its names are then those that nodes
    have shown, or that pods ask for.
    """
    seen = {
        *(name for node in scene.nodes.values() for name in node.offers),
        *(item.resource for item in scene.observed.history),
        *(name for pod in scene.observed.snapshot.pods for name in pod.requests),
    }
    written = _given(plugin)
    named = {name for name in seen if _stands_in(name, written)}
    own = {name for name in seen if plugin.family.offers(name)}
    return tuple(sorted({*plugin.resources, *(named or own)}))


def signs_of(plugin: "Plugin", resources: Iterable[str], node: Node) -> tuple[Evidence, ...]:
    """What on the node speaks for devices of the plugin; empty where nothing does."""
    names = tuple(resources)
    status = [
        Evidence(f"status of node {node.name}", f"{name} {node.offers[name]}")
        for name in names
        if name in node.offers
    ]
    labels = [
        Evidence(f"labels of node {node.name}", label)
        for label in plugin.family.hints_in(node.labels)
    ]
    domains = {name.partition("/")[0] for name in names}
    taints = [
        Evidence(f"taints of node {node.name}", str(taint))
        for taint in node.taints
        if taint.key in names or taint.key.partition("/")[0] in domains
    ]
    return (*status, *labels, *taints)


def _given(plugin: "Plugin") -> str:
    """What the plugin's containers are given; labels and tolerations may bear the name too."""
    spec: JsonValue = child(plugin.component.template, "spec")
    containers = (*children(spec, "initContainers"), *children(spec, "containers"))
    return canonical(
        [{key: item.get(key) for key in ("command", "args", "env")} for item in containers]
    )


def _stands_in(name: str, written: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", written) is not None
