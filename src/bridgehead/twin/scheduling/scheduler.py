"""The scheduler: gives pods that wait a node, one after the other, the most important first.

Pods that name their node, as those of a DaemonSet do, are judged against that node alone; of the
others, pods of one kind share their list of candidates (``Ranking``). Source:
k8s.io/kubernetes/pkg/scheduler/schedule_one.go and backend/queue (1.37).
"""

import heapq
from collections.abc import Iterable, Sequence

from bridgehead.twin.conditions import with_pod_condition
from bridgehead.twin.controllers.events import announce
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import (
    Object,
    at,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
    with_field,
)
from bridgehead.twin.pace import of_scheduler
from bridgehead.twin.pods import PODS, is_finished
from bridgehead.twin.registry import Registry
from bridgehead.twin.scheduling.binding import bind
from bridgehead.twin.scheduling.diagnosis import NO_NODES, told
from bridgehead.twin.scheduling.filters import NOT_NAMED, Applicant, Refusal, applicant, refusal
from bridgehead.twin.scheduling.ledger import NODES, Account, Ledger, priority_of, required
from bridgehead.twin.scheduling.neighbours import Neighbours
from bridgehead.twin.scheduling.preemption import (
    BY_SCHEDULER,
    Sacrifice,
    best_sacrifice,
    reason_against,
)
from bridgehead.twin.scheduling.ranking import Ranking, score
from bridgehead.twin.scheduling.waiting import Waiting
from bridgehead.twin.selection import named_nodes
from bridgehead.twin.store import Change, Key

NAME = "default-scheduler"
_INSTANCE = f"{NAME}-twin"
_BUDGETS = Stored("policy", "poddisruptionbudgets")
_LATENCY = 0.005
"""Seconds from a change to the scheduler's hearing of it."""
_FORGOTTEN_AFTER = 300.0
"""Seconds after which a pod that fits nowhere is tried again though nothing changed."""


class Scheduler:
    """Binds pods to nodes, or says why it cannot."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._clock = registry.clock
        self._pods = registry.kinds.named("", "pods")
        self._pace = of_scheduler(registry.clock)
        self.ledger = Ledger(registry.store)
        self._ranking = Ranking(self.ledger)
        self._active: list[tuple[int, int, Key]] = []
        self._queued: set[Key] = set()
        self._order = 0
        self._waiting = Waiting()
        self._freed: dict[str, None] = {}
        self._running = False

    def start(self) -> None:
        """Take in what is there, and follow every change from now on."""
        self.ledger.start()
        self._registry.store.subscribe(self._changed, NODES, PODS)
        for pod in self._registry.store.select(PODS):
            if _is_pending(pod):
                self._add(pod)

    def _changed(self, change: Change) -> None:
        for name in self.ledger.follow(change):
            self._freed[name] = None
            self._run_soon()
        if change.kind.stored == PODS:
            self._pod_changed(change)

    def _pod_changed(self, change: Change) -> None:
        pod, key = change.object, (namespace_of(change.object), name_of(change.object))
        if change.type == "DELETED" or not _is_pending(pod):
            self._waiting.drop(key)
            if change.type != "DELETED" and text(pod, "spec", "nodeName"):
                self._neighbour_came(change)
            return
        old = change.previous
        if old is None or not _is_pending(old) or _matters(old, pod):
            self._waiting.drop(key)
            self._add(pod)

    def _neighbour_came(self, change: Change) -> None:
        """A pod that wants to be near others may have found them."""
        old = change.previous
        if old is not None and text(old, "spec", "nodeName") and not _matters(old, change.object):
            return
        for key in self._waiting.sociable():
            self._requeue(key)

    def _add(self, pod: Object) -> None:
        key = namespace_of(pod), name_of(pod)
        if key in self._queued:
            return
        self._queued.add(key)
        self._order += 1
        heapq.heappush(self._active, (-priority_of(pod), self._order, key))
        self._run_soon()

    def _requeue(self, key: Key) -> None:
        self._waiting.drop(key)
        pod = self._registry.store.get(PODS, *key)
        if pod is not None and _is_pending(pod):
            self._add(pod)

    def _run_soon(self) -> None:
        if not self._running:
            self._running = True
            self._clock.after(_LATENCY, self._run)

    def _run(self) -> None:
        self._running = False
        freed, self._freed = list(self._freed), {}
        for name in freed:
            account = self.ledger.accounts.get(name)
            if account is not None and account.node is not None:
                for waiting in self._waiting.interested(name):
                    if refusal(waiting, account) is None:
                        self._requeue(waiting.key)
        while self._active:
            if wait := self._pace.take():
                self._running = True
                self._clock.after(wait, self._run)
                return
            _, _, key = heapq.heappop(self._active)
            self._queued.discard(key)
            pod = self._registry.store.get(PODS, *key)
            if pod is not None and _is_pending(pod):
                self._schedule(applicant(key, pod))

    def _schedule(self, pod: Applicant) -> None:
        named = named_nodes(pod.spec)
        if not self.ledger.nodes:
            self._fail(pod, NO_NODES, None)
            return
        neighbours = Neighbours(pod, self.ledger, self._registry.store)
        node = self._chosen(pod, named, neighbours)
        if node:
            self._bind(pod, node)
            return
        refusals = {
            account.name: why
            for account in self._candidates(named)
            if (why := refusal(pod, account) or neighbours.refusal(account)) is not None
        }
        self._make_room(pod, refusals, NOT_NAMED if named is not None else "")

    def _chosen(self, pod: Applicant, named: frozenset[str] | None, near: Neighbours) -> str:
        """The node for a pod; empty where none takes it."""
        nominated = self.ledger.accounts.get(text(pod.pod, "status", "nominatedNodeName"))
        if (
            nominated is not None
            and nominated.node is not None
            and (refusal(pod, nominated) or near.refusal(nominated)) is None
        ):
            return nominated.name
        if named is None and not near.matter:
            return self._ranking.best(pod)
        fitting = [
            account
            for account in self._candidates(named)
            if (refusal(pod, account) or near.refusal(account)) is None
        ]
        if not fitting:
            return ""
        return min(fitting, key=lambda account: (-score(pod, account), account.name)).name

    def _candidates(self, named: frozenset[str] | None) -> Iterable[Account]:
        if named is None:
            return self.ledger.live()
        found = (self.ledger.accounts.get(name) for name in sorted(named))
        return [each for each in found if each is not None and each.node is not None]

    def _bind(self, pod: Applicant, node: str) -> None:
        namespace, name = pod.key
        try:
            bound = bind(self._registry, namespace, name, node, uid=uid_of(pod.pod))
        except ApiError:  # somebody else was there first, or it is on its way out
            return
        announce(
            self._registry,
            bound,
            "Normal",
            "Scheduled",
            f"Successfully assigned {namespace}/{name} to {node}",
            action="Binding",
            component=NAME,
            instance=_INSTANCE,
        )

    def _make_room(self, pod: Applicant, refusals: dict[str, Refusal], others: str) -> None:
        message = told(self.ledger.nodes, (each.reasons for each in refusals.values()), others)
        nominated = text(pod.pod, "status", "nominatedNodeName")
        there = self.ledger.accounts.get(nominated) if nominated else None
        hopeless = nominated in refusals and refusals[nominated].final
        against = reason_against(pod, there, hopeless=hopeless)
        if against:
            self._fail(pod, f"{message} preemption: {against}", None)
            return
        candidates = [self.ledger.accounts[name] for name, why in refusals.items() if not why.final]
        budgets = list(self._registry.store.select(_BUDGETS)) if candidates else []
        outcome = best_sacrifice(pod, candidates, self.ledger.nodes, budgets)
        if isinstance(outcome, str):
            self._fail(pod, f"{message} preemption: {outcome}", "")
            return
        found = (
            f"found a potential placement for pod on node {outcome.node}, "
            f"preempting {len(outcome.victims)} victims"
        )
        self._sacrifice(pod, outcome)
        self._fail(pod, f"{message} preemption: {found}", outcome.node)

    def _sacrifice(self, pod: Applicant, outcome: Sacrifice) -> None:
        """Make the victims go, and take the hope of lesser pods that waited for the same room."""
        for seat in outcome.victims:
            if not is_deleting(seat.pod):
                self._preempt(seat.pod, pod, outcome.node)
        account = self.ledger.accounts[outcome.node]
        for key, seat in list(account.nominated.items()):
            lesser = self._registry.store.get(PODS, *key)
            if lesser is not None and seat.priority < pod.priority:
                self._update_status(key, with_field(lesser, ("status", "nominatedNodeName"), None))
                self._requeue(key)

    def _preempt(self, victim: Object, pod: Applicant, node: str) -> None:
        key = namespace_of(victim), name_of(victim)
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": BY_SCHEDULER,
            "message": f"{NAME}: preempting to accommodate a higher priority pod",
            "observedGeneration": at(victim, "metadata", "generation"),
        }
        self._update_status(key, with_pod_condition(victim, condition, self._clock.timestamp()))
        try:
            self._registry.delete(self._pods, *key)
        except ApiError:  # it went by itself
            return
        announce(
            self._registry,
            victim,
            "Normal",
            "Preempted",
            f"Preempted by pod {uid_of(pod.pod)} on node {node}",
            action="Preempting",
            component=NAME,
            instance=_INSTANCE,
            related=pod.pod,
        )

    def _fail(self, pod: Applicant, message: str, nominated: str | None) -> None:
        """Say why a pod waits. ``nominated``: the node made free for it; None leaves it."""
        announce(
            self._registry,
            pod.pod,
            "Warning",
            "FailedScheduling",
            message[:1024],
            action="Scheduling",
            component=NAME,
            instance=_INSTANCE,
        )
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": message,
            "observedGeneration": at(pod.pod, "metadata", "generation"),
        }
        changed = with_pod_condition(pod.pod, condition, self._clock.timestamp())
        if nominated is not None:
            changed = with_field(changed, ("status", "nominatedNodeName"), nominated or None)
        self._waiting.put(
            pod, named_nodes(pod.spec), sociable=bool(required(pod.pod, "podAffinity"))
        )
        self._clock.after(_FORGOTTEN_AFTER, lambda: self._flush(pod))
        self._update_status(pod.key, changed)

    def _flush(self, pod: Applicant) -> None:
        if self._waiting.holds(pod):
            self._requeue(pod.key)

    def _update_status(self, key: Key, pod: Object) -> None:
        try:
            self._registry.update(self._pods, pod, subresource="status")
        except ApiError:  # it is gone, or was written meanwhile: the next round sees it
            self._waiting.drop(key)


def _is_pending(pod: Object) -> bool:
    """Whether a pod waits for this scheduler."""
    return (
        not text(pod, "spec", "nodeName")
        and not is_deleting(pod)
        and not is_finished(pod)
        and (text(pod, "spec", "schedulerName") or NAME) == NAME
        and not items(pod, "spec", "schedulingGates")
    )


def _matters(old: Object, new: Object) -> bool:
    """Whether a change of a pod may give it another place."""
    return old.get("spec") != new.get("spec") or _labels(old) != _labels(new)


def _labels(pod: Object) -> Sequence[tuple[str, str]]:
    return sorted((at(pod, "metadata", "labels") or {}).items())
