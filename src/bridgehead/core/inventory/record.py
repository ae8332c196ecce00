"""The inventory as a document, to be printed, saved, compared, and read again."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import owns
from bridgehead.core.inventory.objects import (
    daemon_set_object,
    node_object,
    pod_object,
    revision_object,
)
from bridgehead.core.inventory.plugins import registers_devices, standing_revision
from bridgehead.core.inventory.trimming import trimmed_template
from bridgehead.core.inventory.view import Inventory
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, JsonValue, digest
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot

SCHEMA = "bridgehead.dev/inventory/v1"


def document(inventory: Inventory) -> dict[str, JsonValue]:
    """The inventory for machines: schema, time, view, and what could not be read."""
    view = msgspec.to_builtins(inventory)
    del view["at"]
    return {
        "schema": SCHEMA,
        "at": stamp(inventory.at),
        "unread": view.pop("unread"),
        "view": view,
    }


def record(snapshot: Snapshot, inventory: Inventory) -> JsonObject:
    """The document with the trimmed snapshot that it was made from, and a digest of both.

    The digest leaves the time out: the same state of a cluster has the same digest.
    """
    whole = {**document(inventory), "snapshot": recorded(snapshot)}
    return {**whole, "digest": content_digest(whole)}


def content_digest(document: JsonObject) -> str:
    """Digest of what a saved inventory says, whenever it was said."""
    return digest({key: document[key] for key in document if key not in ("at", "digest")})


def recorded(snapshot: Snapshot) -> JsonObject:
    """The API objects of a snapshot, trimmed and in order: all nodes, and what is about devices.

    Of pods those that hold devices or register them are kept, of DaemonSets the device plugins.
    """
    resources = sorted({name for node in snapshot.nodes for name in node.offers})
    plugins = sorted(filter(is_device_plugin, snapshot.components), key=lambda item: item.ref)
    nodes = sorted(snapshot.nodes, key=lambda item: item.name)
    pods = sorted(_about_devices(snapshot.pods, plugins), key=lambda item: item.ref)
    return {
        "server": snapshot.server,
        "objects": [
            *map(node_object, nodes),
            *(daemon_set_object(item, resources) for item in plugins),
            *(item for plugin in plugins for item in _revisions(plugin, snapshot, resources)),
            *map(pod_object, pods),
        ],
    }


def _about_devices(pods: Iterable[Pod], plugins: Iterable[Component]) -> Iterable[Pod]:
    known = tuple(plugins)
    return (
        pod
        for pod in pods
        if pod.requests or registers_devices(pod) or any(owns(item, pod) for item in known)
    )


def _revisions(
    plugin: Component, snapshot: Snapshot, resources: Iterable[str]
) -> Iterable[JsonObject]:
    """Only the standing revision keeps its template: those of others may hold what is secret."""
    revisions = snapshot.revisions_of(plugin)
    standing = standing_revision(plugin, revisions)
    template = trimmed_template(plugin.template, resources)
    return (
        revision_object(plugin, item, template if item == standing else {}) for item in revisions
    )
