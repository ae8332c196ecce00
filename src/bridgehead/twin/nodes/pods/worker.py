"""Brings one pod to what its object says: one sync at a time, each a row of steps that take time.

Source: k8s.io/kubernetes/pkg/kubelet/pod_workers.go, SyncPod of kubelet.go and
kuberuntime/kuberuntime_manager.go (1.37).
"""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bridgehead.twin.controllers.events import Type
from bridgehead.twin.nodes.pods import starting, stopping
from bridgehead.twin.nodes.pods.container_status import Known
from bridgehead.twin.nodes.pods.containers import Container, Sandbox
from bridgehead.twin.nodes.pods.probing import Probes
from bridgehead.twin.nodes.pods.qos import MEASURED
from bridgehead.twin.nodes.pods.status import status_of
from bridgehead.twin.nodes.pods.volumes import mount_failures
from bridgehead.twin.objects import Object, fields, name_of, namespace_of, text, uid_of
from bridgehead.twin.pods import is_finished
from bridgehead.twin.store import Key

if TYPE_CHECKING:
    from bridgehead.twin.nodes.kubelet import Kubelet

Steps = Iterator[float]
"""What is done next is done after so many seconds."""

_MOUNT_PAUSE_FIRST, _MOUNT_PAUSE_LONGEST = 0.5, 122.0


class Worker:
    """The kubelet's work on one pod; it ends with the kubelet or with the pod."""

    def __init__(self, kubelet: "Kubelet", pod: Object) -> None:
        self.kubelet = kubelet
        self.host = kubelet.host
        self.context = kubelet.context
        self.uid = uid_of(pod)
        self.key: Key = (namespace_of(pod), name_of(pod))
        self.last = pod
        """The pod's object as it was seen last; it may be gone from the API."""
        self.waiting: dict[str, tuple[str, str]] = {}
        """By container: reason and message of its last start that failed."""
        self.probes = Probes(self)
        self.stopping: stopping.Stopping | None = None
        self.finished = False
        self._mounted = False
        self._steps: Steps | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._next: tuple[float, asyncio.TimerHandle] | None = None
        self._again = False

    @property
    def sandbox(self) -> Sandbox | None:
        """The pod as the runtime has it."""
        return self.host.sandboxes.get(self.uid)

    def pod(self) -> Object:
        """The pod's object as it is now."""
        if self.host.connected:
            found = self.context.registry.store.get(self.context.pods.stored, *self.key)
            if found is not None and uid_of(found) == self.uid:
                self.last = found
        return self.last

    def sync(self) -> None:
        """Look at the pod as soon as what is being done is done."""
        if self.stopping is not None or self.finished or self.kubelet.arrivals.is_busy(self.uid):
            return
        if self._steps is not None:
            self._again = True
            return
        if self._next is not None:
            self._next[1].cancel()
            self._next = None
        self._begin(self._sync())

    def adopt(self) -> None:
        """Take the pod on as it runs: mounted, probed, and with nothing to say."""
        self._mounted = True
        self.probes.adopt()

    def sync_in(self, seconds: float) -> None:
        """Look at the pod then, or earlier where that was asked for already."""
        clock = self.context.clock
        due = clock.now() + seconds
        if self._next is not None:
            if self._next[0] <= due:
                return
            self._next[1].cancel()
        self._next = (due, clock.after(seconds, self._due))

    def stop(self, grace: float) -> None:
        """End the pod; a second call can only shorten the grace."""
        if self.finished:
            return
        if self.stopping is not None:
            self.stopping.shorten(grace)
            return
        self.stopping = stopping.Stopping(self, grace)
        self.forget()
        self._begin(self.stopping.steps())

    def forget(self) -> None:
        """Drop what is being done; the runtime keeps what it has."""
        for timer in (self._timer, self._next[1] if self._next else None):
            if timer is not None:
                timer.cancel()
        self._timer = self._next = self._steps = None
        self._again = False
        self.probes.stop()

    def hurry(self) -> None:
        """Go on with the next step at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self.context.clock.after(0, self._go_on)

    def noticed_exit(self) -> None:
        """One of its containers has ended."""
        if self.stopping is not None:
            self.hurry()
        elif not self.finished:
            self.sync_in(self.host.delay("notice"))

    def report(self, *, terminal: bool = False) -> None:
        """Write the pod's status, where it has changed."""
        pod = self.pod()
        known = Known(
            sandbox=self.sandbox,
            waiting=self.waiting,
            ready=self.probes.ready,
            started=self.probes.started,
            health=self.kubelet.grants.health(self.uid),
        )
        now = self.context.clock.timestamp()
        self.write(status_of(pod, known, host=self.host.address, now=now, terminal=terminal))

    def write(self, status: Object) -> None:
        """Write a status, unless the API cannot be reached or has another pod of that name."""
        self.last = {**self.pod(), "status": status}
        self.kubelet.reports.status(self.last)

    def event(self, kind: Type, reason: str, message: str, *, container: str = "") -> None:
        """An event of the pod, or of one of its containers."""
        self.kubelet.reports.event(self.last, kind, reason, message, container=container)

    def end(self, container: Container, why: str) -> None:
        """End a container that fails its probe; the next sync starts it again, if it should."""
        sandbox = self.sandbox
        if text(self.last, "spec", "restartPolicy") != "Never":
            why += ", will be restarted"
        elif sandbox is not None and len(sandbox.running()) == 1:
            why = f"Stopping container {container.name}"  # and the pod with it
        self.event("Normal", "Killing", why, container=container.name)
        if container.process is not None:
            container.process.terminate()
        if container.state == "running":
            grace = float(self.last["spec"].get("terminationGracePeriodSeconds") or 0)
            self.context.clock.after(max(grace, 2.0), lambda: self._kill(container))

    def _kill(self, container: Container) -> None:
        if container.state == "running":
            self.host.kill(container)

    def _begin(self, steps: Steps) -> None:
        self._steps = steps
        self._go_on()

    def _go_on(self) -> None:
        steps, self._timer = self._steps, None
        if steps is None:
            return
        pause = next(steps, None)
        if self._steps is not steps:
            return
        if pause is not None:
            self._timer = self.context.clock.after(pause, self._go_on)
            return
        self._steps = None
        if self._again:
            self._again = False
            self.sync()

    def _due(self) -> None:
        self._next = None
        self.sync()

    def _sync(self) -> Steps:
        self.report()
        if is_finished(self.last) or starting.is_over(self):
            self.context.clock.soon(lambda: self.stop(self._own_grace()))
            return
        if not self._mounted:
            yield from self._mount()
        sandbox = self.sandbox
        if sandbox is None or not sandbox.ready:
            if not starting.needs_sandbox(self):
                return
            yield from self._make_sandbox(sandbox)
        retry = yield from starting.start_all(self)
        self.probes.follow()
        if retry is None and self._will_say_more():
            retry = self.kubelet.settings.sync
        if retry is not None:
            chance = self.context.chance.random()
            self.sync_in(min(retry, self.kubelet.settings.sync) * (1 + 0.5 * chance))

    def _will_say_more(self) -> bool:
        """Whether the next look will find something new although nothing happens.

        Of a pod that runs its cgroup says what it is given, which its first status cannot say yet.
        """
        if text(self.last, "status", "phase") != "Running":
            return False
        told = fields(self.last, "status", "resources").values()
        return any(name not in MEASURED for side in told for name in side)

    def _mount(self) -> Steps:
        yield self.host.delay("mount")
        pause = _MOUNT_PAUSE_FIRST
        store = self.context.registry.store
        while failures := mount_failures(store, self.host.machine, self.pod()):
            for message in failures:
                self.event("Warning", "FailedMount", message)
            yield pause
            pause = min(pause * 2, _MOUNT_PAUSE_LONGEST)
        self._mounted = True

    def _make_sandbox(self, old: Sandbox | None) -> Steps:
        if old is not None:
            self.event(
                "Normal",
                "SandboxChanged",
                "Pod sandbox changed, it will be killed and re-created.",
            )
        yield self.host.delay("sandbox")
        self.host.make_sandbox(self.pod())
        self.report()

    def _own_grace(self) -> float:
        return float(self.last["spec"].get("terminationGracePeriodSeconds") or 0)
