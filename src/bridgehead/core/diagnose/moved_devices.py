"""Devices that were taken out of one node and plugged into another.

A stream that ends and a plugin that dies make devices vanish, but never make as many appear on
another node. So what one node lost and another gained at that time has moved, where both plugins
have run all the while and neither kubelet has started: each then only tells what it sees.
"""

from collections.abc import Mapping, Sequence

import msgspec

from bridgehead.core.diagnose.losing import fell_together
from bridgehead.core.diagnose.post import SETTLING, Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.trajectory import Trajectory
from bridgehead.core.journal.entry import Evidence

_WALK = 600.0
"""Seconds that a device may be on its way: from one machine to another by hand."""


class Move(msgspec.Struct, frozen=True):
    """How many devices a node lost, and which nodes gained them."""

    lost: int
    to: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class _Change(msgspec.Struct, frozen=True):
    """A change by ``count`` devices, later than ``after`` and not later than ``by``."""

    post: Post
    count: int
    after: float
    by: float
    history: Trajectory


def moves_of(scene: Scene, posts: Sequence[Post], name: str) -> Mapping[str, Move]:
    """By node what it lost to others; ``posts`` are of one plugin.

    Only where as many were gained as were lost in that time: else nobody knows which have moved.
    """
    histories = [(post, scene.trajectory(post.node.name, name)) for post in posts]
    times = sorted({item.begin for _, history in histories for item in history.stretches})
    losses = [it for post, history in histories if (it := _loss(scene, post, history))]
    gains = [it for post, history in histories if (it := _gain(scene, post, history, times))]
    if not losses or not gains:
        return {}
    targets: dict[tuple[float, float], tuple[_Change, ...]] = {}
    found = {}
    for loss in losses:
        window = loss.after, loss.by
        if window not in targets:
            targets[window] = _targets(window, losses, gains)
        if targets[window]:
            shown = [loss.history, *(gain.history for gain in targets[window][:2])]
            found[loss.post.node.name] = Move(
                loss.count,
                tuple(sorted(gain.post.node.name for gain in targets[window])),
                tuple(history.evidence for history in shown),
            )
    return found


def _targets(
    window: tuple[float, float], losses: Sequence[_Change], gains: Sequence[_Change]
) -> tuple[_Change, ...]:
    """The gains that the losses of this time account for, to the last device."""
    fitting = tuple(gain for gain in gains if _follows(gain.after, gain.by, *window))
    if not fitting:
        return ()
    after, by = min(gain.after for gain in fitting), max(gain.by for gain in fitting)
    lost = sum(loss.count for loss in losses if _follows(after, by, loss.after, loss.by))
    return fitting if lost == sum(gain.count for gain in fitting) else ()


def _follows(after: float, by: float, gone_after: float, gone_by: float) -> bool:
    """Whether a gain can be that of a loss; nodes tell of either up to a minute late."""
    return by >= gone_after - SETTLING and after <= gone_by + _WALK


def _loss(scene: Scene, post: Post, history: Trajectory) -> _Change | None:
    """A fall of capacity with allocatable, to what the node shows now."""
    shown, name = history.stretches, history.resource
    now = post.allocatable(name)
    since = len(shown)
    while since and (shown[since - 1].allocatable or 0) == now:
        since -= 1
    if not 0 < since < len(shown) or any(it.capacity != it.allocatable for it in shown[since:]):
        return None
    before = shown[since - 1]
    offer = post.node.offer(name)
    count = (before.allocatable or 0) - now
    if count <= 0 or (offer is not None and offer.capacity != now) or fell_together(scene, history):
        return None
    calm = _undisturbed(scene, post, before.end)
    return _Change(post, count, before.end, shown[since].begin, history) if calm else None


def _gain(scene: Scene, post: Post, history: Trajectory, times: Sequence[float]) -> _Change | None:
    """A rise to what the node shows now.

    A name that a node did not have is in no reading of it, so its first one may be a rise as well,
    if others were read before.
    """
    shown = history.stretches
    if not shown or (shown[-1].allocatable or 0) != post.allocatable(history.resource):
        return None
    before, last = (shown[-2] if len(shown) > 1 else None), shown[-1]
    count = (last.allocatable or 0) - ((before.allocatable or 0) if before else 0)
    after = before.end if before else _read_before(times, last.begin)
    if count <= 0 or after is None or not _undisturbed(scene, post, after):
        return None
    return _Change(post, count, after, last.begin, history)


def _read_before(times: Sequence[float], at: float) -> float | None:
    """The last reading of any node a minute before; None where the readings begin with this one."""
    if not times or times[0] > at - SETTLING:
        return None
    return next(time for time in reversed(times) if time <= at - SETTLING)


def _undisturbed(scene: Scene, post: Post, since: float) -> bool:
    """Whether plugin and kubelet have run all the while."""
    start = scene.kubelet_starts.get(post.node.name)
    alive = post.running and post.started is not None and post.started <= since
    return alive and (start is None or start.at <= since)
