"""How devices that a node has had went away: what separates a lost connection from the rest."""

from collections.abc import Iterable

from bridgehead.core.diagnose.node_times import Start
from bridgehead.core.diagnose.post import SETTLING, Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.trajectory import Trajectory

GRACE = 360.0
"""Seconds after which 0 of N healthy devices means that the plugin is connected: the kubelet keeps
the capacity of a plugin that has gone for five minutes, and one status sync more."""

UNHEALTHY = ("device-unhealthy", "device-error", "device-lost", "path-gone", "card-reset")
NOTHING_FOUND = (
    "no-device-found",
    "no-device-selected",
    "driver-missing",
    "init-failed",
    "scan-failed",
)
NOT_REGISTERED = (
    "kubelet-socket-missing",
    "kubelet-socket-denied",
    "kubelet-socket-refused",
    "dial-back-failed",
    "plugin-api-versions-differ",
    "resource-name-refused",
    "options-refused",
    "registration-failed",
    "driver-not-visible",
    "driver-library-mismatch",
    "mps-parts-missing",
)


def gone(post: Post) -> tuple[str, ...]:
    """Resources of which a plugin that runs for a while offers none, though it should."""
    if not post.settled or not post.failing:
        return ()
    return tuple(name for name in post.short if not post.allocatable(name))


def says_any(post: Post, *keys: Iterable[str]) -> bool:
    """Whether the plugin's log shows one of these signs."""
    return any(key in post.quotes for group in keys for key in group)


def restarted_under(scene: Scene, post: Post) -> Start | None:
    """The start of the kubelet that the plugin's process has lived through, if one is sure.

    Both times are cut to whole seconds: a later second is a later time, the same one is not.
    """
    start = scene.kubelet_starts.get(post.node.name)
    if start is None or not start.sure or post.started is None:
        return None
    return start if start.at >= post.started + 1.0 else None


def just_started(scene: Scene, node: str) -> Start | None:
    """A start of the kubelet so recently that no value of the node is a verdict yet.

    None either where a run has waited for the node, and judged it.
    """
    start = scene.kubelet_starts.get(node) if not scene.observed.verdicts.waited(node) else None
    fresh = start is not None and start.sure and scene.now - start.at < SETTLING
    return start if fresh else None


def fell_together(scene: Scene, mine: Trajectory) -> bool:
    """Whether another resource of the node lost its devices at the same time."""
    at = mine.dropped_at
    if at is None:
        return False
    node = scene.nodes.get(mine.node)
    others = node.offers if node else ()
    for name in others:
        if name == mine.resource:
            continue
        stretches = scene.trajectory(mine.node, name).stretches
        if any(
            not item.allocatable and abs(item.begin - at) < SETTLING and number
            for number, item in enumerate(stretches)
        ):
            return True
    return False


def connected(scene: Scene, post: Post, name: str) -> bool | None:
    """Whether a plugin of which the node shows N/0 is connected; None where that is open."""
    offer = post.node.offer(name)
    if offer is None or not offer.capacity:
        return None
    if offer.allocatable:
        return True
    history = scene.trajectory(post.node.name, name)
    if says_any(post, UNHEALTHY):
        return True
    dropped = history.dropped_at
    if history.stretches and not history.stretches[-1].allocatable:
        since = history.now_since if dropped is None else dropped
        if since is not None and scene.now - since > GRACE:
            return True
    return None


def offered_while_alive(scene: Scene, post: Post, name: str) -> bool:
    """Whether the node had devices of it from this very process of the plugin."""
    started = post.started
    if started is None:
        return False
    return any(
        item.allocatable and item.end > started + SETTLING
        for item in scene.trajectory(post.node.name, name).stretches
    )


def never_spoke(post: Post) -> bool:
    """Whether the log of this process was read from its start and has no word of success."""
    whole = bool(post.logs) and not any(log.cut or log.gap for _, log in post.logs)
    return whole and "registered" not in post.quotes
