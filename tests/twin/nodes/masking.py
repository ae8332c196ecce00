"""What may differ between two kubelets that do the same: times, ids, addresses."""

import difflib
import json
import re
from typing import Any

import pytest

from bridgehead.twin.objects import Object

_TIMES = {"startTime", "lastTransitionTime", "startedAt", "finishedAt", "lastHeartbeatTime"}
_IDS = {"containerID", "imageID", "podIP", "hostIP", "ip"}
_EPOCH = "1970-01-01T00:00:00Z"
"""What a container that never ran began at, on both sides."""

_IN_TEXT = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"),
    (re.compile(r"\b(\d{1,3}\.){3}\d{1,3}\b"), "ADDRESS"),
    (re.compile(r"_[a-z0-9-]+\(UID\)"), "_NAMESPACE(UID)"),
    (re.compile(r"kube-api-access-[a-z0-9]{5}"), "kube-api-access-X"),
    (re.compile(r"[IWE]\d{4} \d\d:\d\d:\d\d\.\d{6}"), "KLOG"),
    (re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"), "TIME"),
    (re.compile(r"fake-\d"), "DEVICE"),
)


def masked(value: Any, key: str = "") -> Any:
    """The value with all that may differ made equal."""
    if isinstance(value, dict):
        return {name: masked(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [masked(item, key) for item in value]
    if key == "restartCount" and value:
        return "SOME"  # a busy machine sees a container that crashes a round later
    if not isinstance(value, str):
        return value
    if (key in _TIMES and value != _EPOCH) or (key in _IDS and value):
        return key.upper()
    for pattern, by in _IN_TEXT:
        value = pattern.sub(by, value)
    return value


def masked_status(status: Object) -> Object:
    """A pod's status without what the test bed's cgroups say of the pod as a whole.

    On cgroup version 1 a kubelet reads limits back that nobody has set.
    """
    return dict(masked({key: value for key, value in status.items() if key != "resources"}))


def same(simulated: Object, real: Object) -> None:
    """Fail with the lines that only one of both has, the twin's marked by ``-``."""
    twin, other = (
        json.dumps(side, indent=1, sort_keys=True).splitlines() for side in (simulated, real)
    )
    lines = list(difflib.unified_diff(twin, other, "twin", "real", lineterm="", n=6))
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)
