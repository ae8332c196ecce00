"""The DaemonSet controller.

It hears of a change a moment later, as a real one does, and calls the API at a real one's pace;
what it may not do yet it does when it may, and only then is the generation told as observed.

Source: k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go (1.37).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.controllers.daemonsets.backoff import Backoff
from bridgehead.twin.controllers.daemonsets.daemons import BY_PLACE, COMPONENT, Daemons
from bridgehead.twin.controllers.daemonsets.revisions import REVISIONS
from bridgehead.twin.controllers.daemonsets.template import target_of
from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.owners import index_by_controller
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import (
    Object,
    controller_of,
    fields,
    is_deleting,
    items,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
)
from bridgehead.twin.pace import of_controller
from bridgehead.twin.pods import PODS
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Change, Key

DAEMON_SETS = Stored("apps", "daemonsets")
NODES = Stored("", "nodes")


class DaemonSetController:
    """Makes and replaces the pods of DaemonSets, keeps revisions, and writes the status."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._kind = registry.kinds.named(*DAEMON_SETS)
        self._pace = of_controller(registry.clock)
        self._backoff = Backoff()
        self._daemons: dict[Key, Daemons] = {}
        self._queue: WorkQueue[Key] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Take in what is there, and follow every change from now on."""
        index_by_controller(self._store, PODS)
        index_by_controller(self._store, REVISIONS)
        self._store.index(PODS, BY_PLACE, _place)
        self._store.subscribe(self._changed, DAEMON_SETS, PODS, NODES, REVISIONS)
        for daemon_set in self._store.select(DAEMON_SETS):
            self._queue.add((namespace_of(daemon_set), name_of(daemon_set)))

    # What changes concern

    def _changed(self, change: Change) -> None:
        match change.kind.stored:
            case ("apps", "daemonsets"):
                self._queue.add((namespace_of(change.object), name_of(change.object)))
            case ("", "pods"):
                self._pod_changed(change)
            case ("", "nodes"):
                self._node_changed(change)
            case ("apps", "controllerrevisions"):
                self._revision_changed(change)

    def _pod_changed(self, change: Change) -> None:
        for seen in (change.object, change.previous):
            daemons = self._owner_of(seen)
            if seen is not None and daemons is not None:
                daemons.touch(target_of(seen))
                if not _still_selected(daemons.daemon_set, seen):
                    daemons.adopt = True
                self._queue.add(daemons.key)
        if change.type != "DELETED" and controller_of(change.object) is None:
            self._orphan_came(change.object)

    def _node_changed(self, change: Change) -> None:
        old = change.previous
        if old is not None and change.type != "DELETED" and _same_place(old, change.object):
            return
        for daemons in self._daemons.values():
            daemons.touch(name_of(change.object))
            self._queue.add(daemons.key)

    def _revision_changed(self, change: Change) -> None:
        for seen in (change.object, change.previous):
            if (daemons := self._owner_of(seen)) is not None:
                self._queue.add(daemons.key)
        if change.type != "DELETED" and controller_of(change.object) is None:
            self._orphan_came(change.object)

    def _orphan_came(self, obj: Object) -> None:
        for daemons in self._daemons.values():
            if daemons.key[0] == namespace_of(obj) and _still_selected(daemons.daemon_set, obj):
                daemons.adopt = True
                self._queue.add(daemons.key)

    def _owner_of(self, obj: Object | None) -> Daemons | None:
        owner = controller_of(obj) if obj is not None else None
        if obj is None or owner is None or owner.get("kind") != "DaemonSet":
            return None
        daemons = self._daemons.get((namespace_of(obj), owner["name"]))
        if daemons is None or uid_of(daemons.daemon_set) != owner.get("uid"):
            return None
        return daemons

    # The work on one of them

    def _sync(self, key: Key) -> None:
        daemon_set = self._store.get(DAEMON_SETS, *key)
        if daemon_set is None:
            self._daemons.pop(key, None)
            return
        if not daemon_set["spec"].get("selector"):
            message = "This daemon set is selecting all pods. A non-empty selector is required."
            record(
                self._registry, daemon_set, "Warning", "SelectingAll", message, component=COMPONENT
            )
            return
        if is_deleting(daemon_set):
            return
        again = self._daemons_of(key, daemon_set).sync(daemon_set)
        if again is not None:
            self._queue.add_after(key, again)

    def _daemons_of(self, key: Key, daemon_set: Object) -> Daemons:
        found = self._daemons.get(key)
        if found is None or uid_of(found.daemon_set) != uid_of(daemon_set):
            found = Daemons(
                self._registry, self._kind, daemon_set, pace=self._pace, backoff=self._backoff
            )
            self._daemons[key] = found
        return found


def _place(pod: Object) -> str:
    owner = controller_of(pod)
    if owner is None or owner.get("kind") != "DaemonSet":
        return ""
    node = target_of(pod)
    return f"{owner.get('uid')}/{node}" if node else ""


def _still_selected(daemon_set: Object, obj: Object) -> bool:
    return selects(daemon_set["spec"].get("selector"), labels_of(obj))


def _same_place(old: Object, new: Object) -> bool:
    """Whether nothing of a node changed that decides who runs on it."""
    taints: Sequence[Mapping[str, Any]] = items(new, "spec", "taints")
    return items(old, "spec", "taints") == taints and fields(old, "metadata", "labels") == fields(
        new, "metadata", "labels"
    )
