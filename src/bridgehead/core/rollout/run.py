"""A run: its plan, its state, and the questions about them that every decision asks."""

from collections.abc import Mapping
from functools import cached_property

import msgspec

from bridgehead.core.model.component import template_digest
from bridgehead.core.plan.plan import Plan, Stage
from bridgehead.core.rollout.commands import Baseline, Flip, Position, Purpose
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus, RunState
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.track import Track
from bridgehead.core.verify.view import Expected, successor

TOUCHED = frozenset({NodeStatus.PASSED, NodeStatus.FAILED, NodeStatus.STUCK})
"""States that a node reaches only by a pass."""


class Run(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What does not change by itself while one decision is made."""

    name: str
    plan: Plan
    state: RunState
    family: str = "generic"
    limits: Limits = Limits()
    """What bounds the runner that is at it now."""
    target_digest: str = ""
    """Digest of the target template: computed once, as every decision asks for it many times."""

    def __post_init__(self) -> None:
        if not self.target_digest:
            digest = template_digest(self.plan.target_template)
            msgspec.structs.force_setattr(self, "target_digest", digest)

    def target_hash(self, world: World) -> str:
        """Hash of the target revision's pods; empty until the controller has made the revision."""
        return world.hash_of(self.target_digest)

    def former_hash(self, world: World) -> str:
        """Hash of the former revision's pods."""
        return world.hash_of(self.plan.former.template_digest) or self.plan.former.hash

    def standing(self, world: World) -> Position | None:
        """Which of the two templates stands; None where it is neither."""
        if world.component is None:
            return None
        standing = world.component.template_digest
        if standing == self.plan.former.template_digest:
            return Position.FORMER
        if standing == self.target_digest:
            return Position.TARGET
        return None

    def observed(self, world: World) -> bool:
        """Whether the controller works with what we last wrote: only then may a pod be deleted."""
        component = world.component
        return (
            component is not None
            and component.generation == self.state.generation
            and component.observed_generation >= self.state.generation
        )

    @property
    def exposed(self) -> bool:
        """Whether the target stands, but not for good: who leaves parks the former template."""
        return self._underway and self.plan.parks

    @property
    def stays(self) -> bool:
        """Whether the target stands and is not parked by who leaves, as that would move pods."""
        return self._underway and not self.plan.parks

    @property
    def _underway(self) -> bool:
        return self.state.taken_over and not self.parked and not self.done

    @property
    def parked(self) -> bool:
        """Whether the former template stands; not so where the answer to a flip is awaited."""
        state = self.state
        return state.template is Position.FORMER and Flip(to=Position.TARGET) not in (
            state.pending.values()
        )

    @property
    def done(self) -> bool:
        """Whether no node is left to be changed: a target that stands then stands for good.

        With the former strategy back it is done whatever is left: to put the former template in
        then would replace every pod at once.
        """
        if self.state.restored:
            return True
        if self.stage is not None or self.state.mode is not Mode.FORWARD or self.state.working:
            return False
        return not self.with_status(NodeStatus.PENDING, NodeStatus.FAILED)

    @property
    def stage(self) -> Stage | None:
        """The stage under way; None after the last."""
        return (
            self.plan.stages[self.state.stage] if self.state.stage < len(self.plan.stages) else None
        )

    @cached_property
    def scope(self) -> tuple[str, ...]:
        """Nodes of this stage and of those before it, in order; newcomers belong to the last.

        A node that the target reached before its turn is in the scope from then on.
        """
        reached = self.plan.stages[: self.state.stage + 1]
        names = [name for stage in reached for name in stage.nodes]
        if self.state.stage >= len(self.plan.stages) - 1:
            names.extend(self.state.joined)
            names.extend(self._tried_again)
        early = (
            item.name
            for item in self.state.nodes.values()
            if item.work is not None or item.status in TOUCHED
        )
        return tuple(dict.fromkeys((*names, *early)))

    @property
    def _tried_again(self) -> list[str]:
        """Nodes of no stage that a person wants to have the change: they take it in the last."""
        gains = self.plan.gains  # these wait for a pod, in their own time
        nodes = self.state.nodes.values()
        return [item.name for item in nodes if item.retried_at and item.name not in gains]

    def stage_of(self, name: str) -> int:
        """Number of the stage that a node belongs to; the last one's where it is in none."""
        last = len(self.plan.stages) - 1
        stages = enumerate(self.plan.stages)
        return next((number for number, stage in stages if name in stage.nodes), last)

    @property
    def again(self) -> bool:
        """Whether the stage under way has passed before, and a node of it was disturbed since."""
        return self.state.stage < self.state.reached

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Nodes that soak with the stage under way; with the last also those of no stage.

        These are newcomers, and nodes that were set aside and came back.
        """
        stage = self.stage
        if stage is None or self.state.stage < len(self.plan.stages) - 1:
            return stage.nodes if stage else ()
        known = {name for each in self.plan.stages for name in each.nodes}
        return (*stage.nodes, *(name for name in self.scope if name not in known))

    def with_status(self, *statuses: NodeStatus) -> tuple[NodeState, ...]:
        """Nodes of the scope in one of these states."""
        found = (self.state.node(name) for name in self.scope)
        return tuple(item for item in found if item.status in statuses)

    def case(self, node: NodeState, world: World, track: Track | None, now: float) -> Case:
        """The node's case for its gates, for the revision that its pass expects."""
        work = node.work
        expected = self.expected(node, world)
        return Case(
            view=world.view(node.name, expected.deleted),
            expected=expected,
            track=track or Track(deleted=work.deleted if work else frozenset()),
            settle=self.plan.timing.settle,
            now=now,
        )

    def expected(self, node: NodeState, world: World) -> Expected:
        """What the node's gates expect: target pods under change, former ones otherwise."""
        baseline = node.baseline or Baseline(offers={})
        work = node.work
        target = self.expects_target(node, world)
        return Expected(
            revision=self.target_hash(world) if target else self.former_hash(world),
            images=self.plan.target_images if target else self.plan.former_images,
            offers=baseline.offers,
            others=baseline.others,
            refused=frozenset(baseline.refused),
            deleted=work.deleted if work else frozenset(),
            image_ids=self._image_ids(node.name, world) if target else {},
            family=self.family,
        )

    def expects_target(self, node: NodeState, world: World) -> bool:
        """Whether the node is to run the target revision.

        A successor that came up on the former revision because the former template was parked
        meanwhile is judged as what it is: the node is unchanged.
        """
        if node.work is None:
            return node.status in {NodeStatus.PASSED, NodeStatus.FAILED}
        if node.work.purpose is not Purpose.CHANGE:
            return False
        return not self.unchanged(node, world)

    def unchanged(self, node: NodeState, world: World) -> bool:
        """Whether a change ended on the former revision because that template stands again."""
        work = node.work
        if work is None or work.purpose is not Purpose.CHANGE or work.deleted_at is None:
            return False
        pod = successor(world.pods.get(node.name, ()), work.deleted)
        former = self.former_hash(world)
        parked = self.state.template is Position.FORMER
        return parked and pod is not None and pod.revision == former

    def _image_ids(self, name: str, world: World) -> Mapping[str, str]:
        node = world.nodes.get(name)
        prefix = f"{node.arch}/" if node else "/"
        return {
            key.removeprefix(prefix): value
            for key, value in self.state.image_ids.items()
            if key.startswith(prefix)
        }


Tracks = Mapping[str, Track]
"""What this runner has seen of each node in flight, by node name."""
