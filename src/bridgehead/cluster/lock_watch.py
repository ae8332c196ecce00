"""Whether anybody holds a component's lock, and whether that one lives; without taking it."""

from collections.abc import Callable
from enum import Enum

from bridgehead.cluster.lease import Sighting, is_free, seen
from bridgehead.cluster.names import lease_name
from bridgehead.cluster.steady_clock import steady
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import NotFound
from bridgehead.kube.objects.cluster import Lease
from bridgehead.kube.resources import LEASES


class Holding(Enum):
    """What can be told of a lock's holder by watching."""

    NOBODY = "nobody"
    """Given back, or not renewed for its whole duration."""
    UNSURE = "unsure"
    """Somebody holds it who has not been seen to renew it yet."""
    ALIVE = "alive"
    """It was renewed while it was watched."""


class LockWatch:
    """Looks at one component's lock, again and again."""

    def __init__(
        self,
        kube: Kube,
        namespace: str,
        component: ComponentRef,
        steady: Callable[[], float] = steady,
    ) -> None:
        self._kube = kube
        self._namespace = namespace
        self._name = lease_name(component)
        self._steady = steady
        self._alive = False
        self.sighting: Sighting | None = None
        """Since when it is as it is; who acquires the lock need not watch it so long again."""

    async def look(self) -> Holding:
        """One look. Raises KubeError."""
        try:
            lease = await self._kube.get(LEASES, self._name, self._namespace)
        except NotFound:
            lease = Lease()
        former, self.sighting = self.sighting, seen(self.sighting, lease, self._steady())
        if former is not None and self.sighting is not former:
            self._alive = True
        if is_free(self.sighting, lease, 0, self._steady()):
            self._alive = False
            return Holding.NOBODY
        return Holding.ALIVE if self._alive else Holding.UNSURE
