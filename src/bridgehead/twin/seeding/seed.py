"""What a twin begins with, as a value; a fresh twin can be made of it any number of times."""

import copy
from collections.abc import Iterable

import msgspec

from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.images import Overlay
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object


class Seed(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster at one time."""

    at: float
    """Seconds since the epoch."""
    machines: tuple[Machine, ...]
    objects: tuple[Object, ...]
    """Everything that the API has, as recorded; ``planting`` makes whole objects of them."""
    down: tuple[str, ...] = ()
    """Machines whose kubelet does not answer."""
    overlays: tuple[Overlay, ...] = ()
    """What is broken on single machines, whatever version runs there."""
    assumptions: tuple[str, ...] = ()
    """What was not recorded and had to be assumed, in words for people."""

    def fleet(self, settings: KubeletSettings, more: Iterable[Overlay] = ()) -> Fleet:
        """The machines, fresh; ``more`` lies over what is broken anyway."""
        fleet = Fleet(copy.deepcopy(self.machines), settings=settings)
        for overlay in (*self.overlays, *more):
            fleet.images.lay(overlay)
        return fleet
