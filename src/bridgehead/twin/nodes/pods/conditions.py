"""The conditions of a pod that belong to its kubelet.

Source: k8s.io/kubernetes/pkg/kubelet/status/generate.go and status_manager.go (1.37).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.nodes.pods.phase import Statuses, is_sidecar
from bridgehead.twin.objects import Object, at, items, text

OWN = frozenset(
    {
        "PodScheduled",
        "Ready",
        "ContainersReady",
        "Initialized",
        "PodReadyToStartContainers",
    }
)
"""Types that nobody else writes."""


class _Condition(dict[str, Any]):
    @classmethod
    def of(cls, kind: str, *, good: bool, reason: str = "", message: str = "") -> "_Condition":
        made = cls(type=kind, status="True" if good else "False")
        if reason:
            made["reason"] = reason
        if message:
            made["message"] = message
        return made


def conditions(
    pod: Object, statuses: Statuses, phase: str, *, sandbox: str, now: str
) -> list[Object]:
    """All conditions: those of others as they are, then the kubelet's.

    ``sandbox``: why a new sandbox is needed; empty where there is one.
    """
    before = {item["type"]: item for item in items(pod, "status", "conditions")}
    kept = [item for kind, item in before.items() if kind not in OWN]
    states = [
        at(statuses.get(text(item, "name")), "state") or {}
        for item in items(pod, "spec", "containers")
    ]
    started = any("running" in state or "terminated" in state for state in states)
    containers = _containers_ready(pod, statuses, phase)
    own = [
        _Condition.of(
            "PodReadyToStartContainers",
            good=not sandbox,
            reason="PodSandboxNotReady" if sandbox else "",
            message=sandbox,
        ),
        _initialized(pod, statuses, phase, started=started),
        _ready(pod, kept, containers),
        containers,
        _Condition.of("PodScheduled", good=True),
    ]
    generation = at(pod, "metadata", "generation")
    return [*kept, *(_stamped(item, before.get(item["type"]), generation, now) for item in own)]


def _stamped(new: _Condition, old: Object | None, generation: Any, now: str) -> Object:
    """A condition with its times: the last transition is one of the status alone."""
    same = old is not None and old.get("status") == new["status"]
    since = old.get("lastTransitionTime") if old is not None and same else now
    made = {**new, "lastProbeTime": None, "lastTransitionTime": since}
    return made if generation is None else {**made, "observedGeneration": generation}


def _names(containers: Sequence[str]) -> str:
    return f"[{' '.join(containers)}]"


def _finished(kind: str, phase: str) -> _Condition:
    reason = "PodFailed" if phase == "Failed" else "PodCompleted"
    return _Condition.of(kind, good=False, reason=reason)


def _containers_ready(pod: Object, statuses: Statuses, phase: str) -> _Condition:
    wanted = [
        *(item for item in items(pod, "spec", "initContainers") if is_sidecar(item)),
        *items(pod, "spec", "containers"),
    ]
    names = [text(item, "name") for item in wanted]
    unknown = [name for name in names if name not in statuses]
    unready = [name for name in names if name in statuses and not statuses[name].get("ready")]
    if phase == "Failed" or (phase == "Succeeded" and not unknown):
        return _finished("ContainersReady", phase)
    told = [
        *([f"containers with unknown status: {_names(unknown)}"] if unknown else ()),
        *([f"containers with unready status: {_names(unready)}"] if unready else ()),
    ]
    if told:
        return _Condition.of(
            "ContainersReady", good=False, reason="ContainersNotReady", message=", ".join(told)
        )
    return _Condition.of("ContainersReady", good=True)


def _ready(pod: Object, others: Sequence[Object], containers: _Condition) -> _Condition:
    if containers["status"] != "True":
        return _Condition({**containers, "type": "Ready"})
    known = {item["type"]: item for item in others}
    told = []
    for gate in items(pod, "spec", "readinessGates"):
        kind = text(gate, "conditionType")
        if kind not in known:
            told.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif known[kind]["status"] != "True":
            status = known[kind]["status"]
            told.append(f'the status of pod readiness gate "{kind}" is not "True", but {status}')
    if told:
        return _Condition.of(
            "Ready", good=False, reason="ReadinessGatesNotReady", message=", ".join(told)
        )
    return _Condition.of("Ready", good=True)


def _initialized(
    pod: Object, statuses: Mapping[str, Object], phase: str, *, started: bool
) -> _Condition:
    unknown, incomplete = [], []
    for container in items(pod, "spec", "initContainers"):
        name = text(container, "name")
        if name not in statuses:
            unknown.append(name)
        elif not statuses[name].get("started" if is_sidecar(container) else "ready"):
            incomplete.append(name)
    if phase == "Succeeded" and not unknown:
        return _Condition.of("Initialized", good=True, reason="PodCompleted")
    told = [
        *([f"containers with unknown status: {_names(unknown)}"] if unknown else ()),
        *([f"containers with incomplete status: {_names(incomplete)}"] if incomplete else ()),
    ]
    if told and not started:
        return _Condition.of(
            "Initialized", good=False, reason="ContainersNotInitialized", message=", ".join(told)
        )
    return _Condition.of("Initialized", good=True)
