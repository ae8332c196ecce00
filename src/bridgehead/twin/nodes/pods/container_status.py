"""The status of one container, as the kubelet writes it.

Source: convertToAPIContainerStatuses of k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go, and
UpdatePodStatus of .../prober/prober_manager.go (1.37).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bridgehead.twin.nodes.pods.containers import Container, Sandbox
from bridgehead.twin.nodes.pods.phase import is_sidecar, should_restart
from bridgehead.twin.objects import Object, at, fields, is_deleting, items, text
from bridgehead.twin.timestamps import written

LOST: Object = {
    "exitCode": 137,
    "finishedAt": None,
    "message": "The container could not be located when the pod was terminated",
    "reason": "ContainerStatusUnknown",
    "startedAt": None,
}
"""How a container ended of which nothing is left."""


class Known(msgspec.Struct, kw_only=True):
    """What a kubelet knows of a pod's containers beside what the runtime has."""

    sandbox: Sandbox | None
    waiting: Mapping[str, tuple[str, str]]
    """By container: reason and message of its last start that failed."""
    ready: Callable[[Object, Container], bool]
    """Whether a running container passes its readiness probe."""
    started: Callable[[Object, Container], bool]
    """Whether it passes its startup probe."""
    health: Callable[[str], list[Object]]
    """``allocatedResourcesStatus`` of a container."""


def statuses(pod: Object, known: Known, field: str) -> list[Object]:
    """Statuses of ``containers`` or ``initContainers``, in the order in which they are told."""
    own = "containerStatuses" if field == "containers" else "initContainerStatuses"
    before = {item["name"]: item for item in items(pod, "status", own)}
    made = [
        _status(pod, container, known, before.get(text(container, "name")), field)
        for container in items(pod, "spec", field)
    ]
    return sorted(made, key=lambda item: str(item["name"])) if field == "containers" else made


def _status(
    pod: Object, container: Object, known: Known, before: Object | None, field: str
) -> Object:
    name = text(container, "name")
    lives = known.sandbox.containers.get(name, []) if known.sandbox else []
    if not lives:
        status = _without_container(pod, container, before)
    else:
        status = _of_container(pod, container, lives[-1])
        if len(lives) > 1:
            status["lastState"] = _state(lives[-2])
        elif before is not None and before.get("containerID") == status["containerID"]:
            status["lastState"] = before.get("lastState") or {}
    if mounts := _mounts(container):
        status["volumeMounts"] = mounts
    latest = lives[-1] if lives else None
    why = known.waiting.get(name)
    _explain_waiting(pod, container, status, why=why, latest=latest, field=field)
    _judge(container, known, status, latest, field)
    if health := known.health(name):
        status["allocatedResourcesStatus"] = health
    return status


def _without_container(pod: Object, container: Object, before: Object | None) -> Object:
    """What is said of a container that the runtime has never had, or has lost."""
    if before is not None and at(before, "state", "terminated") is not None:
        return dict(before)
    reason = "PodInitializing" if items(pod, "spec", "initContainers") else "ContainerCreating"
    status: Object = {
        "name": text(container, "name"),
        "image": text(container, "image"),
        "imageID": "",
        "restartCount": (before or {}).get("restartCount", 0),
        "lastState": (before or {}).get("lastState") or {},
        "state": {"waiting": {"reason": reason}},
    }
    if before is not None and at(before, "state", "running") is not None:
        status["lastState"] = {
            "terminated": {
                **LOST,
                "message": "The container could not be located when the pod was deleted.  "
                "The container used to be Running",
            }
        }
        if not is_deleting(pod):
            status["restartCount"] += 1
    return status


def _of_container(pod: Object, container: Object, life: Container) -> Object:
    resources = dict(fields(container, "resources"))
    status: Object = {
        "name": life.name,
        "image": life.image,
        "imageID": life.image_id,
        "containerID": life.id,
        "restartCount": life.attempt,
        "lastState": {},
        "state": _state(life),
        "resources": resources,
        "user": {"linux": _user(pod, container)},
    }
    if requests := fields(container, "resources", "requests"):
        status["allocatedResources"] = dict(requests)
    return status


def _state(life: Container) -> Object:
    if life.state == "running":
        return {"running": {"startedAt": written(life.started)}}
    if life.state == "created":
        return {"waiting": {}}
    ended: Object = {
        "exitCode": life.exit_code,
        "reason": life.reason,
        "startedAt": written(life.started),
        "finishedAt": written(life.finished),
        "containerID": life.id,
    }
    if life.message:
        ended["message"] = life.message
    return {"terminated": ended}


def _explain_waiting(
    pod: Object,
    container: Object,
    status: Object,
    *,
    why: tuple[str, str] | None,
    latest: Container | None,
    field: str,
) -> None:
    """A container that is to be started, and could not be, waits for that reason."""
    if is_deleting(pod) or (latest is not None and latest.state == "running"):
        return
    if latest is not None and latest.state == "exited":
        if field == "initContainers" and latest.exit_code == 0 and not is_sidecar(container):
            return
        if not should_restart(container, pod, latest.exit_code):
            return
    if why is None:
        return
    if "terminated" in status["state"]:
        status["lastState"] = status["state"]
    waiting = {"reason": why[0], "message": why[1]}
    status["state"] = {"waiting": {key: value for key, value in waiting.items() if value}}


def _judge(
    container: Object, known: Known, status: Object, latest: Container | None, field: str
) -> None:
    running = latest is not None and "running" in status["state"]
    started = running and latest is not None and known.started(container, latest)
    status["started"] = started
    if field == "initContainers" and not is_sidecar(container):
        status["ready"] = at(status, "state", "terminated", "exitCode") == 0
    else:
        status["ready"] = started and latest is not None and known.ready(container, latest)


def _mounts(container: Object) -> list[Object]:
    found = []
    for mount in items(container, "volumeMounts"):
        item = {"name": mount["name"], "mountPath": mount["mountPath"]}
        if mount.get("readOnly"):
            enabled = mount.get("recursiveReadOnly") in {"Enabled", "IfPossible"}
            item |= {
                "readOnly": True,
                "recursiveReadOnly": "Enabled" if enabled else "Disabled",
            }
        found.append(item)
    return found


def _user(pod: Object, container: Object) -> Object:
    """Who the process is; what the image says of it is not known."""

    def asked(key: str) -> Any:
        own = at(container, "securityContext", key)
        return at(pod, "spec", "securityContext", key) if own is None else own

    uid, gid = asked("runAsUser") or 0, asked("runAsGroup") or 0
    more = items(pod, "spec", "securityContext", "supplementalGroups")
    fs_group = at(pod, "spec", "securityContext", "fsGroup")
    groups = dict.fromkeys((gid, *more, *(() if fs_group is None else (fs_group,))))
    return {"uid": uid, "gid": gid, "supplementalGroups": sorted(groups)}
