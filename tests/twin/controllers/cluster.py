"""A cluster for tests of controllers: registry and admission, and nodes that only act as if.

``Nodes`` binds each pod, makes it ready after two seconds (never, with the label
``outcome: stuck``), ends it after five more where that label is ``succeed`` or ``fail``, and lets
it go a second after somebody has asked for its deletion.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import yaml

from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import Object, labels_of, name_of, namespace_of, with_field
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Change, Store
from tests.twin.virtually import START

NAMESPACE = "ai"


class Cluster:
    """A registry with the namespace ``ai`` and its service account."""

    def __init__(self) -> None:
        clock, store, identifiers = Clock(start=START), Store(), Identifiers(1)
        kinds = Kinds(builtin_kinds())
        admission = Admission(kinds, store, clock, identifiers)
        self.registry = Registry(kinds, store, clock, identifiers, admission)
        for name in ("default", NAMESPACE):
            self.apply(f"{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}")
        self.apply("{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}")

    def kind(self, kind: str) -> Kind:
        """A kind by its name."""
        return next(found for found in self.registry.kinds if found.kind == kind)

    def apply(self, manifest: str | Object) -> Object:
        """Create an object, given as YAML or as what that says."""
        obj: Object = yaml.safe_load(manifest) if isinstance(manifest, str) else manifest
        kind = self.registry.kinds.of(obj["apiVersion"], obj["kind"])
        assert kind is not None
        namespace = (namespace_of(obj) or NAMESPACE) if kind.namespaced else ""
        return self.registry.create(kind, obj, namespace=namespace)

    def all(self, kind: str, namespace: str = "") -> list[Object]:
        """All objects of a kind."""
        return list(self.registry.store.select(self.kind(kind).stored, namespace))

    def get(self, kind: str, name: str) -> Object:
        """An object of the namespace, or of the whole cluster."""
        found = self.kind(kind)
        return self.registry.get(found, NAMESPACE if found.namespaced else "", name)

    def has(self, kind: str, name: str) -> bool:
        """Whether an object is there."""
        found = self.kind(kind)
        namespace = NAMESPACE if found.namespaced else ""
        return self.registry.store.get(found.stored, namespace, name) is not None

    def change(self, kind: str, name: str, path: str, value: Any) -> Object:
        """Set a field (``spec.replicas``) of an object."""
        changed = with_field(self.get(kind, name), path.split("."), value)
        subresource = "status" if path.startswith("status") else ""
        return self.registry.update(self.kind(kind), changed, subresource=subresource)

    def delete(self, kind: str, name: str, **options: Any) -> None:
        """Delete an object."""
        found = self.kind(kind)
        namespace = NAMESPACE if found.namespaced else ""
        self.registry.delete(found, namespace, name, DeleteOptions(**options))

    def events(self, name: str = "") -> list[tuple[str, str, str]]:
        """Type, reason and message of events, as they came; with ``name`` those of one object."""
        found = [
            event
            for event in self.all("Event")
            if not name or event["involvedObject"]["name"] == name
        ]
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["type"], event["reason"], event["message"]) for event in found]

    async def until(self, condition: Callable[[], Any], within: float = 3600.0) -> None:
        """Let simulated time pass until something holds, so many seconds at most."""
        end = self.registry.clock.now() + within
        while not condition():
            assert self.registry.clock.now() < end, "it never came"
            await asyncio.sleep(0.1)

    async def settle(self, seconds: float = 1.0) -> None:
        """Let so much simulated time pass."""
        await asyncio.sleep(seconds)


class Nodes:
    """What scheduler and kubelets do, in short."""

    def __init__(self, cluster: Cluster, names: int = 3) -> None:
        self._cluster = cluster
        self._registry = cluster.registry
        self._names = [f"node-{number}" for number in range(1, names + 1)]
        self._bound = 0
        self._pod = cluster.kind("Pod")
        self._registry.store.subscribe(self._changed)

    def _changed(self, change: Change) -> None:
        if change.kind.plural != "pods" or change.type == "DELETED":
            return
        pod, clock = change.object, self._registry.clock
        namespace, name = namespace_of(pod), name_of(pod)
        if pod["metadata"].get("deletionTimestamp"):
            clock.after(1.0, lambda: self._remove(namespace, name))
        elif change.type == "ADDED":
            clock.after(0.05, lambda: self._bind(namespace, name))
            outcome = labels_of(pod).get("outcome", "")
            if outcome != "stuck":
                clock.after(2.0, lambda: self._status(namespace, name, "Running"))
            if outcome in {"succeed", "fail"}:
                phase = "Succeeded" if outcome == "succeed" else "Failed"
                clock.after(7.0, lambda: self._status(namespace, name, phase))

    def _bind(self, namespace: str, name: str) -> None:
        pod = self._registry.store.get(self._pod.stored, namespace, name)
        if pod is not None and not pod["spec"].get("nodeName"):
            node = self._names[self._bound % len(self._names)]
            self._bound += 1
            bound = with_field(pod, ("spec", "nodeName"), node)
            self._registry.update(self._pod, bound, subresource="binding")

    def _status(self, namespace: str, name: str, phase: str) -> None:
        pod = self._registry.store.get(self._pod.stored, namespace, name)
        if pod is None or pod["metadata"].get("deletionTimestamp"):
            return
        ready = {
            "type": "Ready",
            "status": "True" if phase == "Running" else "False",
            "lastTransitionTime": self._registry.clock.timestamp(),
        }
        status = {**pod.get("status", {}), "phase": phase, "conditions": [ready]}
        self._registry.update(self._pod, with_field(pod, ("status",), status), subresource="status")

    def _remove(self, namespace: str, name: str) -> None:
        if self._registry.store.get(self._pod.stored, namespace, name) is not None:
            self._registry.delete(self._pod, namespace, name, DeleteOptions(grace=0))
