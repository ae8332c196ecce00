"""How what a node shows of a resource has changed: its readings in the order of time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

import msgspec

from bridgehead.core.findings.observed import Reading
from bridgehead.core.journal.entry import Evidence, stamp

Key = tuple[str, str]
"""Node and resource."""


class Stretch(msgspec.Struct, frozen=True):
    """A time in which a node showed the same; capacity and allocatable are None where absent."""

    begin: float
    end: float
    capacity: int | None
    allocatable: int | None

    def __str__(self) -> str:
        return "absent" if self.capacity is None else f"{self.capacity}/{self.allocatable}"


class Trajectory(msgspec.Struct, frozen=True):
    """The stretches of one resource on one node, oldest first."""

    node: str
    resource: str
    stretches: tuple[Stretch, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """The last stretches with the times at which they were first seen."""
        told = [f"{item} from {stamp(item.begin)}" for item in self.stretches[-6:]]
        return Evidence(f"readings of {self.resource} on node {self.node}", ", ".join(told))

    @property
    def best(self) -> int:
        """The most healthy devices that were ever seen."""
        return max((item.allocatable or 0 for item in self.stretches), default=0)

    @property
    def dropped_at(self) -> float | None:
        """When healthy devices were last seen, if that is not now; None where never or now."""
        alive = [item for item in self.stretches if item.allocatable]
        return alive[-1].end if alive and alive[-1] is not self.stretches[-1] else None

    @property
    def now_since(self) -> float | None:
        """When the last stretch was first seen; None without readings."""
        return self.stretches[-1].begin if self.stretches else None

    @property
    def fell_at_once(self) -> bool:
        """Whether capacity went with allocatable, as it does when a kubelet starts."""
        shown = self.stretches
        falls = [
            later
            for earlier, later in pairwise(shown)
            if earlier.allocatable and not later.allocatable
        ]
        return bool(falls) and not falls[-1].capacity

    @property
    def flips(self) -> tuple[int, int] | None:
        """Two numbers of devices between which it went to and fro at least twice."""
        counts = [item.allocatable for item in self.stretches if item.allocatable]
        turns = [one for one, other in pairwise(counts) if one != other]
        if counts and turns:
            turns.append(counts[-1])
        numbers = sorted(set(turns))
        if len(turns) < 3 or len(numbers) != 2:
            return None
        return numbers[0], numbers[1]


def trajectories(readings: Iterable[Reading]) -> Mapping[Key, Trajectory]:
    """All of them; equal readings in a row are one stretch."""
    series: dict[Key, list[Reading]] = defaultdict(list)
    for reading in readings:
        series[reading.node, reading.resource].append(reading)
    return {
        key: Trajectory(*key, _stretches(sorted(items, key=lambda item: item.at)))
        for key, items in sorted(series.items())
    }


def _stretches(readings: list[Reading]) -> tuple[Stretch, ...]:
    found: list[Stretch] = []
    for item in readings:
        last = found[-1] if found else None
        if last and (last.capacity, last.allocatable) == (item.capacity, item.allocatable):
            found[-1] = Stretch(last.begin, item.at, last.capacity, last.allocatable)
        else:
            found.append(Stretch(item.at, item.at, item.capacity, item.allocatable))
    return tuple(found)
