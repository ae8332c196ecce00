"""One life of a kubelet: from its start to its end or the machine's.

It sees the pods that are bound to its node, admits them one after the other, and works on each.
What it remembers goes with it; the runtime, the checkpoint of devices and the API keep the rest.

Source: k8s.io/kubernetes/pkg/kubelet/kubelet.go (1.37).
"""

from collections.abc import Callable, Sequence

from bridgehead.twin.nodes.arrivals import Arrivals
from bridgehead.twin.nodes.devices.endpoints import DeviceManager
from bridgehead.twin.nodes.devices.grants import Grants
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.nodes.node_status import NodeStatus
from bridgehead.twin.nodes.pods.backoff import Backoff
from bridgehead.twin.nodes.pods.container_status import Known
from bridgehead.twin.nodes.pods.containers import Sandbox
from bridgehead.twin.nodes.pods.status import is_refused, status_of, terminated
from bridgehead.twin.nodes.pods.worker import Worker
from bridgehead.twin.nodes.reports import Reports
from bridgehead.twin.objects import (
    Object,
    at,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
)
from bridgehead.twin.pods import pods_on
from bridgehead.twin.store import Change

_ORPHAN_GRACE = 2.0
"""Seconds that containers of a forgotten pod are given."""


class Kubelet:
    """Runs the pods of a node and reports on both."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.context = host.context
        self.settings = host.context.fleet.settings
        self.name = host.machine.name
        self.workers: dict[str, Worker] = {}
        """By the pod's uid."""
        self.crash_backoff = Backoff(self.settings.crash_back_off, self.settings.crash_back_off_max)
        self.pull_backoff = Backoff(self.settings.pull_back_off, self.settings.pull_back_off_max)
        self.pull_errors: dict[tuple[str, str], str] = {}
        """By the pod's uid and image: why the last pull failed."""
        self.status = NodeStatus(self)
        self.devices = DeviceManager(
            self.context.clock,
            host.checkpoint,
            changed=self.status.changed_in,
            health_changed=self._health_changed,
        )
        self.alive = False
        """Whether its process runs."""
        self.up = False
        """Whether it has come up: it answers plugins, sees pods and reports."""
        self.grants = Grants(self.devices, host.checkpoint, host.allocated)
        self.reports = Reports(host)
        self.arrivals = Arrivals(self)

    def start(self, came_up: "Callable[[Kubelet], None]") -> None:
        """Begin; ``came_up`` is called once it answers plugins, reports and looks at pods."""
        self.alive = True
        self.status.begin()

        def come_up() -> None:
            if self.alive:
                self._come_up()
                came_up(self)

        self.context.clock.after(self.host.delay("kubelet"), come_up)

    def _come_up(self) -> None:
        self.up = True
        self.host.exited = self._exited
        self.host.folder.open(self.devices)
        self.status.come_up()
        self.look_again()
        for pod in pods_on(self.context.registry.store, self.name):
            if is_refused(pod):
                self.reports.status({**pod, "status": self._settled(pod)})

    def _settled(self, pod: Object) -> Object:
        """What a kubelet that starts says of a pod that an earlier one has refused."""
        known = Known(
            sandbox=None,
            waiting={},
            ready=lambda _container, _life: False,
            started=lambda _container, _life: False,
            health=lambda _container: [],
        )
        now = self.context.clock.timestamp()
        status = status_of(pod, known, host=self.host.address, now=now, terminal=True)
        return terminated({**pod, "status": status})

    def stop(self) -> None:
        """End; containers run on."""
        self.alive = self.up = False
        self.host.exited = lambda _uid: None
        self.host.folder.close()
        self.devices.stop()
        self.status.stop()
        for worker in self.workers.values():
            worker.forget()
        self.workers.clear()
        self.arrivals.clear()

    def adopt(self) -> None:
        """Have run for long: what the API and the runtime have is this kubelet's own work."""
        self.alive = self.up = True
        self.host.exited = self._exited
        self.host.folder.open(self.devices)
        self.status.adopt()

    def heard(self, change: Change) -> None:
        """The API tells of a change of a pod of this node."""
        pod = change.object
        new = change.type != "MODIFIED" or uid_of(pod) not in self.workers
        if new or _matters(change):
            self._later(lambda: self.changed(pod))

    def caught_up(self) -> None:
        """The API is in reach again."""
        self.look_again()
        for worker in self.workers.values():
            worker.sync()
            if worker.finished:
                self.finished(worker)
        self.status.changed_in(0.0)

    def look_again(self) -> None:
        """Compare with the API: pods that came, changed or went while nothing was heard of it."""
        bound = sorted(pods_on(self.context.registry.store, self.name), key=_age)
        known = {uid_of(pod) for pod in bound}
        for pod in bound:
            self.changed(pod)
        for uid in [uid for uid in (*self.workers, *self.host.sandboxes) if uid not in known]:
            self.removed(uid)

    def changed(self, pod: Object) -> None:
        """The API has a pod of this node, new or other than before, or has one no longer."""
        self.arrivals.add(pod)

    def removed(self, uid: str) -> None:
        """A pod is no longer in the API."""
        worker = self.workers.get(uid)
        sandbox = self.host.sandboxes.get(uid)
        if worker is not None and not worker.finished:
            worker.stop(0.0)
        elif worker is None and sandbox is not None and sandbox.running():
            self._end_orphan(sandbox)
        else:
            self._drop(uid)

    def finished(self, worker: Worker) -> None:
        """Nothing of a pod runs any more: let the API forget it, if somebody has asked for that."""
        pod = worker.pod()
        if self.reports.current(pod) is None:
            self._drop(worker.uid)
        elif is_deleting(pod):
            self.reports.gone(pod)

    def images_changed(self) -> None:
        """The node has an image more."""
        self.status.changed_in(0.0)

    def update(self, worker: Worker, pod: Object) -> None:
        """A pod that is worked on has changed."""
        if is_deleting(pod):
            if worker.finished:
                self.reports.gone(pod)
            else:
                worker.stop(float(at(pod, "metadata", "deletionGracePeriodSeconds") or 0))
        elif not worker.finished:
            worker.sync()

    def work_on(self, pod: Object) -> None:
        """Bring an admitted pod to what its object says."""
        worker = Worker(self, pod)
        self.workers[worker.uid] = worker
        self.update(worker, pod)

    def _later(self, call: Callable[[], None]) -> None:
        """Do something as soon as the watch has told it, if the kubelet still runs then."""

        def told() -> None:
            if self.up:
                call()

        self.context.clock.after(self.host.delay("hear"), told)

    def _drop(self, uid: str) -> None:
        self.workers.pop(uid, None)
        self.host.sandboxes.pop(uid, None)
        self.host.allocated.pop(uid, None)
        self.crash_backoff.forget(uid)
        self.pull_backoff.forget(uid)
        for key in [key for key in self.pull_errors if key[0] == uid]:
            del self.pull_errors[key]

    def _end_orphan(self, sandbox: Sandbox) -> None:
        """End what is left of a pod of which this kubelet knows nothing but its containers."""
        for container in sandbox.running():
            if container.process is not None:
                container.process.terminate()
        running = sandbox.running()
        if not running:
            self._drop(sandbox.uid)
            return

        def kill() -> None:
            for container in running:
                if container.state == "running":
                    self.host.kill(container)
            self._drop(sandbox.uid)

        self.context.clock.after(_ORPHAN_GRACE, kill)

    def _exited(self, uid: str) -> None:
        worker = self.workers.get(uid)
        if worker is not None:
            worker.noticed_exit()

    def _health_changed(self, uids: Sequence[str]) -> None:
        for uid in uids:
            worker = self.workers.get(uid)
            if worker is not None:
                worker.sync()


def _matters(change: Change) -> bool:
    """Whether a change is another's than the kubelet's own report."""
    old, new = change.previous, change.object
    return (
        old is None
        or at(old, "metadata", "generation") != at(new, "metadata", "generation")
        or at(old, "metadata", "deletionGracePeriodSeconds")
        != at(new, "metadata", "deletionGracePeriodSeconds")
        or text(old, "spec", "nodeName") != text(new, "spec", "nodeName")
        or (bool(items(new, "spec", "readinessGates")) and old.get("status") != new.get("status"))
    )


def _age(pod: Object) -> tuple[str, str, str]:
    return text(pod, "metadata", "creationTimestamp"), namespace_of(pod), name_of(pod)
