"""The standings of all nodes with one DaemonSet, with their sums, kept up node by node."""

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterator
from enum import Enum
from itertools import islice

from bridgehead.twin.controllers.daemonsets.standing import Rules, Standing, standing
from bridgehead.twin.objects import Object

_SUMS = ("desired", "current", "misscheduled", "ready", "available", "updated", "busy", "serves")


class Part(Enum):
    """What a node is to the controller; it may be several."""

    WORK = "lacks a pod, or has some that must go"
    REPLACED = "an old pod beside a new one that is available"
    SERVING = "an old pod that is available, alone"
    BROKEN = "an old pod that is not available, alone"
    SERVING_UNFIT = "like SERVING, on a node that should have none"
    BROKEN_UNFIT = "like BROKEN, on a node that should have none"


class Table:
    """By name of the node."""

    def __init__(self) -> None:
        self._standings: dict[str, Standing] = {}
        self._sums = dict.fromkeys(_SUMS, 0)
        self._parts: dict[Part, list[str]] = {part: [] for part in Part}
        """Sorted."""
        self._ripening: list[tuple[float, str]] = []

    def total(self, name: str) -> int:
        """The sum of a number over all nodes."""
        return self._sums[name]

    def names(self) -> list[str]:
        """All nodes that were looked at."""
        return list(self._standings)

    def look(
        self, rules: Rules, name: str, node: Object | None, pods: list[Object], now: float
    ) -> None:
        """Work out one node anew."""
        if (before := self._standings.pop(name, None)) is not None:
            self._count(before, -1)
            for part in _parts(before):
                names = self._parts[part]
                del names[bisect_left(names, name)]
        if node is None and not pods:
            return
        found = self._standings[name] = standing(rules, node, pods, now)
        self._count(found, 1)
        for part in _parts(found):
            insort(self._parts[part], name)
        if found.ripens_in is not None:
            heapq.heappush(self._ripening, (now + found.ripens_in, name))

    def ripe(self, now: float) -> Iterator[str]:
        """Nodes where a pod counts as available by now; each is told of once."""
        while self._ripening and self._ripening[0][0] <= now:
            yield heapq.heappop(self._ripening)[1]

    def next_ripe(self) -> float | None:
        """When the next pod will count as available."""
        return self._ripening[0][0] if self._ripening else None

    def part(self, part: Part, most: int | None = None) -> Iterator[tuple[str, Standing]]:
        """The nodes of a part, by name; so many at most."""
        return ((name, self._standings[name]) for name in islice(self._parts[part], most))

    def _count(self, found: Standing, sign: int) -> None:
        for name in _SUMS:
            self._sums[name] += sign * getattr(found, name)


def _parts(found: Standing) -> Iterator[Part]:
    if found.lacks or found.surplus or found.finished:
        yield Part.WORK
    if found.replaced:
        yield Part.REPLACED
    elif found.outdated and not found.covered:
        if found.wanted:
            yield Part.SERVING if found.serving else Part.BROKEN
        else:
            yield Part.SERVING_UNFIT if found.serving else Part.BROKEN_UNFIT
