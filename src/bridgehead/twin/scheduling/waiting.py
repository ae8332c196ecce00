"""Pods that fit nowhere, found again by the node that could change that.

Source: the queueing hints of k8s.io/kubernetes/pkg/scheduler/backend/queue (1.37).
"""

import msgspec

from bridgehead.twin.scheduling.filters import Applicant
from bridgehead.twin.store import Key


class _Entry(msgspec.Struct, frozen=True):
    pod: Applicant
    named: frozenset[str] | None
    sociable: bool


class Waiting:
    """The pods that wait."""

    def __init__(self) -> None:
        self._entries: dict[Key, _Entry] = {}
        self._anywhere: dict[Key, None] = {}
        self._by_node: dict[str, dict[Key, None]] = {}

    def put(self, pod: Applicant, named: frozenset[str] | None, *, sociable: bool) -> None:
        """Let a pod wait, for one of the named nodes or for any.

        ``sociable``: it wants to be near other pods, so that one which comes may help.
        """
        self.drop(pod.key)
        self._entries[pod.key] = _Entry(pod, named, sociable)
        if named is None:
            self._anywhere[pod.key] = None
        for name in named or ():
            self._by_node.setdefault(name, {})[pod.key] = None

    def drop(self, key: Key) -> None:
        """A pod waits no longer."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        self._anywhere.pop(key, None)
        for name in entry.named or ():
            self._by_node[name].pop(key, None)

    def holds(self, pod: Applicant) -> bool:
        """Whether a pod still waits since that very attempt."""
        entry = self._entries.get(pod.key)
        return entry is not None and entry.pod is pod

    def interested(self, node: str) -> list[Applicant]:
        """Who could go to a node."""
        keys = [*self._by_node.get(node, ()), *self._anywhere]
        return [self._entries[key].pod for key in keys]

    def sociable(self) -> list[Key]:
        """Who wants to be near other pods."""
        return [key for key, entry in self._entries.items() if entry.sociable]
