"""Keeping the tracks: what this runner has seen of every node that it watches closely."""

from bridgehead.core.rollout.commands import Role
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.track import observe, observe_pull


def in_flight(run: Run) -> tuple[NodeState, ...]:
    """Nodes with a pass under way."""
    return run.state.working


def under_watch(run: Run) -> tuple[NodeState, ...]:
    """Nodes of the current stage that have passed: their logs are read on while it soaks."""
    stage = run.stage
    names = set(stage.nodes) if stage else set()
    return tuple(item for item in run.with_status(NodeStatus.PASSED) if item.name in names)


def follow(run: Run, world: World, tracks: Tracks, now: float) -> Tracks:
    """The tracks after one more look at the world; nodes that are done with are dropped."""
    if world.stale:
        return tracks
    if run.state.mode is Mode.PREFLIGHT:
        return {
            node.name: observe_pull(tracks.get(node.name), world.own_pod(node.name, Role.PULL), now)
            for node in run.state.nodes.values()
            if Role.PULL in node.own_pods
        }
    replaced = [item for item in in_flight(run) if item.work and item.work.deleted_at is not None]
    passed = [item for item in run.with_status(NodeStatus.PASSED) if item.work is None]
    return {
        node.name: observe(
            tracks.get(node.name),
            world.view(node.name, node.work.deleted if node.work else frozenset()),
            run.expected(node, world),
            status_period=run.plan.timing.status_period,
            now=now,
        )
        for node in (*replaced, *passed)
    }
