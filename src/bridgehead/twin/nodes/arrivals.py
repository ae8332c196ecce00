"""Pods that a kubelet hears of, one after the other: new ones are admitted or refused.

A plugin that hangs in Allocate holds up the whole node: no pod starts, is started again or ends,
not even the plugin's own. Seen on 1.37.2.

Source: syncLoopIteration and HandlePodAdditions of k8s.io/kubernetes/pkg/kubelet/kubelet.go (1.37).
"""

from collections import deque
from typing import TYPE_CHECKING

from bridgehead.twin.nodes.devices.allocation import Allocation, asks_for_devices
from bridgehead.twin.nodes.pods.fitting import misfit
from bridgehead.twin.nodes.pods.status import rejected
from bridgehead.twin.objects import Object, is_deleting, uid_of
from bridgehead.twin.pods import is_finished

if TYPE_CHECKING:
    from bridgehead.twin.nodes.kubelet import Kubelet


class Arrivals:
    """The queue of one kubelet."""

    def __init__(self, kubelet: "Kubelet") -> None:
        self._kubelet = kubelet
        self._host = kubelet.host
        self._queue: deque[Object] = deque()
        self._admitting = ""
        """Uid of the pod whose devices are being asked for; nothing else is looked at meanwhile."""
        self._postponed: dict[str, None] = {}
        """Uids of pods that have to be looked at after that."""

    def add(self, pod: Object) -> None:
        """A pod came, changed or went."""
        self._queue.append(pod)
        self._next()

    def clear(self) -> None:
        """Forget all of them."""
        self._queue.clear()

    def is_busy(self, uid: str) -> bool:
        """Whether a pod cannot be looked at now; it will be as soon as it can."""
        if self._admitting:
            self._postponed[uid] = None
        return bool(self._admitting)

    def _next(self) -> None:
        kubelet = self._kubelet
        while self._queue and not self._admitting and kubelet.alive:
            pod = self._queue.popleft()
            now = kubelet.reports.current(pod)
            worker = kubelet.workers.get(uid_of(pod))
            if now is None:
                kubelet.removed(uid_of(pod))
            elif worker is not None:
                kubelet.update(worker, now)
            else:
                self._arrive(now)

    def _arrive(self, pod: Object) -> None:
        if is_finished(pod):
            if is_deleting(pod):
                self._kubelet.reports.gone(pod)
        elif is_deleting(pod):
            self._kubelet.work_on(pod)
        elif asks_for_devices(pod, self._kubelet.devices):
            self._allocate(pod)
        else:
            self._fit(pod)

    def _allocate(self, pod: Object) -> None:
        uid, host = uid_of(pod), self._host
        self._admitting = uid
        workers = self._kubelet.workers.values()
        active = {worker.uid for worker in workers if not worker.finished}
        alive = {other.uid for other in host.sandboxes.values() if other.ready}
        host.checkpoint.keep_only({uid, *active, *alive})
        sandbox = host.sandboxes.get(uid)
        Allocation(
            self._kubelet.devices,
            pod,
            host.allocated.setdefault(uid, {}),
            lambda why: self._allocated(pod, why),
            running=[item.name for item in sandbox.running()] if sandbox else (),
        ).go_on()

    def _allocated(self, pod: Object, why: str) -> None:
        kubelet = self._kubelet
        if self._admitting != uid_of(pod) or not kubelet.alive:
            return
        self._admitting = ""
        if why:
            self._reject(pod, "UnexpectedAdmissionError", why)
        else:
            self._fit(pod)
        kubelet.context.clock.soon(self._next)
        postponed, self._postponed = self._postponed, {}
        for uid in postponed:
            if (worker := kubelet.workers.get(uid)) is not None:
                worker.sync()

    def _fit(self, pod: Object) -> None:
        kubelet = self._kubelet
        bound = [worker.last for worker in kubelet.workers.values() if not worker.finished]
        wrong = misfit(kubelet.status.node(), kubelet.status.allocatable(), bound, pod)
        if wrong is None or uid_of(pod) in self._host.sandboxes:
            kubelet.work_on(pod)
        else:
            self._reject(pod, *wrong)

    def _reject(self, pod: Object, reason: str, message: str) -> None:
        reports, now = self._kubelet.reports, self._kubelet.context.clock.timestamp()
        reports.event(pod, "Warning", reason, message)
        reports.status({**pod, "status": rejected(pod, reason, message, now)})
