"""The phase of a pod, from the statuses of its containers.

Source: getPhase of k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go (1.37).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bridgehead.twin.objects import Object, at, items, text

Statuses = Mapping[str, Object]
"""By name of the container."""


def should_restart(container: Object, pod: Object, exit_code: int) -> bool:
    """Whether a container that ended with a code is started again."""
    policy = container.get("restartPolicy") or text(pod, "spec", "restartPolicy") or "Always"
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def is_sidecar(container: Object) -> bool:
    """Whether it is an init container that goes on beside the others."""
    return container.get("restartPolicy") == "Always"


class _Init:
    """What the init containers that run one after the other have come to."""

    def __init__(self, pod: Object, statuses: Statuses) -> None:
        self.pending = 0
        self.lost = False
        """Whether one has failed for good."""
        for container in items(pod, "spec", "initContainers"):
            if not is_sidecar(container):
                self._count(pod, container, statuses.get(text(container, "name")))

    def _count(self, pod: Object, container: Object, status: Object | None) -> None:
        state: Mapping[str, Any] = (status or {}).get("state") or {}
        ended = at(state, "terminated")
        if ended is None and "waiting" in state:
            ended = at(status, "lastState", "terminated")
        if ended is None:
            self.pending += 1
            return
        # An init container of a pod that restarts always is run again only where it has failed.
        code = int(ended["exitCode"])
        if code and not should_restart(container, pod, code):
            self.lost = True


class _Main:
    """What the containers that run beside each other have come to."""

    def __init__(self) -> None:
        self.unknown = self.running = self.waiting = 0
        self.stopped = self.for_good = self.succeeded = 0

    def count(self, pod: Object, containers: Iterable[Object], statuses: Statuses) -> None:
        """Add the containers of a pod."""
        for container in containers:
            status = statuses.get(text(container, "name"))
            state: Mapping[str, Any] = (status or {}).get("state") or {}
            if "running" in state:
                self.running += 1
            elif "terminated" in state:
                self._stopped(pod, container, int(state["terminated"]["exitCode"]), ended=True)
            elif "waiting" not in state:
                self.unknown += 1
            elif (last := at(status, "lastState", "terminated")) is not None:
                self._stopped(pod, container, int(last["exitCode"]), ended=False)
            else:
                self.waiting += 1

    def _stopped(self, pod: Object, container: Object, code: int, *, ended: bool) -> None:
        self.stopped += 1
        self.for_good += not should_restart(container, pod, code)
        self.succeeded += ended and code == 0


def phase_of(pod: Object, statuses: Statuses, *, terminal: bool, initialized: bool) -> str:
    """``terminal``: its containers are not started again whatever the policy says.

    ``initialized``: one of the main containers has been started.
    """
    init = _Init(pod, statuses)
    main = _Main()
    sidecars = [item for item in items(pod, "spec", "initContainers") if is_sidecar(item)]
    pending_sidecars = 0
    for container in sidecars:
        status = statuses.get(text(container, "name"))
        state: Mapping[str, Any] = (status or {}).get("state") or {}
        if "running" in state:
            main.running += 1
            pending_sidecars += not at(status, "started")
        elif "terminated" in state:
            continue
        elif "waiting" in state:
            if at(status, "lastState", "terminated") is None:
                pending_sidecars += 1
                main.waiting += 1
        else:
            main.unknown += 1
    main.count(pod, items(pod, "spec", "containers"), statuses)
    if init.lost:
        return "Failed"
    if init.pending or (pending_sidecars and not initialized) or main.waiting or main.unknown:
        return "Pending"
    if main.running:
        return "Running"
    if not main.stopped:
        return "Pending"
    if terminal or main.stopped == main.for_good:
        return "Succeeded" if main.stopped == main.succeeded else "Failed"
    return "Running"
