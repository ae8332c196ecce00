"""Two leased nodes with one plugin's DaemonSet, of which one node or both fall ill."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from testbed.knobs import environment
from testbed.node import Node
from testbed.process import kill_all, marked_pids

PLUGINS = "/var/lib/kubelet/device-plugins"
FILES = "/var/lib/faults"
"""Folder of a node that plugin pods see."""
DEVICES = 4
TAG = "v0.17.1"
KUBELET_LOG = "/var/log/kubelet/kubelet.log"
UNKNOWN, NVIDIA, HAMI = "faults/fake", "nvidia/k8s-device-plugin", "projecthami/hami"
"""Repositories of the fake driver: of no known family, of one whose lines it then speaks, and of
one whose plugins are known to need rights."""

Object = dict[str, Any]
Diagnosis = dict[str, Any]


class Ward:
    """`sick` falls ill, `sound` does not unless the whole version is bad."""

    name = "plugin"

    def __init__(self, cluster: Cluster, nodes: Sequence[Node], namespace: str) -> None:
        self.cluster = cluster
        self.sick, self.sound = nodes
        self.namespace = namespace
        self.aligned = False
        self.repository = UNKNOWN
        self.resource = f"{namespace}.example.com/card"

    def differ(self) -> None:
        """Give the nodes devices of two models, as labels tell it; they go with the lease."""
        for node, model in ((self.sick, "L40S"), (self.sound, "H100-80GB-HBM3")):
            labels = {"nvidia.com/gpu.product": f"NVIDIA-{model}"}
            self.cluster.api.patch(f"/api/v1/nodes/{node.name}", {"metadata": {"labels": labels}})

    def pose_as_nvidia(self, repository: str = NVIDIA) -> None:
        """Before the installation: image and resource are of that family, or of HAMi's."""
        self.repository, self.resource = repository, f"nvidia.com/{self.namespace}"

    def install(self, knobs: Mapping[str, object], **pod: Any) -> None:
        """The DaemonSet with these knobs, and with these changes of its pod's spec."""
        self.cluster.api.create(self._sets(), self._daemon_set(knobs, pod))

    def change(self, knobs: Mapping[str, object], **pod: Any) -> None:
        """Another version of it, over all nodes."""
        template = self._daemon_set(knobs, pod)["spec"]["template"]
        patch = [{"op": "replace", "path": "/spec/template", "value": template}]
        self.cluster.api.patch(f"{self._sets()}/{self.name}", patch)

    def _daemon_set(self, knobs: Mapping[str, object], pod: Mapping[str, Any]) -> Object:
        """`container` among the changes is of the container."""
        changes = dict(pod)
        container = {
            "name": "plugin",
            "image": f"{self.cluster.registry_address}/{self.repository}:{TAG}",
            "env": self._environment(knobs),
            "volumeMounts": [
                {"name": "plugins", "mountPath": PLUGINS},
                {"name": "files", "mountPath": FILES},
            ],
            **changes.pop("container", {}),
        }
        spec = {
            "nodeSelector": {f"{self.namespace}/ward": "yes"},
            "terminationGracePeriodSeconds": 2,
            "tolerations": [],
            "containers": [container],
            "volumes": [
                {"name": "plugins", "hostPath": {"path": PLUGINS}},
                {"name": "files", "hostPath": {"path": FILES, "type": "DirectoryOrCreate"}},
            ],
            **changes,
        }
        return {
            "metadata": {"name": self.name},
            "spec": {
                "selector": {"matchLabels": {"app": self.name}},
                "updateStrategy": {"rollingUpdate": {"maxUnavailable": "100%"}},
                "template": {"metadata": {"labels": {"app": self.name}}, "spec": spec},
            },
        }

    def _environment(self, knobs: Mapping[str, object]) -> list[Object]:
        values = environment({"resource": self.resource, "inventory": DEVICES, **knobs})
        node_name = {"fieldRef": {"fieldPath": "spec.nodeName"}}
        return [
            *({"name": key, "value": value} for key, value in values.items()),
            {"name": "NODE_NAME", "valueFrom": node_name},
        ]

    def plugin_pods(self) -> list[Object]:
        """The plugin's pods that are not on their way out."""
        return [
            pod
            for pod in self.cluster.api.get(f"/api/v1/namespaces/{self.namespace}/pods")["items"]
            if pod["metadata"].get("labels", {}).get("app") == self.name
            and "deletionTimestamp" not in pod["metadata"]
        ]

    def pod(self, node: Node) -> Object:
        """The plugin's newest pod on a node."""
        pods = [pod for pod in self.plugin_pods() if pod["spec"].get("nodeName") == node.name]
        return max(pods, key=lambda item: item["metadata"]["creationTimestamp"])

    def until_changed(self) -> None:
        """Wait until pods of the newest template run on both nodes, and their devices are there."""
        self.until(lambda: all(map(self._is_new, (self.sick, self.sound))), "pods of the change")
        self.until_offered()

    def _is_new(self, node: Node) -> bool:
        generation = self.cluster.api.get(f"{self._sets()}/{self.name}")["metadata"]["generation"]
        try:
            pod = self.pod(node)
        except ValueError:
            return False
        labels = pod["metadata"]["labels"]
        running: bool = pod["status"]["phase"] == "Running"
        return running and labels["pod-template-generation"] == str(generation)

    def remove_plugin_pod(self, node: Node) -> Object:
        """Delete the plugin's pod on a node; its metadata."""
        old: Object = self.pod(node)["metadata"]
        self.cluster.api.delete(f"/api/v1/namespaces/{self.namespace}/pods/{old['name']}")
        return old

    def delete_plugin_pod(self, node: Node) -> None:
        """Let the controller make another one."""
        old = self.remove_plugin_pod(node)
        self.until(lambda: self._another(node, old["uid"]), "another plugin pod")

    def enforce(self, level: str) -> None:
        """Let the namespace take only pods of this level of Pod Security."""
        label = "/metadata/labels/pod-security.kubernetes.io~1enforce"
        patch = [{"op": "add", "path": label, "value": level}]
        self.cluster.api.patch(f"/api/v1/namespaces/{self.namespace}", patch)

    def failed_creations(self) -> list[Object]:
        """Events that say that a pod of the plugin could not be created."""
        events = self.cluster.api.get(self._events())["items"]
        return [item for item in events if item["reason"] == "FailedCreate"]

    def forget_events(self) -> None:
        """As the API server does by itself after an hour."""
        for event in self.failed_creations():
            self.cluster.api.delete(f"{self._events()}/{event['metadata']['name']}")

    def _events(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/events"

    def _another(self, node: Node, uid: str) -> bool:
        try:
            return bool(self.pod(node)["metadata"]["uid"] != uid)
        except ValueError:
            return False

    def workload(
        self,
        node: Node,
        count: int = 1,
        name: str = "work",
        resource: str = "",
        *,
        replicas: int = 1,
    ) -> None:
        """A Deployment of pods that take so many devices of a node each."""
        limits = {resource or self.resource: str(count)}
        self.cluster.api.create(
            f"/apis/apps/v1/namespaces/{self.namespace}/deployments",
            {
                "metadata": {"name": name},
                "spec": {
                    "replicas": replicas,
                    "selector": {"matchLabels": {"app": name}},
                    "template": {
                        "metadata": {"labels": {"app": name}},
                        "spec": {
                            "nodeSelector": {"kubernetes.io/hostname": node.name},
                            "terminationGracePeriodSeconds": 1,
                            "containers": [
                                {
                                    "name": "work",
                                    "image": f"{self.cluster.registry_address}/faults/hold:1",
                                    "resources": {"limits": limits},
                                }
                            ],
                        },
                    },
                },
            },
        )

    def end_workload(self, name: str = "work") -> None:
        """Remove that workload, and wait until its pods are gone."""
        self.cluster.api.delete(f"/apis/apps/v1/namespaces/{self.namespace}/deployments/{name}")
        self.until(lambda: not self.pods(name), "end of the workload")

    def pods(self, name: str = "work") -> list[Object]:
        """The pods of that workload, oldest first."""
        pods = self.cluster.api.get(f"/api/v1/namespaces/{self.namespace}/pods")["items"]
        mine = [pod for pod in pods if pod["metadata"].get("labels", {}).get("app") == name]
        return sorted(
            mine, key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"])
        )

    def running(self, name: str = "work") -> bool:
        """Whether a pod of that workload runs."""
        return any(pod["status"]["phase"] == "Running" for pod in self.pods(name))

    def offers(self, node: Node, resource: str = "") -> tuple[str | None, str | None]:
        """What a node says of the resource."""
        status = self.shown(node)["status"]
        name = resource or self.resource
        return status["capacity"].get(name), status["allocatable"].get(name)

    def shown(self, node: Node) -> Object:
        """A node's object."""
        found: Object = self.cluster.api.get(f"/api/v1/nodes/{node.name}")
        return found

    def until_offered(self, count: int = DEVICES) -> None:
        """Wait until both nodes offer so many devices."""
        expected = (str(count), str(count))
        nodes = (self.sick, self.sound)
        self.until(lambda: all(self.offers(node) == expected for node in nodes), "devices")

    def until(self, condition: Callable[[], bool], what: str, timeout: float = 90) -> None:
        """Wait for a condition."""
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"no {what} in {timeout:.0f} s"
            time.sleep(0.2)

    def inventory(self, file: Path) -> None:
        """What the cluster was like before: ``bridgehead inventory --save``."""
        self._command("inventory", "--save", str(file))

    def diagnose(self, *options: str) -> Diagnosis:
        """What ``bridgehead diagnose`` says of the component."""
        done = self._command(
            "diagnose", f"daemonset/{self.namespace}/{self.name}", "-o", "json", *options
        )
        assert done.stdout, done.stderr
        found: Diagnosis = json.loads(done.stdout)
        return found

    def ask(
        self, command: str, *options: str, within: float = 300
    ) -> "subprocess.CompletedProcess[str]":
        """A command about the component; what it writes goes to the ward's namespace."""
        ref = f"daemonset/{self.namespace}/{self.name}"
        words = (command, ref, "--state-namespace", self.namespace, *options)
        return self._command(*words, within=within)

    def _command(self, *words: str, within: float = 300) -> "subprocess.CompletedProcess[str]":
        where = ["--kubeconfig", str(self.cluster.kubeconfig)] if "--from" not in words else []
        return subprocess.run(
            [sys.executable, "-m", "bridgehead", *words, *where],
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=within,
            check=False,
        )

    def show_kubelet_logs(self) -> tuple[str, ...]:
        """Put the kubelets' logs where many hosts have them; the options that have them read."""
        for node in (self.sick, self.sound):
            shown = node.host_path(KUBELET_LOG)
            shown.parent.mkdir(exist_ok=True)
            process = node.kubelet
            shown.hardlink_to(process.state.log(process.name))
        named = [word for node in (self.sick, self.sound) for word in ("--node", node.name)]
        return (*named, "--reader-image", BASE_IMAGE, "--state-namespace", self.namespace)

    def align(self, policy: str | None) -> None:
        """Restart the sick node's kubelet with this topology policy; None: with its usual one."""
        file = self.sick.folder / "kubelet.json"
        settings = json.loads(file.read_text())
        settings.pop("topologyManagerPolicy", None)
        if policy is not None:
            settings["topologyManagerPolicy"] = policy
        file.write_text(json.dumps(settings, indent=1))
        self.sick.restart_kubelet()
        self.aligned = policy is not None

    def clean(self) -> None:
        """Remove what does not go with the namespace and the leases."""
        if self.aligned:
            self.align(None)
        for node in (self.sick, self.sound):
            node.repair()
            if any(map(_hangs, self.cluster.pods_on(node.name))):
                self._end_plugins()  # the kubelet waits for one, and would end no pod
            node.remove_files(FILES)
            node.host_path(KUBELET_LOG).unlink(missing_ok=True)

    def _end_plugins(self) -> None:
        self.cluster.api.delete(f"{self._sets()}/{self.name}")
        kill_all(marked_pids({"FAKE_RESOURCE": self.resource}))

    def _sets(self) -> str:
        return f"/apis/apps/v1/namespaces/{self.namespace}/daemonsets"


def _hangs(pod: Object) -> bool:
    """Whether the kubelet has not taken up a pod that was bound to its node."""
    return "startTime" not in pod["status"] and pod["status"]["phase"] == "Pending"
