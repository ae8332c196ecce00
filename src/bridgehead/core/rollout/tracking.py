"""Keeping the tracks: what this runner has seen of every node that it watches closely."""

import msgspec

from bridgehead.core.rollout.commands import Role
from bridgehead.core.rollout.glance import basis, unchanged
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus
from bridgehead.core.rollout.watch import look
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.track import Track, observe, observe_pull


def in_flight(run: Run) -> tuple[NodeState, ...]:
    """Nodes with a pass under way."""
    return run.state.working


AHEAD = 2.0
"""Seconds before a probe from which on the pods of its node are read: turns are a second apart."""


def counted(run: Run, tracks: Tracks, now: float) -> frozenset[str]:
    """Nodes in flight of which it matters now who asks for their devices.

    Before the deletion, as nobody may be on the way to them; and before the probe, which takes one
    that is free. In between, for most of a pass, nobody asks: a list a second for each node would
    be most of a rollout's requests.
    """
    return frozenset(node.name for node in in_flight(run) if _counts(run, node, tracks, now))


def _counts(run: Run, node: NodeState, tracks: Tracks, now: float) -> bool:
    if node.work is None or node.work.deleted_at is None:
        return True
    track = tracks.get(node.name)
    if node.work.probe is not None or Role.PROBE in node.own_pods or track is None:
        return False
    since = track.offers_since
    return since is not None and now >= since + run.plan.timing.settle - AHEAD


def under_watch(run: Run) -> tuple[NodeState, ...]:
    """Nodes of the current stage that have passed: their logs are read on while it soaks."""
    names = set(run.members)
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
        node.name: tracks[node.name]
        if node.work is None and unchanged(node, world, tracks)
        else _observed(run, node, world, tracks, now)
        for node in (*replaced, *passed)
    }


def _observed(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Track:
    track = observe(
        tracks.get(node.name),
        world.view(node.name, node.work.deleted if node.work else frozenset()),
        run.expected(node, world),
        status_period=run.plan.timing.status_period,
        now=now,
    )
    idle = node.work is None and track.calm
    quiet = idle and look(run, node, world, {node.name: track}, now) is None
    return msgspec.structs.replace(track, rests_on=basis(node, world) if quiet else ())
