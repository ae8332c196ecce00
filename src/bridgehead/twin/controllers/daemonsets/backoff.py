"""How long a node's failed pods are left alone: a DaemonSet must not fight with a kubelet.

Source: k8s.io/client-go/util/flowcontrol/backoff.go; one second to fifteen minutes in
k8s.io/kubernetes/cmd/kube-controller-manager/app/apps.go (1.37).
"""

from collections.abc import Hashable

import msgspec

FIRST = 1.0
LONGEST = 15 * 60.0


class _Entry(msgspec.Struct):
    seconds: float
    at: float


class Backoff:
    """Remembers when something was done last, and how long to wait until it is done again."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}

    def left(self, key: Hashable, now: float) -> float:
        """How long the present wait is in all; 0 where there is none, or where it is over."""
        entry = self._entries.get(key)
        if entry is None or now - entry.at > 2 * LONGEST or now - entry.at >= entry.seconds:
            return 0.0
        return entry.seconds

    def next(self, key: Hashable, now: float) -> None:
        """It is done now: the next wait is twice as long."""
        entry = self._entries.get(key)
        if entry is None or now - entry.at > 2 * LONGEST:
            self._entries[key] = _Entry(FIRST, now)
            return
        entry.seconds = min(entry.seconds * 2, LONGEST)
        entry.at = now
