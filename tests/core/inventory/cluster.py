"""A small cluster for the tests of the inventory: three nodes, a plugin, its pods, a workload."""

from bridgehead.core.model.component import Component, Owner, Revision, template_digest
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.node import Node, Taint
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.model.snapshot import Snapshot

GPU = "vendor.com/gpu"
PATH = "/var/lib/kubelet/device-plugins"


def template(image: str = "example.com/plugin:1", **spec: JsonValue) -> JsonObject:
    """A pod template of a device plugin."""
    return {
        "metadata": {"labels": {"app": "dp"}},
        "spec": {
            "containers": [
                {
                    "name": "plugin",
                    "image": image,
                    "env": [{"name": "TOKEN", "value": "secret"}],
                    "volumeMounts": [{"name": "d", "mountPath": PATH}],
                }
            ],
            "volumes": [{"name": "d", "hostPath": {"path": PATH, "type": ""}}],
            **spec,
        },
    }


def component(name: str = "dp", **changes: object) -> Component:
    """The plugin."""
    fields: dict[str, object] = {
        "namespace": "ns",
        "name": name,
        "uid": f"uid-{name}",
        "generation": 1,
        "observed_generation": 1,
        "template": template(),
        "strategy": {"type": "RollingUpdate"},
        "selector": {"matchLabels": {"app": "dp"}},
        "annotations": {
            "meta.helm.sh/release-name": "release",
            "meta.helm.sh/release-namespace": "ns",
        },
        "owners": (Owner("helm", "ns/release"),),
        "desired": 2,
    }
    return Component(**{**fields, **changes})  # type: ignore[arg-type]


def node(name: str, offer: Offer | None = None, **changes: object) -> Node:
    """A node that offers devices, or none."""
    fields: dict[str, object] = {
        "name": name,
        "uid": f"uid-{name}",
        "labels": {"kubernetes.io/hostname": name, "nvidia.com/gfd.timestamp": name},
        "ready": True,
        "offers": {GPU: offer} if offer else {},
        "os_image": "Debian 12",
        "kernel": "6.1",
        "runtime": "containerd://2.4.2",
        "arch": "amd64",
        "kubelet": "v1.37.2",
        "boot_id": f"boot-{name}",
    }
    return Node(**{**fields, **changes})  # type: ignore[arg-type]


def daemon_pod(owner: Component, on: str, **changes: object) -> Pod:
    """The plugin's pod on a node."""
    fields: dict[str, object] = {
        "namespace": owner.namespace,
        "name": f"{owner.name}-{on}",
        "uid": f"uid-{owner.name}-{on}",
        "node": on,
        "bound": True,
        "labels": {"app": "dp", "controller-revision-hash": "h1"},
        "owner_kind": "DaemonSet",
        "owner_name": owner.name,
        "owner_uid": owner.uid,
        "phase": "Running",
        "admitted": True,
        "ready": True,
        "created": 60.0,
        "containers": (
            Container(
                name="plugin",
                image="example.com/plugin:1",
                image_id="example.com/plugin@sha256:1",
                container_id="containerd://1",
                ready=True,
                state="running",
            ),
        ),
        "host_paths": (PATH,),
    }
    return Pod(**{**fields, **changes})  # type: ignore[arg-type]


def workload(name: str, on: str, count: int, **changes: object) -> Pod:
    """A pod that holds devices."""
    fields: dict[str, object] = {
        "namespace": "apps",
        "name": name,
        "uid": f"uid-{name}",
        "node": on,
        "bound": True,
        "phase": "Running",
        "requests": {GPU: count},
        "containers": (Container(name="work", image="example.com/work:1", state="running"),),
    }
    return Pod(**{**fields, **changes})  # type: ignore[arg-type]


def snapshot(**changes: object) -> Snapshot:
    """The cluster."""
    plugin = component()
    standing = Revision("dp-h1", "h1", 2, template_digest(plugin.template))
    fields: dict[str, object] = {
        "at": 1000.0,
        "server": "v1.37.2",
        "nodes": (
            node("n1", Offer(2, 2)),
            node("n2", Offer(2, 1), kernel="6.18"),
            node("n3", taints=(Taint("gpu", "NoSchedule"),), unschedulable=True),
        ),
        "pods": (
            daemon_pod(plugin, "n1"),
            daemon_pod(plugin, "n2"),
            workload("train", "n1", 1),
        ),
        "components": (plugin,),
        "revisions": ((plugin.ref, (standing, Revision("dp-h0", "h0", 1, "sha256:0"))),),
    }
    return Snapshot(**{**fields, **changes})  # type: ignore[arg-type]
