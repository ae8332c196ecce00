"""A recorded cluster becomes a snapshot, through the same conversions as a live one."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from bridgehead.cluster.convert import component_from, node_from, pod_from
from bridgehead.cluster.read import revisions_by_ref
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.maintenance import (
    KIND,
    LOCK,
    joined,
    lock_holds,
    maintenance_holds,
    with_holds,
)
from bridgehead.kube.decoding import convert
from bridgehead.kube.errors import UnexpectedAnswer
from bridgehead.kube.objects.node import Node
from bridgehead.kube.objects.pod import Pod
from bridgehead.sources.folder import read_folder
from bridgehead.sources.inventory_file import read_inventory_file

T = TypeVar("T")

NEEDED = {
    "Node": "nodes",
    "Pod": "pods",
    "DaemonSet": "daemonsets",
    "ControllerRevision": "controllerrevisions",
}
"""Kinds that an inventory stands on, with the names by which a snapshot calls them."""


class RecordedState(msgspec.Struct, frozen=True):
    """A snapshot of a recording, the objects behind it, and what is wrong with the files."""

    snapshot: Snapshot
    problems: tuple[Problem, ...] = ()
    objects: tuple[JsonObject, ...] = ()


class NoTimeError(ValueError):
    """Nothing in a recording says when it was made."""


def read_recorded(path: Path, at: float | None = None) -> RecordedState:
    """The state in an inventory file or in a folder of objects; ``at`` overrules its time.

    Raises InventoryFileError for a file that is no inventory, NoTimeError for a folder without any
    time in it. What in a folder cannot be read is a problem, and unread in the snapshot.
    """
    if path.is_dir():
        return _folder(path, at)
    saved = read_inventory_file(path)
    snapshot = snapshot_of(saved.objects, at=saved.at if at is None else at, server=saved.server)
    return RecordedState(
        msgspec.structs.replace(snapshot, unread=(*saved.unread, *snapshot.unread)),
        objects=saved.objects,
    )


def _folder(path: Path, at: float | None) -> RecordedState:
    recording = read_folder(path, at)
    if recording.now is None:
        raise NoTimeError(
            f"{path} does not say when it was recorded: no object carries a time; "
            "give it with --at, or in recorded.yaml"
        )
    objects = tuple(item.data for item in recording.objects)
    snapshot = snapshot_of(objects, at=recording.now)
    missing = tuple(
        Unread(what, f"not recorded in {path}")
        for kind, what in NEEDED.items()
        if kind not in recording.complete
    )
    return RecordedState(
        msgspec.structs.replace(snapshot, unread=(*missing, *snapshot.unread)),
        recording.problems,
        objects,
    )


def snapshot_of(objects: Sequence[JsonObject], *, at: float, server: str = "") -> Snapshot:
    """The snapshot of API objects as recorded; an object of a wrong form is unread, with why."""
    unread: list[Unread] = []
    by_kind: dict[str, list[JsonObject]] = {}
    for item in objects:
        by_kind.setdefault(text(item, "kind"), []).append(item)
    components = tuple(component_from(item) for item in by_kind.get("DaemonSet", ()))
    revisions = [dict(item) for item in by_kind.get("ControllerRevision", ())]
    return Snapshot(
        at=at,
        server=server,
        nodes=with_holds(
            (node_from(item) for item in _structs(by_kind.get("Node", ()), Node, "nodes", unread)),
            joined(
                maintenance_holds(by_kind.get(KIND, ())),
                *(lock_holds(item.annotations.get(LOCK, ""), item.ref, at) for item in components),
            ),
        ),
        pods=tuple(
            pod_from(item) for item in _structs(by_kind.get("Pod", ()), Pod, "pods", unread)
        ),
        components=components,
        revisions=revisions_by_ref(components, revisions),
        namespaces_terminating=_terminating(by_kind.get("Namespace", ())),
        unread=tuple(unread),
    )


def _structs(
    objects: Iterable[JsonObject], kind: type[T], what: str, unread: list[Unread]
) -> list[T]:
    found = []
    for item in objects:
        name = "/".join(
            filter(None, (text(item, "metadata", "namespace"), text(item, "metadata", "name")))
        )
        try:
            found.append(convert(item, kind, f"{what} {name}"))
        except UnexpectedAnswer as error:
            unread.append(Unread(f"{what} {name}", str(error)))
    return found


def _terminating(namespaces: Iterable[JsonObject]) -> tuple[str, ...]:
    return tuple(
        sorted(
            text(item, "metadata", "name")
            for item in namespaces
            if text(item, "status", "phase") == "Terminating"
        )
    )
