"""What a component remembers of its own events: equal ones are counted, floods are cut.

Source: k8s.io/client-go/tools/record/events_cache.go (Kubernetes 1.37).
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

REMEMBERED = 4096
"""Events of which a component knows that it has told them before."""
MANY = 10
"""So many events that differ by their message alone are told as one from then on ..."""
MANY_WITHIN = 600.0
"""... where less time than this lay between any two of them; seconds."""
BURST = 25
"""Events that a component may tell of one object at once ..."""
REFILL = 1.0 / 300.0
"""... and how many it may tell again each second."""

COMBINED = "(combined from similar events): "

V = TypeVar("V")


class Told(msgspec.Struct):
    """An event that was written before."""

    name: str
    first: str
    """When it was told first, as a timestamp."""
    count: int = 0


class _Similar(msgspec.Struct):
    messages: set[str]
    last: float


class _Bucket(msgspec.Struct):
    tokens: float
    at: float


class _Recent(Generic[V]):
    """A mapping that forgets what was not asked for longest."""

    def __init__(self) -> None:
        self._values: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def put(self, key: Hashable, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > REMEMBERED:
            self._values.popitem(last=False)


class Correlator:
    """The memory of one component; a component that starts again has none."""

    def __init__(self) -> None:
        self._similar: _Recent[_Similar] = _Recent()
        self._told: _Recent[Told] = _Recent()
        self._buckets: _Recent[_Bucket] = _Recent()

    def combined(self, similar: Hashable, message: str, now: float) -> bool:
        """Whether this event is one of too many that differ by their message alone."""
        seen = self._similar.get(similar)
        if seen is None or now - seen.last > MANY_WITHIN:
            seen = _Similar(messages=set(), last=now)
            self._similar.put(similar, seen)
        seen.last = now
        if len(seen.messages | {message}) < MANY:
            seen.messages.add(message)
            return False
        return True

    def told(self, key: Hashable, name: str, first: str) -> Told:
        """The event under which this one is counted; a new one under the name given."""
        told = self._told.get(key)
        if told is None:
            told = Told(name=name, first=first)
            self._told.put(key, told)
        told.count += 1
        return told

    def allowed(self, about: Hashable, now: float) -> bool:
        """Whether another event about an object may be told; it counts as told then."""
        bucket = self._buckets.get(about)
        if bucket is None:
            bucket = _Bucket(tokens=float(BURST), at=now)
            self._buckets.put(about, bucket)
        bucket.tokens = min(float(BURST), bucket.tokens + (now - bucket.at) * REFILL)
        bucket.at = now
        if bucket.tokens < 1.0:
            return False
        bucket.tokens -= 1.0
        return True
