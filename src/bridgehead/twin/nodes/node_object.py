"""The Node object as a kubelet makes and reports it.

Source: initialNode of k8s.io/kubernetes/pkg/kubelet/kubelet_node_status.go, and
nodestatus/setters.go (1.37).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bridgehead.twin.nodes.devices.endpoints import Offered
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.objects import Object, fields, items

if TYPE_CHECKING:
    from bridgehead.twin.nodes.kubelet import Kubelet

REASONS: Mapping[str, tuple[str, str]] = {
    "MemoryPressure": ("NodeHasSufficientMemory", "NodeHasInsufficientMemory"),
    "DiskPressure": ("NodeHasNoDiskPressure", "NodeHasDiskPressure"),
    "PIDPressure": ("NodeHasSufficientPID", "NodeHasInsufficientPID"),
    "Ready": ("NodeNotReady", "NodeReady"),
}
"""Reasons of the events when a condition becomes False or True."""

_GOOD = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)

_HANDLER = {"recursiveReadOnlyMounts": True, "userNamespaces": False}


_TTLS = ((100, 0), (500, 15), (1000, 30), (2000, 60))
"""Nodes up to which pods may use what they have read for so many seconds.

Source: k8s.io/kubernetes/pkg/controller/ttl/ttl_controller.go (1.37), which writes it soon after.
"""
_LONGEST_TTL = 300


def first(host: Host) -> Object:
    """The object with which a node registers."""
    machine = host.machine
    count = len(host.context.fleet.machines)
    ttl = next((seconds for most, seconds in _TTLS if count <= most), _LONGEST_TTL)
    labels = {
        "beta.kubernetes.io/arch": machine.architecture,
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": machine.architecture,
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": "linux",
        **machine.labels,
    }
    annotations = {
        "node.alpha.kubernetes.io/ttl": str(ttl),
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        **machine.annotations,
    }
    spec: Object = {}
    if machine.taints:
        spec["taints"] = [dict(taint) for taint in machine.taints]
    return {
        "metadata": {"name": machine.name, "labels": labels, "annotations": annotations},
        "spec": spec,
    }


def reported(
    node: Object, kubelet: "Kubelet", *, offered: Mapping[str, Offered], ready: bool
) -> Object:
    """The node with its status as it is now."""
    host = kubelet.host
    status = dict(fields(node, "status"))
    capacity = _capacity(host, fields(status, "capacity"), offered)
    status |= {
        "addresses": [
            {"type": "InternalIP", "address": host.address},
            {"type": "Hostname", "address": host.machine.name},
        ],
        "capacity": capacity,
        "allocatable": _allocatable(host, capacity, offered),
        "conditions": _conditions(node, kubelet, ready=ready),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "declaredFeatures": [
            "ExtendWebSocketsToKubelet",
            "InPlacePodLevelResourcesVerticalScaling",
            "InPlacePodVerticalScalingInitContainers",
            "RestartAllContainersOnContainerExits",
        ],
        "features": {"supplementalGroupsPolicy": True},
        "nodeInfo": _info(host),
        "runtimeHandlers": [
            {"name": "", "features": dict(_HANDLER)},
            {"name": "runc", "features": dict(_HANDLER)},
        ],
        **host.machine.status,
    }
    if images := _images(host):
        status["images"] = images
    return {**node, "status": status}


def _capacity(
    host: Host, before: Mapping[str, Any], offered: Mapping[str, Offered]
) -> dict[str, str]:
    """Own resources, those of plugins, and what anybody else has written into the status."""
    machine = host.machine
    return {
        **before,
        "cpu": machine.cpu,
        "memory": machine.memory,
        "pods": str(machine.pods),
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        **{name: str(item.capacity) for name, item in offered.items()},
    }


def _allocatable(
    host: Host, capacity: Mapping[str, str], offered: Mapping[str, Offered]
) -> dict[str, str]:
    """What was recorded stands but for what no plugin offers any more: of that there is none."""
    there = {name for name, amount in capacity.items() if amount != "0"}
    return {
        **capacity,
        **{name: amount for name, amount in host.recorded.items() if name in there},
        **host.machine.allocatable,
        **{name: str(item.allocatable) for name, item in offered.items()},
    }


def _conditions(node: Object, kubelet: "Kubelet", *, ready: bool) -> list[Object]:
    now = kubelet.context.clock.timestamp()
    before = {item["type"]: item for item in items(node, "status", "conditions")}
    wanted = [(kind, "False", reason, message) for kind, reason, message in _GOOD]
    if ready:
        wanted.append(("Ready", "True", "KubeletReady", "kubelet is posting ready status"))
    else:
        why = "container runtime network not ready: NetworkReady=false"
        wanted.append(("Ready", "False", "KubeletNotReady", why))
    own = []
    for kind, status, reason, message in wanted:
        old = before.get(kind, {})
        since = old.get("lastTransitionTime") if old.get("status") == status else None
        own.append(
            {
                "type": kind,
                "status": status,
                "reason": reason,
                "message": message,
                "lastHeartbeatTime": now,
                "lastTransitionTime": since or now,
            }
        )
    types = {item["type"] for item in own}
    return [*(item for kind, item in before.items() if kind not in types), *own]


def _info(host: Host) -> Object:
    machine = host.machine
    return {
        "architecture": machine.architecture,
        "bootID": host.boot_id,
        "containerRuntimeVersion": machine.runtime,
        "kernelVersion": machine.kernel,
        "kubeProxyVersion": "",
        "kubeletVersion": machine.kubelet,
        "machineID": host.machine_id,
        "operatingSystem": "linux",
        "osImage": machine.os_image,
        "runningInUserNamespace": False,
        "systemUUID": host.machine_id,
    }


def _images(host: Host) -> list[Object]:
    """At most 50, the largest first."""
    largest = sorted(host.images.items(), key=lambda item: (-item[1], item[0]))[:50]
    return [{"names": [host.image_id(name), name], "sizeBytes": size} for name, size in largest]
