"""Where a scenario is played: leased nodes, a namespace and a resource name of its own.

Everything here is done as the cluster's administrator, with the test bed's own client.
"""

import string
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from testbed.api import ApiError, Object
from testbed.cluster import Cluster
from testbed.fake_images import REGISTRY, fake_images, hold_image
from testbed.images import Image, build_archive
from testbed.node import Node
from testbed.parts import binary
from tests.scenarios import objects
from tests.scenarios.access import grant, grant_everything, revoke
from tests.scenarios.scenario import Scenario, WorkloadGiven

SHARED_SPEC: Mapping[str, Any] = {
    "cohort": ["device"],
    "verify": {
        "settle": "3s",
        "statusPeriod": "1s",
        "statusPeriodUnchecked": True,
        "timeout": "20s",
        "soak": {"canary": "3s", "wave": "1s"},
    },
    "lock": {"duration": "15s"},
}
"""What all scenarios' specs hold unless they say otherwise.

The kubelets report every second. A lock shorter than this is lost where all tests run at a time.
"""

HOLD = "hold:v1"
FILES = "/var/lib/scenario"
"""Folder of a node that the plugin's pods see."""

DRIVER = ("fakedriver", "fakedriver")


class UnfitStageError(Exception):
    """The cluster that a scenario asks for did not come about."""


@dataclass(frozen=True)
class Stage:
    """One playing of one scenario."""

    cluster: Cluster
    scenario: Scenario
    nodes: tuple[Node, ...]
    """By name: the plan's order among equal nodes."""
    namespace: str
    folder: Path
    """For files of this playing."""
    administrator: bool = False
    """Whether bridgehead may do everything, and makes the state namespace itself."""

    @property
    def state_namespace(self) -> str:
        """Where the run's state goes."""
        return f"{self.namespace}-state"

    @property
    def user(self) -> str:
        """As whom bridgehead writes, so that the audit log tells its writes from others."""
        return f"scenario-{self.namespace}"

    @property
    def resource(self) -> str:
        """What the plugin offers."""
        return f"{self.namespace}.test/device"

    @cached_property
    def members(self) -> tuple[int, ...]:
        """Nodes on which the plugin runs from the start."""
        if self.scenario.given.plugin is None or self.scenario.given.plugin.node_selector:
            return ()
        return tuple(n for n, node in enumerate(self.scenario.given.nodes) if node.member)

    @property
    def component_ref(self) -> ComponentRef:
        """What the rollout changes, unless the scenario names another component."""
        return ComponentRef(ComponentKind.DAEMON_SET, self.namespace, "plugin")

    @property
    def label(self) -> dict[str, str]:
        """The label of nodes on which the plugin runs."""
        return {"scenario.test/member": self.namespace}

    def path(self, kind: str, name: str = "") -> str:
        """The API's path of one of the scenario's objects, or of all of that kind."""
        group = "apis/apps/v1" if kind == "daemonsets" else "api/v1"
        return f"/{group}/namespaces/{self.namespace}/{kind}" + (f"/{name}" if name else "")

    def image(self, name: str) -> str:
        """The whole name of one of the scenario's images; any other is whole already."""
        known = name in self.scenario.images or name == HOLD
        return f"{REGISTRY}/{self.namespace}/{name}" if known else name

    def fill(self, value: Any) -> Any:
        """The value with what is known only now: `${resource}` and the like, names of images."""
        if isinstance(value, str):
            return self.image(string.Template(value).substitute(self._names))
        if isinstance(value, dict):
            return {self.fill(key): self.fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        return value

    @cached_property
    def spec_text(self) -> str:
        """The scenario's bridgehead.yaml."""
        own = {
            "apiVersion": "bridgehead.dev/v1alpha1",
            "kind": "Rollout",
            "metadata": {"name": self.namespace},
            "component": {"daemonSet": {"namespace": self.namespace, "name": "plugin"}},
        }
        merged = _merged(_merged(own, SHARED_SPEC), self.fill(self.scenario.spec))
        return str(yaml.safe_dump(merged, sort_keys=False))

    def prepare(self) -> None:
        """Make everything that the scenario gives, and wait until it is there."""
        for number, given in enumerate(self.scenario.given.nodes):
            labels = {"nvidia.com/gpu.product": given.device, **given.labels}
            if given.member:
                labels |= self.label
            spec = {"taints": given.taints or None, "unschedulable": given.cordoned or None}
            self._patch_node(number, {"metadata": {"labels": labels}, "spec": spec})
        self._import_images()
        if self.administrator:
            grant_everything(self.cluster.api, self.user)
        else:
            grant(self.cluster.api, self.user, self.component_ref, self.state_namespace)
        for item in self.scenario.given.objects:
            self.create(item)
        if self.scenario.given.plugin is not None:
            self.cluster.api.create(self.path("daemonsets"), objects.plugin(self))
        self.until(lambda: all(map(self.offers, self.members)), "the nodes offer the devices")
        pods = [self.create_workload(item) for item in self.scenario.given.workloads]
        try:
            self.until(lambda: all(map(self.container, pods)), "the workloads run")
        except UnfitStageError as error:
            raise UnfitStageError(f"{error}: {[self._state(pod) for pod in pods]}") from None

    def clean(self) -> None:
        """Remove what does not go with the namespace and the nodes' leases."""
        revoke(self.cluster.api, self.user)
        self.cluster.api.delete(f"/api/v1/namespaces/{self.state_namespace}")
        for item in self.cluster.api.get(self.path("configmaps"))["items"]:
            if item["metadata"].get("finalizers"):
                path = self.path("configmaps", item["metadata"]["name"])
                self.cluster.api.patch(path, {"metadata": {"finalizers": None}})
        for node in self.nodes:
            for file in node.host_path(FILES).glob("*"):
                file.unlink()

    def create(self, item: Object) -> None:
        """Create an object; in the scenario's namespace where it names none."""
        filled = self.fill(item)
        kind = filled["kind"].lower() + "s"
        namespace = filled["metadata"].get("namespace", self.namespace)
        version = filled["apiVersion"]
        prefix = "api" if "/" not in version else "apis"
        self.cluster.api.create(f"/{prefix}/{version}/namespaces/{namespace}/{kind}", filled)

    def create_workload(self, workload: WorkloadGiven) -> str:
        """Create a pod that asks for devices of a node; its name."""
        body = objects.workload(self, workload)
        body = self.cluster.api.create(self.path("pods"), body)
        return str(body["metadata"]["name"])

    def offers(self, number: int) -> bool:
        """Whether a node offers all devices that the plugin has."""
        plugin = self.scenario.given.plugin
        return plugin is not None and self.allocatable(number) == plugin.devices

    def allocatable(self, number: int) -> int | None:
        """How many devices a node offers; None where it never heard of them."""
        node = self.node_object(number)
        found = node["status"].get("allocatable", {}).get(self.resource)
        return None if found is None else int(found)

    def node_object(self, number: int) -> Object:
        """The Node as the API has it."""
        return self.cluster.api.get(f"/api/v1/nodes/{self.nodes[number].name}")

    def plugin_pods(self) -> dict[int, Object]:
        """The newest plugin pod of each node."""
        numbers = {node.name: number for number, node in enumerate(self.nodes)}
        pods = self.cluster.api.get(f"{self.path('pods')}?labelSelector=app%3Dplugin")["items"]
        ordered = sorted(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
        found = {numbers.get(pod["spec"].get("nodeName", "")): pod for pod in ordered}
        return {number: pod for number, pod in found.items() if number is not None}

    def container(self, pod: str) -> tuple[str, int] | None:
        """Id and restarts of a pod's container; None while it does not run."""
        status = self.cluster.api.get(self.path("pods", pod))["status"]
        for item in status.get("containerStatuses", []):
            if "running" in item["state"]:
                return item["containerID"], item["restartCount"]
        return None

    def _state(self, pod: str) -> str:
        status = self.cluster.api.get(self.path("pods", pod))["status"]
        told = [status.get(key) for key in ("phase", "reason", "message")]
        told += [item["state"] for item in status.get("containerStatuses", [])]
        return " ".join(str(item) for item in [pod, *told] if item)

    def component(self) -> Object | None:
        """The DaemonSet; None where there is none."""
        try:
            return self.cluster.api.get(self.path("daemonsets", "plugin"))
        except ApiError as error:
            if error.status != 404:
                raise
            return None

    def until(self, condition: Callable[[], bool], what: str, timeout: float = 60) -> None:
        """Wait for a condition. Raises UnfitStageError."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise UnfitStageError(f"not within {timeout:.0f} s: {what}")
            time.sleep(0.2)

    def _patch_node(self, number: int, patch: Object) -> None:
        self.cluster.api.patch(f"/api/v1/nodes/{self.nodes[number].name}", patch)

    def join(self, number: int) -> None:
        """Give a node the label that the plugin's nodeSelector asks for."""
        self._patch_node(number, {"metadata": {"labels": self.label}})

    def cordon(self, number: int) -> None:
        """Cordon a node, as a person does."""
        self._patch_node(number, {"spec": {"unschedulable": True}})

    def _import_images(self) -> None:
        driver = binary(*DRIVER)
        versions: dict[str, dict[str, dict[str, Any]]] = {}
        for name, knobs in self.scenario.images.items():
            repository, _, tag = name.partition(":")
            versions.setdefault(repository, {})[tag] = self.fill(knobs)
        images = {self.image(HOLD): hold_image(driver=driver)}
        for repository, tags in versions.items():
            images |= fake_images(tags, driver=driver, repository=f"{self.namespace}/{repository}")
        images = {name: self._unmistakable(image) for name, image in images.items()}
        with tempfile.TemporaryDirectory() as folder:
            tar = Path(folder) / "images.tar"
            build_archive(tar, images)
            self.cluster.import_images(tar, [node.name for node in self.nodes])

    def _unmistakable(self, image: Image) -> Image:
        """The image with a digest of its own.

        A kubelet that has pulled an image for one name pulls it again for any other
        (KubeletEnsureSecretPulledImages, Kubernetes 1.37), even where that name is imported.
        """
        return replace(image, env={**(image.env or {}), "SCENARIO": self.namespace})

    @cached_property
    def _names(self) -> dict[str, str]:
        return {
            "resource": self.resource,
            "namespace": self.namespace,
            "registry": self.cluster.registry_address,
            **{f"node{number}": node.name for number, node in enumerate(self.nodes)},
        }


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both mappings, `over` deciding, mapping by mapping."""
    result = dict(under)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = _merged(result[key], value) if both else value
    return result
