"""The whole status of a pod, as its kubelet writes it.

Source: generateAPIPodStatus and convertStatusToAPIStatus of
k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go, TerminatePod of .../status/status_manager.go (1.37).
"""

from collections.abc import Mapping
from typing import Any

from bridgehead.twin.nodes.pods import qos
from bridgehead.twin.nodes.pods.conditions import conditions
from bridgehead.twin.nodes.pods.container_status import LOST, Known, statuses
from bridgehead.twin.nodes.pods.phase import Statuses, is_sidecar, phase_of
from bridgehead.twin.objects import Object, at, fields, items, text
from bridgehead.twin.pods import FINISHED


def status_of(pod: Object, known: Known, *, host: str, now: str, terminal: bool) -> Object:
    """``host``: address of the node. ``terminal``: nothing of it is started any more."""
    init = statuses(pod, known, "initContainers")
    main = statuses(pod, known, "containers")
    by_name: Statuses = {item["name"]: item for item in (*init, *main)}
    initialized = known.sandbox is not None and any(
        text(item, "name") in known.sandbox.containers for item in items(pod, "spec", "containers")
    )
    phase = phase_of(pod, by_name, terminal=terminal, initialized=initialized)
    before = fields(pod, "status")
    if before.get("phase") in FINISHED:
        phase = before["phase"]
    status: Object = {
        "phase": phase,
        "qosClass": before.get("qosClass") or qos.qos_class(pod),
        "startTime": before.get("startTime") or now,
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "containerStatuses": main,
        "conditions": conditions(pod, by_name, phase, sandbox=_sandbox_missing(known), now=now),
        "resources": _resources(pod, before),
        **_addresses(pod, known, host, before),
    }
    if init:
        status["initContainerStatuses"] = init
    if requests := qos.total(pod, "requests"):
        status["allocatedResources"] = requests
    if before.get("phase") == phase:
        status |= {key: before[key] for key in ("reason", "message") if before.get(key)}
    for key in ("nominatedNodeName", "resourceClaimStatuses", "extendedResourceClaimStatus"):
        if key in before:
            status[key] = before[key]
    return _observed(pod, status)


def rejected(pod: Object, reason: str, message: str, now: str) -> Object:
    """The status of a pod that the kubelet does not admit. Source: Kubelet.rejectPod."""
    status: Object = {
        "phase": "Failed",
        "reason": reason,
        "message": f"Pod was rejected: {message}",
        "qosClass": text(pod, "status", "qosClass") or qos.qos_class(pod),
        "startTime": text(pod, "status", "startTime") or now,
    }
    kept = [item for item in items(pod, "status", "conditions") if item["type"] == "PodScheduled"]
    if kept:
        status["conditions"] = kept
    return _observed(pod, status)


def is_refused(pod: Object) -> bool:
    """Whether a kubelet has refused a pod, and nothing else was said of it since."""
    status = fields(pod, "status")
    return status.get("phase") == "Failed" and "containerStatuses" not in status


def terminated(pod: Object) -> Object:
    """The last status of a pod: every container has ended, one that is lost as a failure."""
    status = dict(fields(pod, "status"))
    init = list(items(status, "initContainerStatuses"))
    initialized = _has_initialized(pod)
    if initialized:
        status["containerStatuses"] = [_ended(item) for item in items(status, "containerStatuses")]
    last = max((n for n, item in enumerate(init) if _ever_started(item)), default=-1)
    if init:
        status["initContainerStatuses"] = [
            _ended(item) if initialized or number <= last else item
            for number, item in enumerate(init)
        ]
    if status.get("phase") not in FINISHED:
        status["phase"] = "Failed"
    return _observed(pod, status)


def _observed(pod: Object, status: Object) -> Object:
    generation = at(pod, "metadata", "generation")
    return status if generation is None else {**status, "observedGeneration": generation}


def _ended(status: Object) -> Object:
    if at(status, "state", "terminated") is not None:
        return status
    return {**status, "state": {"terminated": LOST}}


def _ever_started(status: Object) -> bool:
    return (
        at(status, "state", "running") is not None
        or at(status, "state", "terminated") is not None
        or at(status, "lastState", "terminated") is not None
    )


def _has_initialized(pod: Object) -> bool:
    """Whether its main containers may have run. Source: hasPodInitialized."""
    init = items(pod, "spec", "initContainers")
    if not init:
        return True
    if any(_ever_started(item) for item in items(pod, "status", "containerStatuses")):
        return True
    listed = items(pod, "status", "initContainerStatuses")
    if len(listed) != len(init):
        return False
    last = listed[-1]
    if is_sidecar(init[-1]):
        return bool(last.get("started"))
    return bool(at(last, "state", "terminated", "exitCode") == 0)


def _sandbox_missing(known: Known) -> str:
    if known.sandbox is None:
        return "no pod sandbox exists"
    return "" if known.sandbox.ready else "pod sandbox is not ready"


def _addresses(pod: Object, known: Known, host: str, before: Mapping[str, Any]) -> Object:
    if at(pod, "spec", "hostNetwork"):
        address = host
    elif known.sandbox is not None and (known.sandbox.containers or known.waiting):
        address = known.sandbox.ip or text(before, "podIP")
    else:
        address = text(before, "podIP")
    return {"podIP": address, "podIPs": [{"ip": address}]} if address else {}


def _resources(pod: Object, before: Mapping[str, Any]) -> Object:
    """The pod's own resources: what is asked for, and once it runs what its cgroup says.

    A cgroup knows processor and memory only, and of limits only those that all containers have.
    """
    found: Object = {}
    running = before.get("phase") == "Running"
    for side in ("limits", "requests"):
        whole = qos.total(pod, side)
        if running:
            whole = {name: amount for name, amount in whole.items() if name in qos.MEASURED}
        if whole:
            found[side] = whole
    return found
