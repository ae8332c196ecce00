"""The state that a rehearsal begins with: a recorded one, or that of a live cluster, only read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bridgehead.app.recorded import read_recorded
from bridgehead.cluster.read import read_snapshot
from bridgehead.core.inventory.record import recorded
from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden
from bridgehead.kube.resources import CONTROLLER_REVISIONS, DAEMON_SETS, Resource

_WHOLE: tuple[tuple[Resource[Any], str, str], ...] = (
    (DAEMON_SETS, "apps/v1", "DaemonSet"),
    (CONTROLLER_REVISIONS, "apps/v1", "ControllerRevision"),
)
"""Kinds that a live cluster gives whole: a saved inventory holds less of them."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster at one time: what was read of it, and as which objects."""

    snapshot: Snapshot
    objects: tuple[JsonObject, ...]
    problems: tuple[Problem, ...] = ()


def recorded_state(path: Path, at: float | None) -> State:
    """The state in an inventory file or a folder of objects. Raises what reading one raises."""
    found = read_recorded(path, at)
    return State(snapshot=found.snapshot, objects=found.objects, problems=found.problems)


async def live_state(kube: Kube, *, now: float, namespace: str) -> State:
    """The state of a live cluster; ``namespace`` is the component's. Only reads; KubeError."""
    snapshot = await read_snapshot(kube, now=now, namespaces=(namespace,))
    objects = [*children(recorded(snapshot), "objects")]
    for resource, api_version, kind in _WHOLE:
        try:
            found = (await kube.list_raw(resource, namespace)).items
        except Forbidden:  # the snapshot tells of it as unread
            continue
        whole = [{"apiVersion": api_version, "kind": kind, **item} for item in found]
        objects = [*_without(objects, kind), *whole]
    return State(snapshot=snapshot, objects=tuple(objects))


def _without(objects: Sequence[JsonObject], kind: str) -> list[JsonObject]:
    return [item for item in objects if text(item, "kind") != kind]
