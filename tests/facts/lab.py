"""One leased node, and plugins on it that do what a test of a fact wants."""

import time
from collections.abc import Callable
from typing import Any

from testbed.api import ApiError
from testbed.cluster import Cluster
from testbed.knobs import environment
from testbed.node import Node

PLUGINS = "/var/lib/kubelet/device-plugins"
FAKE, HOLD = "facts/fake:1", "facts/hold:1"

Offer = tuple[str | None, str | None]
"""Capacity and allocatable; None where the name is absent."""
Object = dict[str, Any]


class Lab:
    """A node, a namespace, and a resource name of their own."""

    def __init__(self, cluster: Cluster, node: Node, namespace: str) -> None:
        self.cluster = cluster
        self.node = node
        self.namespace = namespace
        self.resource = f"{namespace}.example.com/fact"

    @property
    def release(self) -> str:
        """The minor version of the node's kubelet, such as ``1.37``."""
        version: str = self._node()["status"]["nodeInfo"]["kubeletVersion"]
        return ".".join(version.removeprefix("v").split(".")[:2])

    def plugin(self, *, name: str = "", mounts: bool = True, **knobs: object) -> str:
        """Start a plugin pod with these knobs; its name."""
        env = environment({"resource": self.resource, **knobs})
        return self._start(
            name or "plugin-",
            {
                "image": f"{self.cluster.registry_address}/{FAKE}",
                "env": [{"name": key, "value": value} for key, value in env.items()],
                "volumeMounts": [{"name": "plugins", "mountPath": PLUGINS}] if mounts else [],
            },
        )

    def holder(self, count: int = 1) -> str:
        """Start a pod that takes so many devices; its name."""
        limits = {self.resource: str(count)}
        image = f"{self.cluster.registry_address}/{HOLD}"
        return self._start("holder-", {"image": image, "resources": {"limits": limits}})

    def _start(self, prefix: str, container: Object) -> str:
        created = self.cluster.api.create(
            self._pods(),
            {
                "metadata": {"generateName": prefix},
                "spec": {
                    "restartPolicy": "Never",
                    "nodeName": self.node.name,
                    "terminationGracePeriodSeconds": 1,
                    "containers": [{"name": "main", **container}],
                    "volumes": [{"name": "plugins", "hostPath": {"path": PLUGINS}}],
                },
            },
        )
        name: str = created["metadata"]["name"]
        return name

    def ask_removal(self, pod: str) -> None:
        """Delete a pod; that it goes is another matter."""
        self.cluster.api.delete(f"{self._pods()}/{pod}")

    def remove(self, pod: str) -> None:
        """Delete a pod and wait until it is gone."""
        self.ask_removal(pod)
        self.until(lambda: self.pod(pod) is None)

    def waits(self, pod: str, reason: str) -> str:
        """Wait until its container waits for this reason; the message."""

        def state() -> Object:
            listed = self.status(pod).get("containerStatuses") or [{}]
            found: Object = listed[0].get("state", {}).get("waiting", {})
            return found

        self.until(lambda: state().get("reason") == reason)
        message: str = state()["message"]
        return message

    def events(self, pod: str) -> list[Object]:
        """Events about a pod."""
        found: Object = self.cluster.api.get(f"/api/v1/namespaces/{self.namespace}/events")
        return [item for item in found["items"] if item["involvedObject"].get("name") == pod]

    def pod(self, name: str) -> Object | None:
        """The pod, or None where it is gone."""
        try:
            found: Object = self.cluster.api.get(f"{self._pods()}/{name}")
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return found

    def status(self, pod: str) -> Object:
        """The status of a pod that is there."""
        found = self.pod(pod)
        assert found is not None
        status: Object = found["status"]
        return status

    def offer(self) -> Offer:
        """What the node says of the resource now."""
        status = self._node()["status"]
        return status["capacity"].get(self.resource), status["allocatable"].get(self.resource)

    def log(self, pod: str) -> str:
        """The pod's log, read on the node."""
        folder = self.node.host_path("/var/log/pods")
        found = sorted(folder.glob(f"{self.namespace}_{pod}_*/main/*.log"))
        return "".join(path.read_text() for path in found)

    def kubelet_log(self) -> str:
        """The kubelet's log, of all its starts."""
        process = self.node.kubelet
        return process.state.log(process.name).read_text(errors="replace")

    def until(self, condition: Callable[[], bool], timeout: float = 60) -> None:
        """Wait for a condition; fails when it does not come true."""
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"it did not come true in {timeout:.0f} s"
            time.sleep(0.1)

    def stays(self, condition: Callable[[], bool], seconds: float) -> None:
        """Look for so many seconds whether a condition holds all the time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert condition(), "it holds no longer"
            time.sleep(0.1)

    def offers(self, *expected: Offer, timeout: float = 60) -> None:
        """Wait until the node says one of these."""
        self.until(lambda: self.offer() in expected, timeout)

    def offers_seen(self, seconds: float) -> list[Offer]:
        """What the node says during so many seconds, each change once."""
        end, seen = time.monotonic() + seconds, [self.offer()]
        while time.monotonic() < end:
            now = self.offer()
            if now != seen[-1]:
                seen.append(now)
            time.sleep(0.05)
        return seen

    def _node(self) -> Object:
        found: Object = self.cluster.api.get(f"/api/v1/nodes/{self.node.name}")
        return found

    def _pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"
