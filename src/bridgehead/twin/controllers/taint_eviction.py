"""Pods that do not tolerate a ``NoExecute`` taint of their node go, at once or after a while.

Source: k8s.io/kubernetes/pkg/controller/tainteviction/taint_eviction.go (Kubernetes 1.37).
"""

import asyncio

import msgspec

from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.eviction import disruption_target
from bridgehead.twin.controllers.node_taints import NODES
from bridgehead.twin.objects import Object, is_deleting, items, name_of, namespace_of, text
from bridgehead.twin.pods import PODS, index_by_node, pods_on
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.scheduling.taints import tolerates
from bridgehead.twin.store import Change, Key

COMPONENT = "taint-eviction-controller"


class _Planned(msgspec.Struct):
    """A deletion that waits for its time."""

    since: float
    timer: asyncio.TimerHandle


class TaintEvictionController:
    """Deletes pods from tainted nodes."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._pod = registry.kinds.named(*PODS)
        self._tainted: dict[str, list[Object]] = {}
        self._planned: dict[Key, _Planned] = {}
        self._queue: WorkQueue[str] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        index_by_node(self._store)
        self._store.subscribe(self._changed, NODES, PODS)
        for node in self._store.select(NODES):
            if _driving(node):
                self._queue.add(name_of(node))

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "nodes":
            before = _driving(change.previous) if change.previous else []
            now = _driving(change.object) if change.type != "DELETED" else []
            if before != now:
                self._queue.add(name_of(change.object))
        elif change.kind.plural == "pods":
            self._pod_changed(change)

    def _pod_changed(self, change: Change) -> None:
        pod = change.object
        key = (namespace_of(pod), name_of(pod))
        if change.type == "DELETED":
            if key in self._planned:
                self._clock.soon(lambda: self._cancel(key))
            return
        node, before = text(pod, "spec", "nodeName"), change.previous or {}
        if node not in self._tainted:
            return
        if text(before, "spec", "nodeName") != node or items(pod, "spec", "tolerations") != items(
            before, "spec", "tolerations"
        ):
            self._queue.add(node)

    def _sync(self, name: str) -> None:
        node = self._store.get(NODES, "", name)
        taints = _driving(node) if node is not None else []
        if taints:
            self._tainted[name] = taints
        else:
            self._tainted.pop(name, None)
        if node is None:
            return
        for pod in pods_on(self._store, name):
            self._judge(pod, taints)

    def _judge(self, pod: Object, taints: list[Object]) -> None:
        key = (namespace_of(pod), name_of(pod))
        if not taints:
            self._cancel(key)
            return
        seconds = _stays(pod, taints)
        if seconds is None:
            self._cancel(key)
            return
        now = self._clock.now()
        planned, since = self._planned.get(key), now
        if seconds == 0:
            self._cancel(key)
        elif planned is not None:
            if planned.since < now:
                return
            since = planned.since
            self._cancel(key)
        timer = self._clock.after(since + seconds - now, lambda: self._delete(key))
        self._planned[key] = _Planned(since=since, timer=timer)

    def _cancel(self, key: Key) -> None:
        planned = self._planned.pop(key, None)
        if planned is not None:
            planned.timer.cancel()
            self._tell(key, f"Cancelling deletion of Pod {key[0]}/{key[1]}")

    def _delete(self, key: Key) -> None:
        self._planned.pop(key, None)
        pod = self._store.get(PODS, *key)
        if pod is None:
            return
        self._tell(key, f"Marking for deletion Pod {key[0]}/{key[1]}")
        if not is_deleting(pod):
            message = "Taint manager: deleting due to NoExecute taint"
            marked = disruption_target(
                self._registry, pod, reason="DeletionByTaintManager", message=message
            )
            self._registry.update(self._pod, marked, subresource="status")
            self._registry.delete(self._pod, *key)

    def _tell(self, key: Key, message: str) -> None:
        about = {"kind": "Pod", "namespace": key[0], "name": key[1], "apiVersion": "v1"}
        reason = "TaintManagerEviction"
        record(self._registry, about, "Normal", reason, message, component=COMPONENT)


def _driving(node: Object) -> list[Object]:
    return [taint for taint in items(node, "spec", "taints") if taint["effect"] == "NoExecute"]


def _stays(pod: Object, taints: list[Object]) -> float | None:
    """Seconds for which a pod tolerates all taints; 0 for not at all, None for ever."""
    used = []
    for taint in taints:
        fitting = [one for one in items(pod, "spec", "tolerations") if tolerates(one, taint)]
        if not fitting:
            return 0.0
        used.append(fitting[0])
    limits = [
        float(one["tolerationSeconds"]) for one in used if one.get("tolerationSeconds") is not None
    ]
    return max(0.0, min(limits)) if limits else None
