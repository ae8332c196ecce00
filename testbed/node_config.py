"""The files that a node's container runtime and kubelet read."""

from __future__ import annotations

import json
import os
from pathlib import Path

from testbed import cgroups
from testbed.base_image import BASE_IMAGE
from testbed.errors import TestbedError
from testbed.process import run
from testbed.registry_server import registry_address
from testbed.state import Addresses, State
from testbed.system import CNI_FOLDERS

SOCKET = "/run/containerd/containerd.sock"
"""The runtime's socket as the node sees it."""

_CONTAINERD = """\
version = 3
root = "{folder}/containerd"
state = "/run/containerd"
oom_score = 0

[grpc]
  address = "{socket}"

[plugins.'io.containerd.cri.v1.images']
  snapshotter = "{snapshotter}"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "{pause}"
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = "{folder}/registries"

[plugins.'io.containerd.cri.v1.runtime']
  # Without CAP_SYS_RESOURCE no pod of a high priority class starts otherwise: runc may not
  # lower oom_score_adj and says only "can't get final child's PID from pipe: EOF".
  restrict_oom_score_adj = true
  cdi_spec_dirs = ["/run/cdi"]
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = [{cni}]
    conf_dir = "{folder}/cni"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      SystemdCgroup = false
"""


def write_containerd_config(state: State, node: str, number: int) -> Path:
    """Write the runtime's configuration, its pod network and its way to the registry."""
    folder = state.node_folder(node)
    addresses = Addresses(state.record().slot)
    path = folder / "containerd.toml"
    path.write_text(
        _CONTAINERD.format(
            folder=folder,
            socket=SOCKET,
            snapshotter=_snapshotter(folder),
            pause=BASE_IMAGE,
            cni=", ".join(f'"{place}"' for place in CNI_FOLDERS if Path(place).is_dir()),
        )
    )
    network = folder / "cni" / "10-pods.conflist"
    network.parent.mkdir(exist_ok=True)
    network.write_text(json.dumps(_pod_network(addresses.pods(number))))
    registry = registry_address(state)
    hosts = folder / "registries" / registry / "hosts.toml"
    hosts.parent.mkdir(parents=True, exist_ok=True)
    hosts.write_text(
        f'server = "http://{registry}"\n'
        f'[host."http://{registry}"]\n  capabilities = ["pull", "resolve"]\n'
    )
    return path


def write_kubelet_config(state: State, node: str, cgroup: str) -> Path:
    """Write the kubelet's configuration."""
    path = state.node_folder(node) / "kubelet.json"
    path.write_text(json.dumps(_kubelet(state, node, cgroup), indent=1))
    return path


def _kubelet(state: State, node: str, cgroup: str) -> dict[str, object]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(state.pki("ca.crt"))},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": str(state.pki(f"{node}.crt")),
        "tlsPrivateKeyFile": str(state.pki(f"{node}.key")),
        "containerRuntimeEndpoint": f"unix://{SOCKET}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": cgroup,
        # The default is true since 1.35: a kubelet refuses to start on cgroup version 1.
        "failCgroupV1": not cgroups.is_version_1(),
        "enforceNodeAllocatable": [],
        "oomScoreAdj": 0,
        # Tests wait for statuses; a tenth of the default period makes them ten times as fast.
        "nodeStatusUpdateFrequency": "1s",
        "nodeStatusReportFrequency": "1s",
        "syncFrequency": "5s",
        # The machine's disk and memory are shared by all nodes: no node may judge or clean them.
        "evictionHard": {},
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "localStorageCapacityIsolation": False,
        "failSwapOn": False,
        "makeIPTablesUtilChains": False,
        # Nothing answers there; without an address every pod gets a warning event.
        "clusterDNS": [Addresses(state.record().slot).dns],
        "resolvConf": "",
        "registerNode": True,
        **_quick_restarts(state.record().release),
    }


def _quick_restarts(release: str) -> dict[str, object]:
    """Containers that crash are started again soon; the releases before 1.32 cannot (KEP-4603)."""
    if release and tuple(map(int, release.split("."))) < (1, 32):
        return {}
    return {
        "featureGates": {"KubeletCrashLoopBackOffMax": True},
        "crashLoopBackOff": {"maxContainerRestartPeriod": "2s"},
    }


def _pod_network(pods: str) -> dict[str, object]:
    return {
        "cniVersion": "1.0.0",
        "name": "pods",
        "plugins": [
            {
                "type": "ptp",
                "ipam": {
                    "type": "host-local",
                    "ranges": [[{"subnet": pods}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            }
        ],
    }


def _snapshotter(folder: Path) -> str:
    # The kernel refuses an overlay over an overlay: so it is inside most containers.
    kind = run(["stat", "--file-system", "--format=%T", os.fspath(folder)]).strip()
    if not kind:
        raise TestbedError(f"cannot tell the file system of {folder}")
    return "native" if kind == "overlayfs" else "overlayfs"
