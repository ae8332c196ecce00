"""Why pods wait for devices: the scheduler says "Insufficient" for many reasons.

Told apart by evaluating every node, as the message counts each under its first failing check only
and says nothing of why devices are few (NVIDIA/gpu-operator#156).
"""

from collections.abc import Iterable
from enum import Enum
from functools import lru_cache

import msgspec

from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.waiting import Option, Waiting, waiting_for_devices


class Shortage(Enum):
    """What keeps devices from pods, by what all nodes show."""

    NEVER_REGISTERED = "no node knows the name"
    PLUGIN_LOST = "nodes know the name and offer none"
    UNHEALTHY = "nodes offer fewer than they should"
    IN_USE = "all are in use"
    SCATTERED = "enough are free, and too few on any one node"
    TOO_MANY_ASKED = "no node offers so many, free or not"
    EXCLUDED = "another check excludes the nodes that have enough free, or any at all"
    UNEXPLAINED = "enough are free on a node that nothing seen here excludes"


class Lack(msgspec.Struct, frozen=True, kw_only=True):
    """A group of waiting pods with the reason; ``options`` are the nodes that it rests on."""

    waiting: Waiting
    sort: Shortage
    options: tuple[Option, ...] = ()


def lacks(scene: Scene, *sorts: Shortage) -> tuple[Lack, ...]:
    """All groups whose reason is one of these, in the order of their first pods."""
    return tuple(item for item in _all(scene) if item.sort in sorts)


@lru_cache(maxsize=1)
def _all(scene: Scene) -> tuple[Lack, ...]:
    """Worked out once, as many rules ask of the same scene."""
    short = frozenset((item.node, item.resource) for item in scene.symptoms_with("devices/"))
    return tuple(_lack(waiting, short) for waiting in waiting_for_devices(scene))


def _lack(waiting: Waiting, short: frozenset[tuple[str, str]]) -> Lack:
    """The reason; a node where devices are missing comes before one where they are in use."""
    count, resource = waiting.count, waiting.resource
    known = waiting.options
    if not known:
        return Lack(waiting=waiting, sort=Shortage.NEVER_REGISTERED)
    enough = tuple(item for item in known if item.free >= count)
    excluded = tuple(item for item in enough if item.obstacle is not None)
    if len(excluded) < len(enough):  # the scheduler knows of a check that nothing here shows
        open_to = tuple(item for item in enough if item.obstacle is None)
        return Lack(waiting=waiting, sort=Shortage.UNEXPLAINED, options=open_to)
    if excluded:
        return Lack(waiting=waiting, sort=Shortage.EXCLUDED, options=excluded)
    if not any(item.offered for item in known):
        return Lack(waiting=waiting, sort=Shortage.PLUGIN_LOST, options=known)
    if all(item.obstacle for item in known):
        held = tuple(item for item in known if item.offered)
        return Lack(waiting=waiting, sort=Shortage.EXCLUDED, options=held)
    lost = tuple(it for it in known if it.obstacle is None and (it.node.name, resource) in short)
    if lost:
        return Lack(waiting=waiting, sort=Shortage.UNHEALTHY, options=lost)
    return _of_sound_nodes(waiting, known)


def _of_sound_nodes(waiting: Waiting, known: tuple[Option, ...]) -> Lack:
    fitting = tuple(item for item in known if item.obstacle is None)
    if max(item.offered for item in fitting) < waiting.count:
        return Lack(waiting=waiting, sort=Shortage.TOO_MANY_ASKED, options=fitting)
    if sum(item.free for item in fitting) >= waiting.count:
        return Lack(waiting=waiting, sort=Shortage.SCATTERED, options=fitting)
    return Lack(waiting=waiting, sort=Shortage.IN_USE, options=fitting)


def most_free(options: Iterable[Option]) -> Option:
    """The node with the most free devices, the first by name of equals."""
    return max(options, key=lambda item: item.free)
