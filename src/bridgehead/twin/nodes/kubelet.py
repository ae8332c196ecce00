"""One life of a kubelet: from its start to its end or the machine's.

It sees the pods that are bound to its node, admits them one after the other, and works on each.
What it remembers goes with it; the runtime, the checkpoint of devices and the API keep the rest.

Source: k8s.io/kubernetes/pkg/kubelet/kubelet.go (1.37).
"""

from collections import deque
from collections.abc import Callable

from bridgehead.twin.controllers.events import Type
from bridgehead.twin.controllers.pods import pods_on
from bridgehead.twin.nodes.devices.allocation import Allocation, asks_for_devices
from bridgehead.twin.nodes.devices.manager import DeviceManager
from bridgehead.twin.nodes.devices.plugin import Allocated, PluginError
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.nodes.node_status import NodeStatus
from bridgehead.twin.nodes.pods.backoff import Backoff
from bridgehead.twin.nodes.pods.containers import Sandbox
from bridgehead.twin.nodes.pods.fitting import misfit
from bridgehead.twin.nodes.pods.status import rejected
from bridgehead.twin.nodes.pods.worker import Worker
from bridgehead.twin.objects import (
    Object,
    at,
    fields,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
)
from bridgehead.twin.registry import DeleteOptions
from bridgehead.twin.store import Change

_ORPHAN_GRACE = 2.0
"""Seconds that containers of a forgotten pod are given."""
_FINISHED = ("Succeeded", "Failed")


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
        self._arrivals: deque[Object] = deque()
        self._admitting: str = ""
        """Uid of the pod that is being admitted; nothing else is looked at meanwhile.

        A plugin that hangs in Allocate so holds up the whole node: no pod starts, is started again
        or ends, not even the plugin's own.
        """
        self._postponed: dict[str, None] = {}
        """Uids of pods that have to be looked at after that."""

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
        self._arrivals.clear()

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
        self._arrivals.append(pod)
        self._admit_next()

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
        found = self.context.registry.store.get(self.context.pods.stored, *worker.key)
        if found is None or uid_of(found) != worker.uid:
            self._drop(worker.uid)
        elif is_deleting(pod) and self.host.connected:
            self._delete(pod)

    def write_status(self, pod: Object) -> None:
        """Write a pod's status, unless it is as it was, or nobody can be told."""
        registry, stored = self.context.registry, self.context.pods.stored
        found = registry.store.get(stored, namespace_of(pod), name_of(pod))
        if not self.host.connected or found is None or uid_of(found) != uid_of(pod):
            return
        if found.get("status") != pod["status"]:
            registry.update(
                self.context.pods, {**found, "status": pod["status"]}, subresource="status"
            )

    def event(
        self, pod: Object, kind: Type, reason: str, message: str, *, container: str = ""
    ) -> None:
        """An event of a pod, or of one of its containers."""
        if not self.host.connected:
            return
        path = ""
        if container:
            init = any(text(item, "name") == container for item in _init(pod))
            path = f"spec.{'initContainers' if init else 'containers'}{{{container}}}"
        self.context.event(pod, kind, reason, message, host=self.name, field_path=path)

    def health(self, uid: str) -> Callable[[str], list[Object]]:
        """``allocatedResourcesStatus`` of the containers of a pod."""

        def of(container: str) -> list[Object]:
            held = self.host.checkpoint.of_container(uid, container)
            return [
                {
                    "name": resource,
                    "resources": [
                        {"resourceID": item, "health": self.devices.health_of(resource, item)}
                        for item in devices
                    ],
                }
                for resource, devices in held.items()
            ]

        return of

    def granted(self, uid: str, container: str) -> Allocated:
        """What plugins have given to a container."""
        environment: dict[str, str] = {}
        cdi: tuple[str, ...] = ()
        for (name, _), answer in self.host.allocated.get(uid, {}).items():
            if name == container:
                environment |= answer.environment
                cdi += answer.cdi
        return Allocated(environment=environment, cdi=cdi)

    def before_start(self, uid: str, container: Object) -> None:
        """Ask plugins to prepare a container's devices. Raises PluginError."""
        for resource in fields(container, "resources", "limits"):
            if not self.devices.knows(resource):
                continue
            endpoint = self.devices.endpoints.get(resource)
            if endpoint is None:
                raise PluginError(
                    f"endpoint not found in cache for a registered resource: {resource}"
                )
            ids = self.host.checkpoint.of(uid, text(container, "name"), resource)
            if endpoint.plugin is None or not endpoint.options.pre_start or ids is None:
                continue
            try:
                endpoint.plugin.pre_start(ids)
            except PluginError as error:
                raise PluginError(
                    f"device plugin PreStartContainer rpc failed with err: {error}"
                ) from None

    def is_busy(self, uid: str) -> bool:
        """Whether a pod cannot be looked at now; it will be as soon as it can."""
        if self._admitting:
            self._postponed[uid] = None
        return bool(self._admitting)

    def images_changed(self) -> None:
        """The node has an image more."""
        self.status.changed_in(0.0)

    def _later(self, call: Callable[[], None]) -> None:
        """Do something as soon as the watch has told it, if the kubelet still runs then."""

        def told() -> None:
            if self.up:
                call()

        self.context.clock.after(self.host.delay("hear"), told)

    def _update(self, worker: Worker, pod: Object) -> None:
        if is_deleting(pod):
            if worker.finished:
                self._delete(pod)
            else:
                worker.stop(float(at(pod, "metadata", "deletionGracePeriodSeconds") or 0))
        elif not worker.finished:
            worker.sync()

    def _admit_next(self) -> None:
        while self._arrivals and not self._admitting and self.alive:
            pod = self._arrivals.popleft()
            uid = uid_of(pod)
            worker = self.workers.get(uid)
            now = self.context.registry.store.get(
                self.context.pods.stored, namespace_of(pod), name_of(pod)
            )
            if now is None or uid_of(now) != uid:
                self.removed(uid)
            elif worker is not None:
                self._update(worker, now)
            else:
                self._arrive(now)

    def _arrive(self, pod: Object) -> None:
        uid = uid_of(pod)
        if text(pod, "status", "phase") in _FINISHED:
            if is_deleting(pod):
                self._delete(pod)
            return
        if is_deleting(pod):
            self._admitted(pod)
            return
        if not asks_for_devices(pod, self.devices):
            self._fit(pod)
            return
        self._admitting = uid
        sandbox = self.host.sandboxes.get(uid)
        running = [item.name for item in sandbox.running()] if sandbox else []
        self.host.checkpoint.keep_only(
            {uid, *(item.uid for item in self.workers.values() if not item.finished)}
            | {other.uid for other in self.host.sandboxes.values() if other.ready}
        )
        answers = self.host.allocated.setdefault(uid, {})
        Allocation(
            self.devices, pod, answers, lambda why: self._allocated(pod, why), running=running
        ).go_on()

    def _allocated(self, pod: Object, why: str) -> None:
        if self._admitting != uid_of(pod) or not self.alive:
            return
        self._admitting = ""
        if why:
            self._reject(pod, "UnexpectedAdmissionError", why)
        else:
            self._fit(pod)
        self.context.clock.soon(self._admit_next)
        postponed, self._postponed = self._postponed, {}
        for uid in postponed:
            if (worker := self.workers.get(uid)) is not None:
                worker.sync()

    def _fit(self, pod: Object) -> None:
        bound = [worker.last for worker in self.workers.values() if not worker.finished]
        wrong = misfit(self.status.node(), self.status.allocatable(), bound, pod)
        if wrong is None or uid_of(pod) in self.host.sandboxes:
            self._admitted(pod)
        else:
            self._reject(pod, *wrong)

    def _admitted(self, pod: Object) -> None:
        worker = Worker(self, pod)
        self.workers[worker.uid] = worker
        if is_deleting(pod):
            worker.stop(float(at(pod, "metadata", "deletionGracePeriodSeconds") or 0))
        else:
            worker.sync()

    def _reject(self, pod: Object, reason: str, message: str) -> None:
        self.event(pod, "Warning", reason, message)
        status = rejected(pod, reason, message, self.context.clock.timestamp())
        self.write_status({**pod, "status": status})

    def _delete(self, pod: Object) -> None:
        found = self.context.registry.store.get(
            self.context.pods.stored, namespace_of(pod), name_of(pod)
        )
        if found is not None and uid_of(found) == uid_of(pod):
            options = DeleteOptions(grace=0, uid=uid_of(pod))
            self.context.registry.delete(
                self.context.pods, namespace_of(pod), name_of(pod), options
            )

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

    def _health_changed(self, uids: object) -> None:
        for uid in uids if isinstance(uids, list) else ():
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


def _init(pod: Object) -> list[Object]:
    return list(items(pod, "spec", "initContainers"))
