"""Pods that a kubelet refused for want of free devices: what the API shows of the node since."""

from collections.abc import Iterable
from enum import Enum

import msgspec

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.free_devices import Room, room_on
from bridgehead.core.diagnose.refusals import Refused, by_resource, refused_pods
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.verification import is_verification

STAYS = 30.0
"""Seconds over which refusals have to repeat: a pod on its way out is gone by then."""


class Fullness(Enum):
    """How the node stands now, compared with what the pods asked for."""

    LEAVING = "a holder is on its way out"
    FULL = "too few are free"
    PASSED = "enough are free, and it happened once"
    REPEATED = "enough are free, and it happened again and again"
    FRESH = "enough are free, and it was a moment ago"


class Full(msgspec.Struct, frozen=True, kw_only=True):
    """A node's refusals for one resource."""

    room: Room
    found: tuple[Refused, ...]
    fullness: Fullness

    @property
    def last(self) -> float:
        """When the last of them was, in seconds since the epoch."""
        return max(item.at for item in self.found)


def refused_by_full_nodes(scene: Scene) -> Iterable[Full]:
    """By resource and node; pods that only verify are left out, as they are bound to any node."""
    refused = refused_pods(scene, Refusal.TOO_FEW, Refusal.OUT_OF)
    for resource, all_found in by_resource(refused).items():
        counting = tuple(item for item in all_found if not is_verification(item.pod))
        for node in sorted({item.pod.node for item in counting} & set(scene.nodes)):
            room = room_on(scene, node, resource)
            if room is not None:
                found = tuple(item for item in counting if item.pod.node == node)
                yield Full(room=room, found=found, fullness=_fullness(scene, room, found))


def _fullness(scene: Scene, room: Room, found: tuple[Refused, ...]) -> Fullness:
    asked = max(item.said.requested or 1 for item in found)
    times = [item.at for item in found]
    if any(pod.deleting for pod in room.holders):
        return Fullness.LEAVING
    if room.free < asked:
        return Fullness.FULL
    if max(times) - min(times) >= STAYS:
        return Fullness.REPEATED
    return Fullness.FRESH if scene.now - max(times) < STAYS else Fullness.PASSED
