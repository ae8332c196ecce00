"""A cluster with nodes, the scheduler and the DaemonSet controller, and kubelets in short.

A pod on a node is ready after two seconds (never, with the label ``outcome: stuck``; it fails with
``outcome: fail``) and is gone a second after somebody has asked for its deletion.
"""

from typing import Any

from bridgehead.twin.controllers.daemonsets.controller import DaemonSetController
from bridgehead.twin.objects import (
    Object,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
    with_field,
)
from bridgehead.twin.registry import DeleteOptions
from bridgehead.twin.scheduling.scheduler import Scheduler
from bridgehead.twin.store import Change
from tests.twin.controllers.cluster import NAMESPACE, Cluster

READY_AFTER = 2.0
GONE_AFTER = 1.0


class DaemonCluster(Cluster):
    """With nodes ``node-1`` and so on."""

    def __init__(self, nodes: int = 3) -> None:
        super().__init__()
        for number in range(1, nodes + 1):
            self.node(f"node-{number}")
        Scheduler(self.registry).start()
        DaemonSetController(self.registry).start()
        self.registry.store.subscribe(self._changed)

    def node(self, name: str, **spec: Any) -> Object:
        """A node that joins and is ready at once."""
        has = {"cpu": "4", "memory": "8Gi", "pods": "110"}
        labels = {"kubernetes.io/hostname": name}
        self.apply(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": labels},
                "spec": spec,
                "status": {"allocatable": has, "capacity": has},
            }
        )
        return self.change("Node", name, "spec.taints", spec.get("taints"))

    def daemon_set(self, image: str = "plugin:v1", **spec: Any) -> Object:
        """The DaemonSet ``plugin``; fields beside its template go into its spec."""
        container = {"name": "main", "image": image}
        template = spec.pop("template", {"spec": {"containers": [container]}})
        labels = {"app": "plugin", **spec.pop("labels", {})}
        return self.apply(
            {
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "metadata": {"name": "plugin"},
                "spec": {
                    "selector": {"matchLabels": {"app": "plugin"}},
                    "template": {"metadata": {"labels": labels}, **template},
                    **spec,
                },
            }
        )

    def set_image(self, image: str, **labels: str) -> None:
        """A new template."""
        template = self.get("DaemonSet", "plugin")["spec"]["template"]
        (container,) = template["spec"]["containers"]
        template = with_field(template, ("spec", "containers"), [{**container, "image": image}])
        for key, value in labels.items():
            template = with_field(template, ("metadata", "labels", key), value)
        self.change("DaemonSet", "plugin", "spec.template", template)

    def status(self) -> Object:
        """The status of the DaemonSet."""
        found: Object = self.get("DaemonSet", "plugin")["status"]
        return found

    def images(self) -> dict[str, str]:
        """By node, the image of its pod; of several the newest."""
        pods = [pod for pod in self.all("Pod", NAMESPACE) if not is_deleting(pod)]
        pods.sort(key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
        return {
            pod["spec"]["nodeName"]: pod["spec"]["containers"][0]["image"]
            for pod in pods
            if pod["spec"].get("nodeName")
        }

    def on(self, node: str) -> Object:
        """The only pod of a node."""
        (found,) = [p for p in self.all("Pod", NAMESPACE) if p["spec"].get("nodeName") == node]
        return found

    def revisions(self) -> dict[str, int]:
        """By image, the number of its revision."""
        return {
            each["data"]["spec"]["template"]["spec"]["containers"][0]["image"]: each["revision"]
            for each in self.all("ControllerRevision")
        }

    def settled(self) -> bool:
        """Whether the controller has seen the last generation and all its pods are ready."""
        daemon_set = self.get("DaemonSet", "plugin")
        status = daemon_set.get("status", {})
        return bool(
            status.get("observedGeneration") == daemon_set["metadata"]["generation"]
            and status["desiredNumberScheduled"] == status.get("numberAvailable", 0)
            and not any(is_deleting(pod) for pod in self.all("Pod", NAMESPACE))
        )

    def _changed(self, change: Change) -> None:
        pod = change.object
        if change.kind.plural != "pods" or change.type == "DELETED":
            return
        name, clock = name_of(pod), self.registry.clock
        old = change.previous
        if is_deleting(pod):
            clock.after(GONE_AFTER, lambda: self._remove(name))
        elif pod["spec"].get("nodeName") and not (old and old["spec"].get("nodeName")):
            match labels_of(pod).get("outcome"):
                case "stuck":
                    pass
                case "fail":
                    clock.after(0.1, lambda: self._set_status(name, "Failed"))
                case _:
                    clock.after(READY_AFTER, lambda: self._set_status(name, "Running"))

    def _set_status(self, name: str, phase: str) -> None:
        if not self.has("Pod", name) or is_deleting(self.get("Pod", name)):
            return
        pod = self.get("Pod", name)
        ready = {
            "type": "Ready",
            "status": "True" if phase == "Running" else "False",
            "lastTransitionTime": self.registry.clock.timestamp(),
        }
        status = {**pod.get("status", {}), "phase": phase, "conditions": [ready]}
        changed = with_field(pod, ("status",), status)
        self.registry.update(self.kind("Pod"), changed, subresource="status")

    def _remove(self, name: str) -> None:
        if self.has("Pod", name):
            pod = self.get("Pod", name)
            self.registry.delete(self.kind("Pod"), namespace_of(pod), name, DeleteOptions(grace=0))
