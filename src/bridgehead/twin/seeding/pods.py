"""Recorded pods as whole objects that already run."""

import random
from collections.abc import Mapping
from typing import Any

from bridgehead.twin.controllers.daemonsets.template import GENERATION_LABEL, HASH_LABEL, daemon_pod
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, fields, items, labels_of, name_of, text
from bridgehead.twin.pods import FINISHED

_CONDITIONS = (
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
)
_OF_ADMISSION = ("priority", "preemptionPolicy")
"""Fields that admission fills in anew."""


def of_daemon_set(kind: Kind, daemon_set: Object, recorded: Object, hashed: str) -> Object:
    """A pod of a DaemonSet: made of its template, which says more than most records of the pod.

    ``kind``: that of DaemonSets. ``hashed``: of the present template; a pod of another revision
    keeps its own hash and images.
    """
    own = labels_of(recorded).get(HASH_LABEL) or hashed
    pod = daemon_pod(kind, daemon_set, own, text(recorded, "spec", "nodeName"))
    spec = dict(pod["spec"])
    if own != hashed:
        images = {text(item, "name"): item.get("image") for item in _containers(recorded)}
        for field in ("initContainers", "containers"):
            if field in spec:
                spec[field] = [
                    {**item, "image": images.get(text(item, "name")) or item["image"]}
                    for item in spec[field]
                ]
    metadata = {**pod["metadata"], **_identity(recorded)}
    metadata.pop("generateName", None)
    made = {**fields(metadata, "labels"), HASH_LABEL: own}
    if own != hashed:
        made.pop(GENERATION_LABEL, None)  # that of the present template
    metadata["labels"] = {**made, **fields(recorded, "metadata", "labels")}
    spec["nodeName"] = text(recorded, "spec", "nodeName")
    return {"metadata": metadata, "spec": spec}


def of_itself(recorded: Object, owners: list[Object]) -> Object:
    """Any other pod, as it was recorded, with its owners as they are called in the twin."""
    spec = {
        key: value for key, value in fields(recorded, "spec").items() if key not in _OF_ADMISSION
    }
    metadata: dict[str, Any] = {
        **_identity(recorded),
        "labels": dict(fields(recorded, "metadata", "labels")),
        "annotations": dict(fields(recorded, "metadata", "annotations")),
    }
    if owners:
        metadata["ownerReferences"] = owners
    return {"metadata": metadata, "spec": spec}


def settled_status(pod: Object, recorded: Object, stamp: str, chance: random.Random) -> Object:
    """The status of a pod: as recorded, with what a trimmed record lacks; ``stamp``: since when."""
    status = dict(fields(recorded, "status"))
    if text(status, "phase") in FINISHED:
        return status
    if not text(pod, "spec", "nodeName"):
        return {**status, "phase": "Pending"}
    since = text(status, "startTime") or stamp
    known = {text(item, "name"): item for item in items(status, "containerStatuses")}
    main = [
        _container(item, known.get(text(item, "name"), {}), since, chance)
        for item in items(pod, "spec", "containers")
    ]
    ready = all(item["ready"] for item in main)
    return {
        **status,
        "phase": "Running",
        "startTime": since,
        "conditions": _conditions(status, since, ready=ready),
        "containerStatuses": main,
    }


def _container(
    container: Object, status: Mapping[str, Any], since: str, chance: random.Random
) -> Object:
    """One that waits or has ended stays so; any other runs."""
    told = {key: value for key, value in status.items() if value not in ("", None)}
    state = {key: value for key, value in fields(status, "state").items() if value is not None}
    if "running" in state or not state:
        began = at(state, "running", "startedAt") or since
        state = {"running": {"startedAt": began}}
    runs = "running" in state
    made_up = f"containerd://{chance.getrandbits(256):064x}"
    return {
        "name": text(container, "name"),
        "image": text(container, "image"),
        "imageID": "",
        "containerID": made_up,
        "ready": runs,
        "restartCount": 0,
        "lastState": {},
        **told,
        "started": runs,
        "state": state,
    }


def _conditions(status: Object, since: str, *, ready: bool) -> list[Object]:
    told = {text(item, "type"): item for item in items(status, "conditions")}
    wanted = {kind: ready or kind not in {"Ready", "ContainersReady"} for kind in _CONDITIONS}
    return [
        {"lastTransitionTime": since, **told.get(kind, {}), "type": kind, "status": str(holds)}
        for kind, holds in wanted.items()
    ]


def _identity(recorded: Object) -> dict[str, Any]:
    created = text(recorded, "metadata", "creationTimestamp")
    return {"name": name_of(recorded), **({"creationTimestamp": created} if created else {})}


def _containers(pod: Object) -> list[Object]:
    return [*items(pod, "spec", "initContainers"), *items(pod, "spec", "containers")]
