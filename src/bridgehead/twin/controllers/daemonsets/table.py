"""The standings of all nodes with one DaemonSet, with their sums, kept up node by node."""

import heapq
from collections.abc import Iterable, Iterator

from bridgehead.twin.controllers.daemonsets.standing import Rules, Standing, standing
from bridgehead.twin.objects import Object

_SUMS = ("desired", "current", "misscheduled", "ready", "available", "updated", "busy", "serves")


class Table:
    """By name of the node."""

    def __init__(self) -> None:
        self._standings: dict[str, Standing] = {}
        self._sums = dict.fromkeys(_SUMS, 0)
        self._with_work: dict[str, None] = {}
        """Nodes that lack a pod or have too many."""
        self._outdated: dict[str, None] = {}
        self._ripening: list[tuple[float, str]] = []

    def __len__(self) -> int:
        return len(self._standings)

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
        self._count(self._standings.pop(name, None), -1)
        self._with_work.pop(name, None)
        self._outdated.pop(name, None)
        if node is None and not pods:
            return
        found = self._standings[name] = standing(rules, node, pods, now)
        self._count(found, 1)
        if found.lacks or found.surplus or found.finished:
            self._with_work[name] = None
        if found.outdated:
            self._outdated[name] = None
        if found.ripens_in is not None:
            heapq.heappush(self._ripening, (now + found.ripens_in, name))

    def ripe(self, now: float) -> Iterator[str]:
        """Nodes where a pod counts as available by now; each is told of once."""
        while self._ripening and self._ripening[0][0] <= now:
            yield heapq.heappop(self._ripening)[1]

    def next_ripe(self) -> float | None:
        """When the next pod will count as available."""
        return self._ripening[0][0] if self._ripening else None

    def with_work(self) -> list[tuple[str, Standing]]:
        """Nodes where pods are to be made or deleted, by name."""
        return self._sorted(self._with_work)

    def outdated(self) -> list[tuple[str, Standing]]:
        """Nodes with an old pod, by name."""
        return self._sorted(self._outdated)

    def _sorted(self, names: Iterable[str]) -> list[tuple[str, Standing]]:
        return [(name, self._standings[name]) for name in sorted(names)]

    def _count(self, found: Standing | None, sign: int) -> None:
        if found is not None:
            for name in _SUMS:
                self._sums[name] += sign * getattr(found, name)
