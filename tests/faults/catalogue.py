"""The faults: how each is made on a real kubelet, and what a diagnosis must say of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.faults.ward import FILES, Ward

ALL, ONE = "all", "one"
"""Whether the whole version is bad, or one node alone is ill."""


@dataclass(frozen=True)
class Fault:
    """One fault.

    It starts from a sound version on both nodes, whose offers are saved as the baseline; then the
    template takes `knobs` (and `pod`, changes of the pod's spec), and `act` does the rest. Of the
    diagnosis the first cause must be of the rule `first`, of the nodes that are ill, quote
    `evidence`, and say what to do and what would refute it.
    """

    name: str
    says: str
    knobs: Mapping[str, object]
    first: str
    evidence: str
    where: str = ALL
    before: Mapping[str, object] = field(default_factory=dict)
    pod: Mapping[str, Any] = field(default_factory=dict)
    act: Callable[[Ward], None] = lambda ward: None
    nvidia: bool = False
    """Whether the fake driver is taken for NVIDIA's plugin, whose lines it prints."""
    long: bool = False
    """Made by name only: another fault takes the same way through the tool."""
    looks: bool = False
    """Whether a reader pod reads the nodes' files: nothing but the kubelet's log tells of it."""
    nodes: bool = True
    """Whether the cause is about nodes; a workload's own fault is not."""
    models: bool = False
    """Whether the two nodes have different devices, as their labels say."""
    blame: str = ""
    """Where the first cause must put the blame, if that is what the fault is about."""


def restart_kubelet(ward: Ward) -> None:
    """Of the node that is to fall ill, once the new version is there."""
    ward.until_changed()
    ward.sick.restart_kubelet()


def use_one(ward: Ward) -> None:
    """A workload that takes one device of the new version."""
    ward.until_changed()
    ward.workload(ward.sick)


def ask_across_numa_nodes(ward: Ward) -> None:
    """More devices than one NUMA node has, of a kubelet that gives them from one only."""
    ward.until_changed()
    ward.align("single-numa-node")
    ward.until_offered()
    ward.workload(ward.sick, 3)


def ask_for_the_old_name(ward: Ward) -> None:
    """A workload that was not changed with the plugin."""
    ward.workload(ward.sick)


FAULTS = (
    Fault(
        "F1",
        "two of four devices turn unhealthy",
        {"unhealthyAfter": "0s", "unhealthyDevices": 2},
        "devices-unhealthy",
        "unhealthy",
    ),
    Fault(
        "F1-one-node",
        "all devices of one node turn unhealthy",
        {"unhealthyAfter": "0s"},
        "devices-unhealthy",
        "unhealthy",
        where=ONE,
        long=True,
    ),
    Fault(
        "F2",
        "the list of devices ends and the process lives on",
        {"endStreamAfter": "1s"},
        "stream-ended",
        "device stream of",
        where=ONE,
    ),
    Fault(
        "F3",
        "the plugin does not notice a kubelet restart",
        {"onKubeletRestart": "ignore"},
        "kubelet-restart-missed",
        "Starting kubelet.",
        where=ONE,
        act=restart_kubelet,
    ),
    Fault(
        "F4",
        "Allocate never answers",
        {"allocateHang": True},
        "allocate-hangs",
        "no startTime, asks for 1",
        where=ONE,
        act=use_one,
    ),
    Fault(
        "F5-allocate",
        "Allocate fails",
        {"allocateError": "device is lost"},
        "allocate-fails",
        "device is lost",
        where=ONE,
        act=use_one,
    ),
    Fault(
        "F5-preferred",
        "the choice of devices fails",
        {"preferredError": "no such device"},
        "preferred-allocation-fails",
        "no such device",
        where=ONE,
        act=use_one,
        long=True,
    ),
    Fault(
        "F6",
        "the list is longer than 4 MiB",
        {"inventory": 1000, "idLength": 4300},
        "message-too-large",
        "larger than max",
        looks=True,
        long=True,
    ),
    Fault(
        "F7-version",
        "another version of the plugin API",
        {"apiVersion": "v1alpha1"},
        "plugin-api-versions-differ",
        "requested API version",
    ),
    Fault(
        "F7-name",
        "a name that the kubelet refuses",
        {"resourceSuffix": "!"},
        "resource-name-refused",
        "is invalid",
        long=True,
    ),
    Fault(
        "F7-options",
        "the plugin cannot tell its options",
        {"optionsError": "no options"},
        "options-refused",
        "no options",
        long=True,
    ),
    Fault(
        "F8-exit",
        "the driver is missing and the plugin ends",
        {"initFailure": "exit"},
        "driver-not-visible",
        "driver library not found",
    ),
    Fault(
        "F8-block",
        "the driver is missing on one node and the plugin waits",
        {"initFailure": "block"},
        "driver-not-visible",
        "driver library not found",
        where=ONE,
        long=True,
    ),
    Fault(
        "F9-looks-elsewhere",
        "kubelet.sock is looked for elsewhere",
        {"kubeletDir": FILES},
        "kubelet-directory-elsewhere",
        "no such file",
    ),
    Fault(
        "F9-serves-elsewhere",
        "the socket is made elsewhere",
        {"serveDir": FILES},
        "kubelet-directory-elsewhere",
        "dial",
        long=True,
    ),
    Fault(
        "F10",
        "the process is not root",
        {"runAsUser": 1000},
        "plugin-not-root",
        "permission denied",
    ),
    Fault(
        "F11",
        "memory grows to the limit",
        {"memoryGrowthMiB": 64},
        "plugin-out-of-memory",
        "OOMKilled",
        pod={"container": {"resources": {"limits": {"memory": "64Mi"}}}},
    ),
    Fault(
        "F12",
        "the resource has another name, and a workload the old one",
        {"resourceSuffix": "-b"},
        "dead-resource-name",
        "card-b 4/4",
        act=ask_for_the_old_name,
    ),
    Fault(
        "F13",
        "a second instance claims the resource",
        {"secondInstance": 2, "secondInstanceAfter": "1s"},
        "two-claimants",
        "registered device plugin for",
        long=True,
    ),
    Fault(
        "F14-nothing",
        "no device is found",
        {"discoverDir": f"{FILES}/none"},
        "driver-not-bound",
        "failed to discover devices",
    ),
    Fault(
        "F8-one-model",
        "the new version offers nothing on nodes of one model, and all on the other",
        {"devices": 0},
        "fewer-devices",
        "4/4 from",
        where=ONE,
        models=True,
        blame="bad version",
    ),
    Fault(
        "F15",
        "a socket was left behind",
        {"socketAtStart": "keep"},
        "socket-address-taken",
        "address already in use",
        before={"socketAtExit": "keep"},
        long=True,
    ),
    Fault(
        "F16",
        "devices of two NUMA nodes, and a kubelet that gives them from one",
        {"numaNodes": [0, 1]},
        "numa-not-aligned",
        "TopologyAffinityError",
        where=ONE,
        act=ask_across_numa_nodes,
    ),
    Fault(
        "F17",
        "CDI names that the node does not know",
        {"cdiKind": "example.com/none"},
        "cdi-name-unknown",
        "unresolvable CDI devices",
        where=ONE,
        act=use_one,
    ),
    Fault(
        "F18",
        "a vendor's own words: no driver library",
        {"registers": "never", "logLines": ["could not load NVML library: libnvidia-ml.so.1"]},
        "driver-not-visible",
        "could not load NVML library",
        nvidia=True,
    ),
    Fault(
        "crashes",
        "the process ends again and again",
        {"crashAfter": "2s"},
        "plugin-crashes",
        "device monitor stopped unexpectedly",
        long=True,
    ),
    Fault(
        "never-registers",
        "Ready and silent",
        {"registers": "never"},
        "plugin-never-registers",
        "serving '",
        long=True,
    ),
    Fault(
        "fewer",
        "one device fewer than before",
        {"fewerDevices": 1},
        "fewer-devices",
        "card 3/3",
    ),
    Fault(
        "no-permission",
        "the plugin may not list pods",
        {"apiCall": "listPods"},
        "plugin-lacks-permission",
        "forbidden",
        long=True,
    ),
    Fault(
        "no-image",
        "the image is not there",
        {},
        "image-not-pulled",
        "none/plugin:v9",
        pod={"container": {"image": "127.0.0.1:1/none/plugin:v9"}},
    ),
    Fault(
        "no-directory",
        "a hostPath that is not there",
        {},
        "kubelet-directory-not-mounted",
        "hostPath type check failed",
        pod={
            "volumes": [
                {
                    "name": "plugins",
                    "hostPath": {
                        "path": "/var/lib/kubelet/elsewhere/device-plugins",
                        "type": "Directory",
                    },
                },
                {"name": "files", "hostPath": {"path": FILES, "type": "DirectoryOrCreate"}},
            ]
        },
        long=True,
    ),
    Fault(
        "no-node",
        "a selector that no node has",
        {},
        "placement-changed-with-revision",
        '-> {"nvidia.com/gpu.present":"true"}',
        pod={"nodeSelector": {"nvidia.com/gpu.present": "true"}},
        nodes=False,
    ),
    Fault(
        "no-class",
        "a priority class that is not there",
        {},
        "pod-creation-refused",
        "no PriorityClass",
        pod={"priorityClassName": "none"},
        nodes=False,
        long=True,
    ),
)
