"""The run's hand on the stand-in: each command with the precondition that the real one tests."""

from bridgehead.core.model.component import FORMER_STRATEGY, RUN
from bridgehead.core.model.json import JsonObject, canonical
from bridgehead.core.model.node import HELD_BY, KEEP_CORDONED, SCHEDULABLE_BEFORE
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import (
    Command,
    CommandResult,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Done,
    Evict,
    Failed,
    Flip,
    LetGo,
    Position,
    RestoreStrategy,
    Role,
    TakeOver,
    Uncordon,
)
from tests.core.standin.cluster import Cluster, Deletion
from tests.core.standin.controller import ON_DELETE
from tests.core.standin.pods import OwnPod

GONE = Failed("conflict", "not found")
MANAGER = "bridgehead"


class Hand:
    """Performs the commands of one run."""

    def __init__(self, cluster: Cluster, plan: Plan, run: str, known: int = 0) -> None:
        """``known`` is the highest generation that is the run's; 0 where it has not begun."""
        self.cluster = cluster
        self.plan = plan
        self.run = run
        component = cluster.daemonset
        found = component.generation if component is not None else 0
        self.left_at = min(found, known) if known else found

    def perform(self, command: Command) -> CommandResult:
        match command:
            case TakeOver() | Flip() | RestoreStrategy() | LetGo():
                return self._component(command)
            case Cordon(node=node, schedulable=schedulable):
                return self._cordon(node, schedulable=schedulable)
            case Uncordon(node=node, leave=leave):
                return self._uncordon(node, leave=leave)
            case Evict(uid=uid):
                return self._evict(uid)
            case DeletePod(node=node, uid=uid):
                return self._delete(node, uid)
            case CreateOwnPod(node=node, role=role):
                return self._create(node, role)
            case DeleteOwnPod(node=node, role=role):
                own = self.cluster.own.get(f"{node}/{role.value}")
                if own is not None and own.deleting is None:
                    own.deleting = self.cluster.now
                return Done()

    def _component(self, command: TakeOver | Flip | RestoreStrategy | LetGo) -> CommandResult:
        component = self.cluster.daemonset
        if component is None:
            return GONE
        if RUN not in component.annotations:
            return Failed("conflict", "the run's annotation is not there")
        unseen = component.seen_generation < component.generation
        match command:
            case TakeOver(instead_of=instead_of):
                if component.strategy not in (
                    instead_of or self.plan.former_strategy,
                    ON_DELETE,
                ):
                    return Failed("conflict", "another strategy stands")
                component.annotations[FORMER_STRATEGY] = canonical(self.plan.former_strategy)
                # A late way back need not wait: no version of the object has the former template
                # beside the former strategy, whatever the controller has seen of it.
                late = component.template == self.plan.target_template
                found = self._write(
                    unseen=unseen and not late, name="take-over", strategy=ON_DELETE
                )
            case Flip(to=position):
                former = position is Position.FORMER
                to = self.plan.former_template if former else self.plan.target_template
                if component.template not in (
                    self.plan.former_template,
                    self.plan.target_template,
                ):
                    return Failed("conflict", "a third template stands")
                found = self._write(
                    unseen=unseen and not former, name=f"flip {position.value}", template=to
                )
            case RestoreStrategy():
                found = self._write(
                    unseen=unseen, name="restore", strategy=self.plan.former_strategy
                )
            case LetGo():
                del component.annotations[RUN]
                component.annotations.pop(FORMER_STRATEGY, None)
                return Done()
        return Done({"generation": found})

    def _write(
        self,
        *,
        unseen: bool,
        name: str,
        template: JsonObject | None = None,
        strategy: JsonObject | None = None,
    ) -> int:
        component = self.cluster.daemonset
        assert component is not None
        if unseen:
            self.cluster.unobserved_writes.append(name)
        before = component.generation
        found = component.write(self.cluster.now, MANAGER, template=template, strategy=strategy)
        # As the real hand: our write raises the generation by one, the rest is somebody else's.
        self.left_at = min(found, self.left_at + (found > before))
        return self.left_at

    def _cordon(self, name: str, *, schedulable: bool) -> CommandResult:
        node = self.cluster.nodes.get(name)
        if node is None:
            return GONE
        if node.annotations.get(HELD_BY, self.run) != self.run:
            return Failed("conflict", "another run holds it")
        node.unschedulable = True
        node.annotations[HELD_BY] = self.run
        node.annotations[SCHEDULABLE_BEFORE] = "true" if schedulable else "false"
        return Done()

    def _evict(self, uid: str) -> CommandResult:
        self.cluster.evictions.append((self.cluster.now, uid))
        if self.cluster.budget_is_shut:
            return Failed("blocked", "it would violate the pod's disruption budget")
        self.cluster.end_workload(uid)
        return Done()

    def _uncordon(self, name: str, *, leave: bool) -> CommandResult:
        node = self.cluster.nodes.get(name)
        if node is None or node.annotations.get(HELD_BY) != self.run:
            return Done()
        free = node.annotations.pop(SCHEDULABLE_BEFORE) == "true"
        if free and not leave and KEEP_CORDONED not in node.annotations:
            node.unschedulable = False
        del node.annotations[HELD_BY]
        return Done()

    def _delete(self, node: str, uid: str) -> CommandResult:
        component, pod = self.cluster.daemonset, self.cluster.pods.get(uid)
        if pod is None or pod.deleting is not None:
            return Done()
        assert component is not None
        pod.deleting = self.cluster.now
        observed = component.seen_generation >= component.generation
        self.cluster.deletions.append(Deletion(self.cluster.now, node, uid, pod.revision, observed))
        return Done()

    def _create(self, node: str, role: Role) -> CommandResult:
        if self.cluster.namespace_refuses:
            return Failed("refused", self.cluster.namespace_refuses)
        key = f"{node}/{role.value}"
        there = self.cluster.own.get(key)
        if there is not None:
            return Failed("conflict", "it is still ending") if there.deleting else Done()
        self.cluster.own[key] = OwnPod(node, role, self.cluster.uid("own"), self.cluster.now)
        return Done()
