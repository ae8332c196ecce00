"""The pod that reads files of one node: what it may see, and what it runs. Pure.

Each path is mounted by itself and read-only, so that the pod sees what is listed here and nothing
else of the node. A path that a node does not have makes the kubelet refuse the mount, and the pod
is made again without it: no folder is ever made on a node.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from bridgehead.cluster.names import ROLE_LABEL

ROLE = "reader"
"""Value of the role label; by it readers that were left behind are found."""
DEADLINE = 60
"""Seconds after which a reader is ended by its kubelet, whatever it does."""
LOG_LINES = 2000
"""Lines of the kubelet's log that are read, the newest."""
LOG_BYTES = 4 * 1024 * 1024
"""What is taken of all that a reader prints."""


class HostPath(msgspec.Struct, frozen=True, kw_only=True):
    """A path of the node. ``read`` says in words what is read below it."""

    volume: str
    path: str
    type: str = "Directory"
    read: str

    @property
    def mounted(self) -> str:
        """Where the pod sees it."""
        return f"/host/{self.volume}"


HOST_PATHS = (
    HostPath(
        volume="device-plugins",
        path="/var/lib/kubelet/device-plugins",
        read="names of its files; content of `kubelet_internal_checkpoint`",
    ),
    HostPath(
        volume="plugins-registry",
        path="/var/lib/kubelet/plugins_registry",
        read="names of its files",
    ),
    HostPath(
        volume="kubelet-log",
        path="/var/log/kubelet.log",
        type="File",
        read=f"its last {LOG_LINES} lines",
    ),
    HostPath(
        volume="kubelet-logs",
        path="/var/log/kubelet",
        read=f"the last {LOG_LINES} lines of its file `kubelet.log`",
    ),
    HostPath(
        volume="cdi-etc",
        path="/etc/cdi",
        read="names and contents of its `*.json`, `*.yaml` and `*.yml`",
    ),
    HostPath(
        volume="cdi-run",
        path="/var/run/cdi",
        read="names and contents of its `*.json`, `*.yaml` and `*.yml`",
    ),
    HostPath(volume="dev", path="/dev", read="names, down to the folders in it"),
)
MODULES = "/proc/modules"
"""The kernel's list of loaded modules, the same in every container."""

_SCRIPT = r"""
part() {
  name=$1; shift
  echo; echo "$BOUNDARY begin $name"
  "$@" 2>&1
  code=$?
  echo; echo "$BOUNDARY end $code"
}
last() {
  tail -n "$LINES_WANTED" "$1" 2>/dev/null && return
  busybox tail -n "$LINES_WANTED" "$1" 2>/dev/null && return
  test -r "$1" || { echo "it cannot be read"; return 1; }
  echo "the image has no tail"; return 1
}
devices() {
  cd /host/dev || return 1
  for name in * */*; do echo "/dev/$name"; done
}
test -d /host/device-plugins && part sockets ls -1A /host/device-plugins
file=/host/device-plugins/kubelet_internal_checkpoint
test -e $file && part checkpoint cat $file
test -d /host/plugins-registry && part registry ls -1A /host/plugins-registry
test -e /host/kubelet-log && part log last /host/kubelet-log
test -e /host/kubelet-logs/kubelet.log && part log last /host/kubelet-logs/kubelet.log
for folder in cdi-etc cdi-run; do
  for file in /host/$folder/*.json /host/$folder/*.yaml /host/$folder/*.yml; do
    test -f "$file" && part "cdi $file" cat "$file"
  done
done
test -d /host/dev && part devices devices
test -e /proc/modules && part modules cat /proc/modules
echo; echo "$BOUNDARY done"
"""


def reader_pod(
    *, name: str, namespace: str, node: str, image: str, boundary: str, absent: Collection[str] = ()
) -> dict[str, Any]:
    """The pod's manifest; ``absent`` are volumes whose paths the node does not have."""
    seen = [item for item in HOST_PATHS if item.volume not in absent]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {ROLE_LABEL: ROLE}},
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "activeDeadlineSeconds": DEADLINE,
            "terminationGracePeriodSeconds": 1,
            "affinity": {"nodeAffinity": _only(node)},
            "tolerations": [{"operator": "Exists"}],
            "containers": [_container(image, boundary, seen)],
            "volumes": [
                {"name": item.volume, "hostPath": {"path": item.path, "type": item.type}}
                for item in seen
            ],
        },
    }


def _container(image: str, boundary: str, seen: list[HostPath]) -> dict[str, Any]:
    """Root, since the kubelet's folders are root's; without any capability, and no device."""
    return {
        "name": ROLE,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", _SCRIPT],
        "env": [
            {"name": "BOUNDARY", "value": boundary},
            {"name": "LINES_WANTED", "value": str(LOG_LINES)},
        ],
        "resources": {
            "requests": {"cpu": "10m", "memory": "16Mi"},
            "limits": {"memory": "64Mi"},
        },
        "securityContext": {
            "runAsUser": 0,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [
            {"name": item.volume, "mountPath": item.mounted, "readOnly": True} for item in seen
        ],
    }


def _only(node: str) -> dict[str, Any]:
    """The affinity that the DaemonSet controller gives its pods, too."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = [{"matchFields": [field]}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
