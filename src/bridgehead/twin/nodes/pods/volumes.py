"""Volumes of a pod that cannot be mounted, and why.

Source: k8s.io/kubernetes/pkg/volume/hostpath/host_path.go and .../configmap, .../secret (1.37).
"""

from bridgehead.twin.nodes.fleet import Machine
from bridgehead.twin.nodes.pods.environment import CONFIG_MAPS, SECRETS
from bridgehead.twin.objects import Object, at, items, namespace_of, text
from bridgehead.twin.store import Store

_MUST_EXIST = {
    "Directory": "directory",
    "File": "file",
    "Socket": "socket",
    "CharDevice": "character device",
    "BlockDevice": "block device",
}


def mount_failures(store: Store, machine: Machine, pod: Object) -> list[str]:
    """Messages of ``FailedMount`` events; none where all volumes are there."""
    told = []
    for volume in items(pod, "spec", "volumes"):
        why = _failure(store, machine, pod, volume)
        if why:
            name = text(volume, "name")
            told.append(f'MountVolume.SetUp failed for volume "{name}" : {why}')
    return told


def _failure(store: Store, machine: Machine, pod: Object, volume: Object) -> str:
    path, kind = text(volume, "hostPath", "path"), text(volume, "hostPath", "type")
    if path in machine.missing and kind in _MUST_EXIST:
        return (
            f"hostPath type check failed, {path} is not a {_MUST_EXIST[kind]}, "
            f'unable to determine its type: path "{path}" does not exist'
        )
    for key, name_key, stored, word in (
        ("configMap", "name", CONFIG_MAPS, "configmap"),
        ("secret", "secretName", SECRETS, "secret"),
    ):
        if at(volume, key) is None or at(volume, key, "optional"):
            continue
        name = text(volume, key, name_key)
        if store.get(stored, namespace_of(pod), name) is None:
            return f'{word} "{name}" not found'
    return ""
