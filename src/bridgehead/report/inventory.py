"""The inventory and the drift between two, for people and for machines."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.inventory.drift import Difference
from bridgehead.core.inventory.record import document
from bridgehead.core.inventory.view import (
    ComponentRow,
    Inventory,
    NodeRow,
    ResourceView,
)
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.snapshot import Unread
from bridgehead.report.sections import Section, as_markdown, as_text

DRIFT_SCHEMA = "bridgehead.dev/drift/v1"

_NONE = "-"


def inventory_text(inventory: Inventory) -> str:
    """One page, cohorts first."""
    return as_text(sections(inventory))


def inventory_markdown(inventory: Inventory) -> str:
    """The same for a review page."""
    return as_markdown(sections(inventory))


def inventory_json(inventory: Inventory) -> str:
    """``bridgehead.dev/inventory/v1`` without the snapshot."""
    return pretty_json(document(inventory))


def pretty_json(value: object) -> str:
    """Indented JSON with sorted keys, ending in a newline: the same value, the same bytes."""
    encoded = msgspec.json.encode(value, order="sorted")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def sections(inventory: Inventory) -> list[Section]:
    """The inventory as sections; those with nothing to say are left out."""
    found = [
        Section(f"Cluster as of {stamp(inventory.at)}", lines=tuple(_versions(inventory))),
        _cohorts(inventory),
        _components(inventory),
        *_others(inventory),
        _nodes(inventory),
        *_conflicts(inventory),
        *_dead_names(inventory),
        *unread_section(inventory.unread),
    ]
    return [item for item in found if item.rows or item.lines]


def drift_text(differences: tuple[Difference, ...]) -> str:
    """What changed, a row each."""
    return as_text([_drift(differences)])


def drift_markdown(differences: tuple[Difference, ...]) -> str:
    """What changed, for a review page."""
    return as_markdown([_drift(differences)])


def drift_json(differences: tuple[Difference, ...], unread: tuple[Unread, ...]) -> str:
    """``bridgehead.dev/drift/v1``."""
    return pretty_json({"schema": DRIFT_SCHEMA, "differences": differences, "unread": unread})


def unread_section(unread: tuple[Unread, ...]) -> tuple[Section, ...]:
    """What could not be read, why, and which permission would help; nothing if all was read."""
    if not unread:
        return ()
    rows = tuple((item.what, item.grant or _NONE, item.why) for item in unread)
    return (Section("Not read", ("WHAT", "GRANT", "WHY"), rows),)


def _versions(inventory: Inventory) -> Iterator[str]:
    yield f"API server {inventory.server or 'of unknown version'}"
    for item in inventory.kubelets:
        skew = "" if item.skew == "same" else f", {item.skew}"
        version = item.kubelet or "of unknown version"
        yield f"kubelet {version} on {_count(item.nodes, 'node')}{skew}"


def _cohorts(inventory: Inventory) -> Section:
    keys = tuple(inventory.cohorts[0].keys) if inventory.cohorts else ()
    lines = (
        (f"{len(inventory.cohorts)} cohorts: most of them differ in {inventory.splitting_key}",)
        if inventory.splitting_key
        else ()
    )
    rows = tuple((str(len(item.nodes)), *item.keys.values()) for item in inventory.cohorts)
    return Section("Cohorts", ("NODES", *(key.upper() for key in keys)), rows, lines)


def _components(inventory: Inventory) -> Section:
    header = ("COMPONENT", "FAMILY", "RESOURCES", "PODS READY", "STRATEGY", "OWNER")
    if not inventory.components:
        none = "no DaemonSet mounts the device plugin folder"
        unread = "not read: whether a DaemonSet mounts the device plugin folder"
        line = unread if _lacks(inventory, "daemonsets") else none
        return Section("Device plugins", lines=(line,))
    blind = _lacks(inventory, "pods")
    rows = tuple(_component(item, blind=blind) for item in inventory.components)
    lines = tuple(line for item in inventory.components for line in _details(item))
    return Section("Device plugins", header, rows, lines)


def _lacks(inventory: Inventory, plural: str) -> bool:
    """Whether objects of a kind could not be read, all of them or those of a namespace."""
    return any(item.what.split()[:1] == [plural] for item in inventory.unread)


def _component(item: ComponentRow, *, blind: bool) -> tuple[str, ...]:
    desired = len(item.eligible) if item.desired is None else item.desired
    return (
        item.ref,
        item.family,
        ",".join(item.resources) or "unknown",
        f"{'unknown' if blind else item.ready}/{desired}",
        item.update_strategy,
        ", ".join(item.owners) or _NONE,
    )


def _details(item: ComponentRow) -> Iterator[str]:
    """What does not fit a column: images, revisions, and what is remarkable."""
    for name, image in item.images.items():
        yield f"{item.ref}: {name}={image}"
    hashes = sorted({pod.revision for pod in item.pods})
    if item.revision and hashes == [item.revision]:
        yield f"{item.ref}: revision {item.revision} on all its pods"
    else:
        for found in hashes:
            nodes = ", ".join(pod.node or "no node" for pod in item.pods if pod.revision == found)
            standing = " (standing)" if found == item.revision else ""
            yield f"{item.ref}: revision {found or 'unknown'}{standing} on {nodes}"
    if item.confidence.value != "high":
        yield f"{item.ref}: resources inferred, confidence {item.confidence.value}: {item.inferred}"
    if item.run:
        yield f"{item.ref}: held by the rollout {item.run}"


def _others(inventory: Inventory) -> Iterator[Section]:
    rows = tuple(
        (item.ref, item.family, ",".join(item.images), ",".join(item.nodes) or _NONE)
        for item in inventory.others
    )
    if rows:
        yield Section(
            "Also able to register devices", ("WORKLOAD", "FAMILY", "IMAGES", "NODES"), rows
        )


def _nodes(inventory: Inventory) -> Section:
    """A row for each resource of a node; nodes that have none and host no plugin are counted."""
    hosts = {pod.node for item in inventory.components for pod in item.pods}
    shown = [row for row in inventory.nodes if row.resources or row.name in hosts]
    header = ("NODE", "STATUS", "RESOURCE", "CAPACITY", "ALLOCATABLE", "IN USE", "FREE", "HELD BY")
    rows = tuple(cells for row in shown for cells in _node(row))
    left = len(inventory.nodes) - len(shown)
    held = tuple(
        f"{row.name}: held out of scheduling by the rollout {row.held_by}"
        for row in inventory.nodes
        if row.held_by
    )
    blind = _lacks(inventory, "daemonsets") or _lacks(inventory, "pods")
    lack = "devices; whether with plugins was not read" if blind else "devices and plugins"
    rest = (f"{_count(left, 'node')} without {lack}",) if left else ()
    return Section("Nodes", header, rows, (*held, *rest))


def _node(row: NodeRow) -> Iterator[tuple[str, ...]]:
    if not row.resources:
        yield (row.name, _status(row), *(_NONE,) * 6)
    for number, item in enumerate(row.resources):
        start = (row.name, _status(row)) if number == 0 else ("", "")
        yield (*start, item.resource, *_figures(item))


def _figures(item: ResourceView) -> tuple[str, ...]:
    use = ("unknown", "unknown") if item.in_use is None else (str(item.in_use), str(item.free))
    holders = ", ".join(
        holder.pod if holder.count == 1 else f"{holder.pod} ({holder.count})"
        for holder in item.holders
    )
    return (str(item.capacity), str(item.allocatable), *use, holders or _NONE)


def _status(row: NodeRow) -> str:
    """As ``kubectl get nodes`` says it."""
    ready = {True: "Ready", False: "NotReady", None: "Unknown"}[row.ready]
    return ready if row.schedulable else f"{ready},SchedulingDisabled"


def _conflicts(inventory: Inventory) -> Iterator[Section]:
    rows = tuple(
        (item.resource, item.node, ", ".join(item.claimants)) for item in inventory.conflicts
    )
    if rows:
        yield Section("More than one claimant", ("RESOURCE", "NODE", "CLAIMANTS"), rows)


def _dead_names(inventory: Inventory) -> Iterator[Section]:
    rows = tuple((item.resource, ",".join(item.nodes)) for item in inventory.dead_names)
    known = not (_lacks(inventory, "daemonsets") or _lacks(inventory, "pods"))
    why = "offered by nothing there" if known else "by whom they are offered was not read"
    if rows:
        yield Section(f"Dead names (0/0, {why})", ("RESOURCE", "NODES"), rows)


def _drift(differences: tuple[Difference, ...]) -> Section:
    if not differences:
        return Section("Drift", lines=("none in what was read",))
    rows = tuple((item.object, item.what, item.before, item.after) for item in differences)
    return Section("Drift", ("OBJECT", "WHAT", "BEFORE", "AFTER"), rows)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
