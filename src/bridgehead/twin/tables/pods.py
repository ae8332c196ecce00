"""Rows of pods: the one word of STATUS is made of phase, reasons and every container's state.

Source: ``printPod``.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from bridgehead.twin.objects import Object, at, items, name_of, text
from bridgehead.twin.tables.cells import NONE, age, word
from bridgehead.twin.tables.durations import since

_FINISHED = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}


def conditions(pod: Object) -> list[Object]:
    """What a client may grey out: that the pod has ended."""
    phase = text(pod, "status", "phase")
    if phase not in _FINISHED:
        return []
    return [
        {"type": "Completed", "status": "True", "reason": phase, "message": _FINISHED[phase]},
    ]


def pod(obj: Object, now: float) -> list[Any]:
    """Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates."""
    sidecars = {
        item["name"]
        for item in items(obj, "spec", "initContainers")
        if item.get("restartPolicy") == "Always"
    }
    tally = _Tally(reason=_reason_of_pod(obj))
    initializing = _read_init_containers(tally, obj, sidecars)
    if not initializing or _has(obj, "Initialized"):
        tally.restarts, tally.last = tally.sidecar_restarts, tally.sidecar_last
        _read_containers(tally, obj)
    total = len(items(obj, "spec", "containers")) + len(sidecars)
    restarts = str(tally.restarts)
    if tally.restarts and tally.last:
        restarts = f"{tally.restarts} ({since(tally.last, now)} ago)"
    addresses = items(obj, "status", "podIPs")
    return [
        name_of(obj),
        f"{tally.ready}/{total}",
        _status(obj, tally.reason),
        restarts,
        age(obj, now),
        (addresses[0].get("ip") if addresses else "") or NONE,
        text(obj, "spec", "nodeName") or NONE,
        text(obj, "status", "nominatedNodeName") or NONE,
        _gates(obj),
    ]


class _Tally(msgspec.Struct):
    """What has been read of the containers so far."""

    reason: str
    ready: int = 0
    restarts: int = 0
    last: str = ""
    """When the last of the restarts was; times of one form compare as text."""
    sidecar_restarts: int = 0
    sidecar_last: str = ""


def _reason_of_pod(obj: Object) -> str:
    reason = text(obj, "status", "reason") or text(obj, "status", "phase")
    for condition in items(obj, "status", "conditions"):
        if condition["type"] == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    return reason


def _read_init_containers(tally: _Tally, obj: Object, sidecars: set[str]) -> bool:
    """Whether the pod has not come past its init containers yet."""
    for place, status in enumerate(items(obj, "status", "initContainerStatuses")):
        restarts, finished = _restarts(status)
        tally.restarts += restarts
        tally.last = max(tally.last, finished)
        is_sidecar = status["name"] in sidecars
        if is_sidecar:
            tally.sidecar_restarts += restarts
            tally.sidecar_last = max(tally.sidecar_last, finished)
        ended = at(status, "state", "terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if is_sidecar and status.get("started"):
            tally.ready += bool(status.get("ready"))
            continue
        waiting = text(status, "state", "waiting", "reason")
        if ended is not None:
            tally.reason = f"Init:{_ending(ended)}"
        elif waiting and waiting != "PodInitializing":
            tally.reason = f"Init:{waiting}"
        else:
            tally.reason = f"Init:{place}/{len(items(obj, 'spec', 'initContainers'))}"
        return True
    return False


def _read_containers(tally: _Tally, obj: Object) -> None:
    running, error = False, ""
    for status in reversed(items(obj, "status", "containerStatuses")):
        restarts, finished = _restarts(status)
        tally.restarts += restarts
        tally.last = max(tally.last, finished)
        ended = at(status, "state", "terminated")
        if waiting := text(status, "state", "waiting", "reason"):
            tally.reason = waiting
        elif ended is not None:
            tally.reason = _ending(ended)
            if ended.get("exitCode"):
                error = tally.reason
        elif status.get("ready") and at(status, "state", "running") is not None:
            running = True
            tally.ready += 1
    if tally.reason == "Completed":
        if running and _has(obj, "Ready"):
            tally.reason = "Running"
        elif error:
            tally.reason = error
        elif running:
            tally.reason = "NotReady"


def _status(obj: Object, reason: str) -> str:
    if not text(obj, "metadata", "deletionTimestamp"):
        return reason
    if text(obj, "status", "reason") == "NodeLost":
        return "Unknown"
    return reason if text(obj, "status", "phase") in _FINISHED else "Terminating"


def _restarts(status: Object) -> tuple[int, str]:
    return status.get("restartCount") or 0, text(status, "lastState", "terminated", "finishedAt")


def _ending(ended: Object) -> str:
    if reason := ended.get("reason"):
        return str(reason)
    if signal := ended.get("signal"):
        return f"Signal:{signal}"
    return f"ExitCode:{ended.get('exitCode') or 0}"


def _gates(obj: Object) -> str:
    gates: Sequence[Object] = items(obj, "spec", "readinessGates")
    if not gates:
        return NONE
    return f"{sum(_has(obj, word(gate, 'conditionType')) for gate in gates)}/{len(gates)}"


def _has(obj: Object, condition: str) -> bool:
    return any(
        item["type"] == condition and item["status"] == "True"
        for item in items(obj, "status", "conditions")
    )
