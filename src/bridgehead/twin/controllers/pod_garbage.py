"""Pods of nodes that are no longer there go, after a while.

Not simulated: the limit for ended pods (12,500), and nodes that are tainted out of service.

Source: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go (Kubernetes 1.37).
"""

import math

from bridgehead.twin.controllers.eviction import disruption_target
from bridgehead.twin.controllers.node_taints import NODES
from bridgehead.twin.objects import Object, name_of, namespace_of, text, with_field
from bridgehead.twin.pods import PODS, index_by_node, is_finished, pods_on
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.store import Change

PERIOD = 20.0
"""Seconds between two looks at all pods."""
QUARANTINE = 40.0
"""Seconds from the look that misses a node to the deletion of its pods, at least."""


class PodGarbageCollector:
    """Fails and deletes pods whose node is gone."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._kind = registry.kinds.named(*PODS)
        self._began = registry.clock.now()

    def start(self) -> None:
        """Follow the store from now on."""
        index_by_node(self._store)
        self._store.subscribe(self._changed, NODES, PODS)
        missed = {text(pod, "spec", "nodeName"): None for pod in self._store.select(PODS)}
        for node in missed:
            if node and self._store.get(NODES, "", node) is None:
                self._miss(node)

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "nodes" and change.type == "DELETED":
            self._miss(name_of(change.object))
        elif change.kind.plural == "pods" and change.type != "DELETED":
            node = text(change.object, "spec", "nodeName")
            before = text(change.previous, "spec", "nodeName") if change.previous else ""
            if node and node != before and self._store.get(NODES, "", node) is None:
                self._miss(node)

    def _miss(self, node: str) -> None:
        """Delete its pods at the first look after the quarantine, if it does not come back."""
        first = self._next_look(self._clock.now())
        last = self._next_look(first + QUARANTINE)
        self._clock.after(last - self._clock.now(), lambda: self._collect(node))

    def _next_look(self, moment: float) -> float:
        looks = math.ceil((moment - self._began) / PERIOD - 1e-9)
        return self._began + looks * PERIOD

    def _collect(self, node: str) -> None:
        if self._store.get(NODES, "", node) is not None:
            return
        for pod in pods_on(self._store, node):
            self._fail(pod)
            namespace, name = namespace_of(pod), name_of(pod)
            if self._store.get(PODS, namespace, name) is not None:
                self._registry.delete(self._kind, namespace, name, DeleteOptions(grace=0))

    def _fail(self, pod: Object) -> None:
        if is_finished(pod):
            return
        marked = disruption_target(
            self._registry,
            with_field(pod, ("status", "phase"), "Failed"),
            reason="DeletionByPodGC",
            message="PodGC: node no longer exists",
        )
        self._registry.update(self._kind, marked, subresource="status")
