"""Pauses that grow: between starts of a container that ends, and between pulls that fail.

Source: k8s.io/client-go/util/flowcontrol/backoff.go; that an entry is good for ten minutes is the
kubelet's (1.37).
"""

from collections.abc import Hashable

import msgspec

EXPIRES = 600.0
"""Seconds after which a start that fails counts as the first one."""


class _Entry(msgspec.Struct):
    pause: float
    updated: float


class Backoff:
    """Pauses by key; times are seconds since the epoch."""

    def __init__(self, first: float, longest: float) -> None:
        self._first = min(first, longest)
        self._longest = longest
        self._entries: dict[Hashable, _Entry] = {}

    def until(self, key: Hashable, event: float) -> float | None:
        """When the pause after an event ends; None where there is none."""
        entry = self._entries.get(key)
        if entry is None or event - entry.updated > EXPIRES:
            return None
        return event + entry.pause

    def until_since_update(self, key: Hashable) -> float | None:
        """When the pause after the last ``next`` ends; None where there is none."""
        entry = self._entries.get(key)
        return None if entry is None else entry.updated + entry.pause

    def pause(self, key: Hashable) -> float:
        """The pause of a key now."""
        entry = self._entries.get(key)
        return 0.0 if entry is None else entry.pause

    def next(self, key: Hashable, event: float, now: float) -> None:
        """A further try is made: the pause after it is twice as long."""
        entry = self._entries.get(key)
        if entry is None or event - entry.updated > EXPIRES:
            self._entries[key] = _Entry(self._first, now)
        else:
            entry.pause = min(entry.pause * 2, self._longest)
            entry.updated = now

    def forget(self, uid: str) -> None:
        """Drop all keys of a pod: tuples that begin with its uid."""
        for key in [key for key in self._entries if isinstance(key, tuple) and key[0] == uid]:
            del self._entries[key]
