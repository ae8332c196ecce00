"""Rows of nodes. Source: ``printNode``."""

from typing import Any

from bridgehead.twin.objects import Object, at, fields, items, name_of, text
from bridgehead.twin.tables.cells import NONE, age
from bridgehead.twin.tables.durations import UNKNOWN

_ROLE_PREFIX = "node-role.kubernetes.io/"


def node(obj: Object, now: float) -> list[Any]:
    """Name, Status, Roles, Age, Version, and the wide ones."""
    info = fields(obj, "status", "nodeInfo")
    kernel = info.get("kernelVersion") or UNKNOWN
    if machine := info.get("architecture"):
        kernel += f" ({machine})"
    return [
        name_of(obj),
        _status(obj),
        ",".join(_roles(obj)) or NONE,
        age(obj, now),
        info.get("kubeletVersion", ""),
        _address(obj, "InternalIP"),
        _address(obj, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        kernel,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _status(obj: Object) -> str:
    told = [
        "Ready" if condition["status"] == "True" else "NotReady"
        for condition in items(obj, "status", "conditions")
        if condition["type"] == "Ready"
    ][-1:] or ["Unknown"]
    if at(obj, "spec", "unschedulable"):
        told.append("SchedulingDisabled")
    return ",".join(told)


def _roles(obj: Object) -> list[str]:
    labels = fields(obj, "metadata", "labels")
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    roles.add(text(labels, "kubernetes.io/role"))
    return sorted(roles - {""})


def _address(obj: Object, kind: str) -> str:
    for address in items(obj, "status", "addresses"):
        if address["type"] == kind:
            return str(address["address"])
    return NONE
