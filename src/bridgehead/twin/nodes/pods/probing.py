"""Probes: a container that declares one is ready when it succeeds, or started again when it fails.

What a probe finds is said by the image (``ready_after``, ``dies_after``). A probe whose answer
cannot change any more is not asked again, so that a quiet cluster costs nothing.

Source: k8s.io/kubernetes/pkg/kubelet/prober/worker.go and prober.go (1.37).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from bridgehead.twin.nodes.pods.containers import Container
from bridgehead.twin.objects import Object, at, fields, items, text

if TYPE_CHECKING:
    from bridgehead.twin.nodes.pods.worker import Worker

Kind = Literal["startup", "readiness", "liveness"]
_TITLES: dict[Kind, str] = {
    "startup": "Startup",
    "readiness": "Readiness",
    "liveness": "Liveness",
}


class Probes:
    """All probes of a pod's containers."""

    def __init__(self, worker: "Worker") -> None:
        self._worker = worker
        self._passed: set[tuple[str, Kind]] = set()
        self._asked: set[tuple[str, Kind]] = set()
        self._stopped = False

    def started(self, container: Object, life: Container) -> bool:
        """Whether a running container passes its startup probe."""
        return "startupProbe" not in container or (life.id, "startup") in self._passed

    def ready(self, container: Object, life: Container) -> bool:
        """Whether a running container that has started passes its readiness probe."""
        return "readinessProbe" not in container or (life.id, "readiness") in self._passed

    def adopt(self) -> None:
        """Take what the pod's status says for the answers of its probes."""
        sandbox, status = self._worker.sandbox, self._worker.last.get("status")
        for field in ("initContainerStatuses", "containerStatuses"):
            for item in items(status, field):
                life = sandbox.latest(text(item, "name")) if sandbox else None
                if life is not None and item.get("started"):
                    self._passed.add((life.id, "startup"))
                if life is not None and item.get("ready"):
                    self._passed.add((life.id, "readiness"))
        self.follow()

    def stop(self) -> None:
        """No probe is asked any more."""
        self._stopped = True

    def follow(self) -> None:
        """Begin to ask the probes of containers that have come up."""
        self._stopped = False
        sandbox = self._worker.sandbox
        if sandbox is None:
            return
        spec = self._worker.last["spec"]
        for container in (*items(spec, "initContainers"), *items(spec, "containers")):
            life = sandbox.latest(text(container, "name"))
            if life is None or life.state != "running":
                continue
            self._begin(container, life, "startup")
            if self.started(container, life):
                self._begin(container, life, "readiness")
                self._begin(container, life, "liveness")

    def _begin(self, container: Object, life: Container, kind: Kind) -> None:
        probe = fields(container, f"{kind}Probe")
        if not probe or (life.id, kind) in self._asked | self._passed:
            return
        self._asked.add((life.id, kind))
        image = self._worker.host.image(life.image)
        first = float(probe.get("initialDelaySeconds") or 0)
        if kind == "liveness":
            if image.dies_after is None:
                return
            first = max(first, image.dies_after)
        due = life.started + first - self._worker.context.clock.now()
        wait = max(due, 0.0) + self._worker.host.delay("probe")
        self._worker.context.clock.after(wait, lambda: self._ask(container, life, kind, 0))

    def _ask(self, container: Object, life: Container, kind: Kind, failures: int) -> None:
        worker = self._worker
        if self._stopped or life.state != "running":
            return
        image = worker.host.image(life.image)
        age = worker.context.clock.now() - life.started
        sound = age >= image.ready_after and (image.dies_after is None or age < image.dies_after)
        probe = fields(container, f"{kind}Probe")
        if sound:
            self._passed.add((life.id, kind))
            worker.sync_in(0.0)
            return
        told = f"{_TITLES[kind]} probe failed: {self._words(probe)}"
        worker.event("Warning", "Unhealthy", told, container=life.name)
        failures += 1
        if kind != "readiness" and failures >= int(probe.get("failureThreshold") or 3):
            worker.end(life, f"Container {life.name} failed {kind} probe")
            return
        period = float(probe.get("periodSeconds") or 10)
        worker.context.clock.after(period, lambda: self._ask(container, life, kind, failures))

    def _words(self, probe: Mapping[str, Any]) -> str:
        """What the kubelet says of a probe that nobody answers."""
        sandbox = self._worker.sandbox
        address = sandbox.ip if sandbox else ""
        for handler in ("httpGet", "tcpSocket", "grpc"):
            if handler in probe:
                host = text(probe, handler, "host") or address
                port = at(probe, handler, "port")
                refused = f"dial tcp {host}:{port}: connect: connection refused"
                if handler != "httpGet":
                    return refused
                scheme = (text(probe, handler, "scheme") or "HTTP").lower()
                return f'Get "{scheme}://{host}:{port}{text(probe, handler, "path")}": {refused}'
        return ""
