"""One DaemonSet and its pods: what a look at them leads to.

Source: syncDaemonSet, manage, syncNodes and updateDaemonSetStatus in
k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go (1.37).
"""

from collections.abc import Sequence
from contextlib import suppress

from bridgehead.twin.controllers.daemonsets.backoff import Backoff
from bridgehead.twin.controllers.daemonsets.revisions import History
from bridgehead.twin.controllers.daemonsets.rolling import next_step
from bridgehead.twin.controllers.daemonsets.standing import Rules
from bridgehead.twin.controllers.daemonsets.table import Part, Table
from bridgehead.twin.controllers.daemonsets.template import (
    HASH_LABEL,
    daemon_pod,
    generation_of,
    target_of,
)
from bridgehead.twin.controllers.events import Type, record
from bridgehead.twin.controllers.owners import claim, controlled_by
from bridgehead.twin.controllers.pods import create_pod, delete_pod, is_terminating_namespace
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import (
    Object,
    at,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
)
from bridgehead.twin.pace import Pace
from bridgehead.twin.pods import PODS
from bridgehead.twin.registry import Registry
from bridgehead.twin.scheduling.ledger import NODES
from bridgehead.twin.store import Key

COMPONENT = "daemonset-controller"
BY_PLACE = "daemons"
"""The index of pods by the uid of their DaemonSet and the node that they are meant for."""

BURST = 250
"""Pods that one look makes and deletes; the others' turn comes with the next."""


class WaitError(Exception):
    """The next call to the API may only be made later."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not before {seconds:.3f} s from now")
        self.seconds = seconds


class Daemons:
    """What the controller knows of one DaemonSet between two looks."""

    def __init__(
        self,
        registry: Registry,
        kind: Kind,
        daemon_set: Object,
        *,
        pace: Pace,
        backoff: Backoff,
    ) -> None:
        self.daemon_set = daemon_set
        self.key: Key = (namespace_of(daemon_set), name_of(daemon_set))
        self.adopt = True
        """Whether there may be pods or revisions to adopt or to release."""
        self._registry = registry
        self._store = registry.store
        self._kind = kind
        self._pace = pace
        self._backoff = backoff
        self._history = History(registry, kind)
        self._rules: Rules | None = None
        self._spec: object = None
        self._table = Table()
        self._touched: dict[str, None] = {}
        self._again: list[float] = []

    def touch(self, node: str) -> None:
        """Something of a node has changed."""
        if node:
            self._touched[node] = None

    def sync(self, daemon_set: Object) -> float | None:
        """One look, and what follows from it; seconds until the next one, where one is due.

        Raises ApiError.
        """
        self.daemon_set = daemon_set
        self._again = []
        adopt, self.adopt = self.adopt, False
        self._history.bring_up_to_date(daemon_set, adopt=adopt)
        if adopt:
            claim(self._registry, self._kind, daemon_set, self._registry.kinds.named(*PODS))
        self._look()
        try:
            self._act()
        except WaitError as wait:
            return min([*self._again, wait.seconds])
        except ApiError:
            self._look()
            with suppress(WaitError):
                self._write_status()
            raise
        return min(self._again, default=None)

    def _act(self) -> None:
        if not self._manage() and self.rules.rolls:
            step = next_step(self.rules, self._table)
            self._change(step.go, step.come)
        if self._history.surplus(self.daemon_set) > 0:
            self._clean_history()
        self._look()
        self._write_status()

    @property
    def rules(self) -> Rules:
        """What it asks now."""
        assert self._rules is not None
        return self._rules

    def _look(self) -> None:
        """Bring the table up to date."""
        now, daemon_set = self._registry.clock.now(), self.daemon_set
        spec = (daemon_set["spec"], self._history.hashed, generation_of(daemon_set))
        if self._rules is None or spec != self._spec:
            self._spec, self._rules = spec, Rules(daemon_set, self._history.hashed)
            self._touched = dict.fromkeys(name for _, name in self._store.keys(NODES))
            self._touched |= dict.fromkeys(self._table.names())
            self._touched |= dict.fromkeys(self._places())
        self._touched |= dict.fromkeys(self._table.ripe(now))
        touched, self._touched = self._touched, {}
        for name in touched:
            node = self._store.get(NODES, "", name)
            pods = self._store.by(PODS, BY_PLACE, f"{uid_of(daemon_set)}/{name}")
            self._table.look(self.rules, name, node, pods, now)
        if (ripe := self._table.next_ripe()) is not None:
            self._again.append(max(0.0, ripe - now))

    def _manage(self) -> bool:
        """Make and delete pods where nodes lack them or have too many; whether there were any."""
        go: list[str] = []
        come: list[str] = []
        for name, found in self._table.part(Part.WORK):
            if len(go) + len(come) >= BURST:
                break
            if found.lacks:
                come.append(name)
            go += found.surplus
            go += [pod for pod, phase in found.finished if self._may_replace(name, pod, phase)]
        self._change(go, come)
        return bool(go or come)

    def _may_replace(self, node: str, pod: str, phase: str) -> bool:
        which = f"daemon pod {self.key[0]}/{pod} on node {node}"
        if phase == "Succeeded":
            message = f"Found succeeded {which}, will try to delete it"
            self._tell("Normal", "SucceededDaemonPod", message)
            return True
        now = self._registry.clock.now()
        observed = at(self.daemon_set, "status", "observedGeneration") or 0
        key = (uid_of(self.daemon_set), observed, node)
        if left := self._backoff.left(key, now):
            self._again.append(left)
            return False
        self._backoff.next(key, now)
        self._tell("Warning", "FailedDaemonPod", f"Found failed {which}, will try to kill it")
        return True

    def _change(self, go: Sequence[str], come: Sequence[str]) -> None:
        """Create pods, in batches that grow as long as all goes well, then delete pods."""
        batch, begin, failure = 1, 0, None
        while begin < len(come) and failure is None:
            for node in come[begin : begin + batch]:
                failure = self._create(node) or failure
            begin, batch = begin + batch, batch * 2
        for name in go:
            failure = self._delete(name) or failure
        if failure is not None:
            raise failure

    def _create(self, node: str) -> ApiError | None:
        self._call()
        self.touch(node)
        pod = daemon_pod(self._kind, self.daemon_set, self._history.hashed, node)
        try:
            create_pod(self._registry, pod, self.daemon_set, component=COMPONENT)
        except ApiError as error:
            return None if is_terminating_namespace(error) else error
        return None

    def _delete(self, name: str) -> ApiError | None:
        pod = self._store.get(PODS, self.key[0], name)
        if pod is None:
            return None
        self._call()
        try:
            delete_pod(self._registry, pod, self.daemon_set, component=COMPONENT)
        except ApiError as error:
            return error
        return None

    def _call(self) -> None:
        if wait := self._pace.take():
            raise WaitError(wait)

    def _clean_history(self) -> None:
        pods = controlled_by(self._store, PODS, self.daemon_set)
        self._history.clean(self.daemon_set, [labels_of(pod).get(HASH_LABEL, "") for pod in pods])

    def _write_status(self) -> None:
        """Raises ApiError, and WaitError."""
        total = self._table.total
        status = {
            **(at(self.daemon_set, "status") or {}),
            "currentNumberScheduled": total("current"),
            "desiredNumberScheduled": total("desired"),
            "numberMisscheduled": total("misscheduled"),
            "numberReady": total("ready"),
        }
        optional = {
            "observedGeneration": at(self.daemon_set, "metadata", "generation"),
            "updatedNumberScheduled": total("updated"),
            "numberAvailable": total("available"),
            "numberUnavailable": total("desired") - total("available"),
        }
        for key, value in optional.items():
            status.pop(key, None)
            if value:
                status[key] = value
        if status == at(self.daemon_set, "status"):
            return
        self._call()
        changed = {**self.daemon_set, "status": status}
        self.daemon_set = self._registry.update(self._kind, changed, subresource="status")

    def _tell(self, kind: Type, reason: str, message: str) -> None:
        record(self._registry, self.daemon_set, kind, reason, message, component=COMPONENT)

    def _places(self) -> list[str]:
        """Nodes for which it has pods, whether they are there or not."""
        pods = controlled_by(self._store, PODS, self.daemon_set)
        return [node for pod in pods if (node := target_of(pod))]
