"""A twin's registry with nodes and pods in a line each, for tests of what decides where pods go."""

from typing import Any

from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store

START = 1_767_225_600.0


class Cluster:
    """A registry without admission: what is written must be whole."""

    def __init__(self) -> None:
        self.clock = Clock(start=START)
        self.registry = Registry(
            Kinds(builtin_kinds()), Store(), self.clock, Identifiers(1), lambda each: each.object
        )

    def create(self, obj: Object, namespace: str = "") -> Object:
        """Write a new object."""
        kind = self.registry.kinds.of(obj["apiVersion"], obj["kind"])
        assert kind is not None
        return self.registry.create(kind, obj, namespace=namespace)

    def node(self, name: str, *, labels: dict[str, str] | None = None, **has: Any) -> Object:
        """A node of four processors, 8 GiB, 110 pods, and what else it is said to have."""
        allocatable = {"cpu": "4", "memory": "8Gi", "pods": "110"}
        spec = {key: has.pop(key) for key in ("taints", "unschedulable") if key in has}
        allocatable |= {key: str(value) for key, value in has.pop("extended", {}).items()}
        allocatable |= {key: str(value) for key, value in has.items()}
        labels = {"kubernetes.io/hostname": name, **(labels or {})}
        return self.create(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": labels},
                "spec": spec,
                "status": {"allocatable": allocatable, "capacity": allocatable},
            }
        )

    def pod(
        self,
        name: str,
        *,
        asks: dict[str, str] | None = None,
        labels: dict[str, str] | None = None,
        **spec: Any,
    ) -> Object:
        """A pod with one container, in the namespace ``ai``."""
        container = {"name": "main", "image": "app:v1", "resources": {"requests": asks or {}}}
        return self.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, **({"labels": labels} if labels else {})},
                "spec": {"containers": [container], **spec},
                "status": {"phase": "Pending"},
            },
            "ai",
        )

    def get(self, name: str) -> Object:
        """A pod as it is now."""
        return self.registry.get(self.registry.kinds.named("", "pods"), "ai", name)

    def change(self, obj: Object, subresource: str = "") -> Object:
        """Write an object anew."""
        kind = self.registry.kinds.of(obj["apiVersion"], obj["kind"])
        assert kind is not None
        return self.registry.update(kind, obj, subresource=subresource)

    def delete(self, obj: Object) -> None:
        """Delete an object with its own grace."""
        kind = self.registry.kinds.of(obj["apiVersion"], obj["kind"])
        assert kind is not None
        metadata = obj["metadata"]
        self.registry.delete(kind, metadata.get("namespace", ""), metadata["name"])

    def events(self, reason: str) -> list[Object]:
        """The events of a reason, as they are sorted."""
        kind = self.registry.kinds.named("", "events")
        found = self.registry.store.select(kind.stored)
        return [event for event in found if event["reason"] == reason]
