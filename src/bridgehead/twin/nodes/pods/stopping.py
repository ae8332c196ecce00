"""Ends a pod: signal, grace, kill, last status, and its removal from the API.

Source: SyncTerminatingPod and SyncTerminatedPod of k8s.io/kubernetes/pkg/kubelet/kubelet.go,
killContainer of .../kuberuntime/kuberuntime_container.go (1.37).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bridgehead.twin.nodes.pods.containers import Container
from bridgehead.twin.nodes.pods.phase import is_sidecar
from bridgehead.twin.nodes.pods.status import terminated
from bridgehead.twin.nodes.programs.shell import script_of
from bridgehead.twin.objects import Object, at, items, text

if TYPE_CHECKING:
    from bridgehead.twin.nodes.pods.worker import Worker

_LEAST_GRACE = 2.0
"""Seconds that every container is given. ``minimumGracePeriodInSeconds``."""


class Stopping:
    """The end of one pod."""

    def __init__(self, worker: "Worker", grace: float) -> None:
        self._worker = worker
        self._deadline = worker.context.clock.now() + max(grace, _LEAST_GRACE)

    def shorten(self, grace: float) -> None:
        """Somebody wants it to go faster."""
        deadline = self._worker.context.clock.now() + max(grace, _LEAST_GRACE)
        if deadline < self._deadline:
            self._deadline = deadline
            self._worker.hurry()

    def steps(self) -> Iterator[float]:
        """From the signal to the last trace."""
        worker = self._worker
        worker.report()
        sandbox = worker.sandbox
        if sandbox is not None:
            running = sandbox.running()
            for container in running:
                told = f"Stopping container {container.name}"
                worker.event("Normal", "Killing", told, container=container.name)
            sidecars = self._sidecars()
            yield from self._end([item for item in running if item.name not in sidecars])
            for name in reversed(sidecars):
                yield from self._end([item for item in running if item.name == name])
            sandbox.ready = False
        worker.report(terminal=True)
        yield worker.host.delay("remove")
        worker.write(terminated(worker.pod()))
        worker.finished = True
        worker.kubelet.finished(worker)

    def _end(self, containers: list[Container]) -> Iterator[float]:
        worker = self._worker
        clock, specs = worker.context.clock, self._specs()
        before = max((_pre_stop(specs.get(item.name, {})) for item in containers), default=0.0)
        if before:
            yield min(before, max(self._deadline - clock.now(), 0.0))
        for container in containers:
            if container.process is not None:
                container.process.terminate()
        while any(item.state == "running" for item in containers):
            left = self._deadline - clock.now()
            if left <= 0:
                for container in containers:
                    if container.state == "running":
                        worker.host.kill(container)
                break
            yield left
        if containers:
            yield worker.host.delay("stop")

    def _sidecars(self) -> list[str]:
        listed = items(self._worker.last, "spec", "initContainers")
        return [text(item, "name") for item in listed if is_sidecar(item)]

    def _specs(self) -> dict[str, Object]:
        spec = self._worker.last["spec"]
        listed = (*items(spec, "initContainers"), *items(spec, "containers"))
        return {text(item, "name"): item for item in listed}


def _pre_stop(container: Object) -> float:
    """Seconds that the hook before the signal takes."""
    hook = at(container, "lifecycle", "preStop")
    if hook is None:
        return 0.0
    seconds = at(hook, "sleep", "seconds")
    if seconds is not None:
        return float(seconds)
    script = script_of([str(word) for word in items(hook, "exec", "command")])
    return sum(step.seconds for step in script) if script else 0.0
