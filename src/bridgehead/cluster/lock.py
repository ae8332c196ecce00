"""The lock of a component: one runner at a time, as far as clocks can promise it.

It is no fence by itself. The fences are the journal's resourceVersion, the anchor that every patch
tests, and ``Lock.check`` directly before every sending of an effect: it gives up at two thirds of
the lease, a third before anybody else may take it.

A lock that was not renewed in time is not lost yet: nobody may have come. A renewal that names the
version that we wrote last tells, however late it is.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from random import Random, SystemRandom
from types import TracebackType
from typing import Any, Self

from bridgehead.cluster.errors import HeldError, LostLockError, StaleLockError
from bridgehead.cluster.lease import (
    Sighting,
    is_free,
    lease_object,
    lease_spec,
    micro_time,
    seen,
)
from bridgehead.cluster.names import lease_name
from bridgehead.cluster.state_namespace import create_in
from bridgehead.cluster.steady_clock import steady
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.decoding import convert
from bridgehead.kube.errors import AlreadyExists, Conflict, KubeError, NotFound
from bridgehead.kube.objects.cluster import Lease
from bridgehead.kube.resources import LEASES

PATIENCE = 1.5
"""How long to wait for a silent holder, in durations of its lease: one to be sure, and some to see
it."""


def holder_name(run: str, user: str, host: str, chance: Random | None = None) -> str:
    """A name for this process that no other has; people read it when they are told who holds."""
    return f"{run}/{user}@{host}/{(chance or SystemRandom()).randbytes(4).hex()}"


class Lock:
    """A lock that is held; renewed in the background until it is released."""

    def __init__(
        self,
        kube: Kube,
        lease: Lease,
        duration: int,
        *,
        wall: Callable[[], float],
        asked: float,
        steady: Callable[[], float],
    ) -> None:
        self._kube = kube
        self._name, self._namespace = lease.metadata.name, lease.metadata.namespace
        self._holder = lease.spec.holder_identity
        self._version = lease.metadata.resource_version
        self._duration = duration
        self._wall = wall
        self._renewed = asked
        self._steady = steady
        self._lost = ""
        self._trouble = ""
        self._refused: KubeError | None = None
        """Why the last renewal failed, where trying again does not help."""
        self._task = asyncio.create_task(self._renew_forever(), name=f"renew {self._name}")

    @property
    def holder(self) -> str:
        """Our identity as the Lease names it."""
        return self._holder

    def check(self) -> None:
        """The fence.

        Raises LostLockError where the lock is gone, and StaleLockError where it may be somebody
        else's by now.
        """
        if late := self.late():
            raise StaleLockError(late)

    def late(self) -> str:
        """Why nothing may be sent now: the last renewal is too old; empty where it is not.

        Raises LostLockError where the lock is gone, and the API server's own word where it is too
        old because renewing is refused: a credential or a permission is gone.
        """
        if self._lost:
            raise LostLockError(self._lost)
        age = self._steady() - self._renewed
        if age <= self._duration * 2 / 3:
            return ""
        if self._refused is not None:
            raise self._refused
        why = f": {self._trouble}" if self._trouble else ""
        return (
            f"lease {self._namespace}/{self._name} was last renewed {age:.1f} s ago, "
            f"and it lasts {self._duration} s{why}"
        )

    async def fresh(self, patience: float) -> None:
        """Wait until a renewal has succeeded that is young enough to act on.

        Raises LostLockError where the lock is gone, the API server's own word where it refuses the
        renewal, and StaleLockError after ``patience`` seconds.
        """
        give_up = self._steady() + patience
        while self.late() or self._steady() - self._renewed > self._duration / 2:
            if self._steady() > give_up:
                raise StaleLockError(self.late() or f"lease {self._name} is not renewed in time")
            await asyncio.sleep(min(0.2, self._duration / 30))

    async def release(self) -> None:
        """Stop renewing and give the lock back; one that is lost already is left alone.

        Where the API server does not answer, the lease runs out by itself.
        """
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled() and (error := self._task.exception()) is not None:
            raise error
        if self._lost:
            return
        # An empty holder lets the next one in at once.
        free = {"holderIdentity": "", "renewTime": micro_time(self._wall())}
        with suppress(KubeError, TimeoutError):
            async with asyncio.timeout(self._duration / 3):
                await self._write(free)
        self._lost = f"lease {self._namespace}/{self._name} was released"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.release()

    async def _renew_forever(self) -> None:
        """Every third of the lease; after a failure soon again, while there is time."""
        while not self._lost:
            await asyncio.sleep(self._duration / (30 if self._trouble else 3))
            await self._renew(self._duration / 3)

    async def _renew(self, patience: float) -> None:
        """One renewal. What goes wrong is kept for ``check``, and the next one tries again."""
        asked = self._steady()
        try:
            async with asyncio.timeout(patience):
                if await self._write({"renewTime": micro_time(self._wall())}):
                    self._renewed, self._trouble, self._refused = asked, "", None
        except TimeoutError:
            self._trouble, self._refused = "the API server did not answer in time", None
        except KubeError as error:
            self._trouble = str(error)
            self._refused = None if error.retryable else error

    async def _write(self, spec: dict[str, Any]) -> bool:
        """Change the lease as its holder; False, and lost, where it is somebody else's."""
        while True:
            metadata = {"resourceVersion": self._version}
            body = {"metadata": metadata, "spec": spec}
            try:
                stored = await self._kube.patch_merge(
                    LEASES, self._name, body, namespace=self._namespace
                )
                self._version = stored["metadata"]["resourceVersion"]
            except Conflict:
                if not await self._still_ours():
                    return False
            except NotFound:
                self._lost = f"lease {self._namespace}/{self._name} was deleted"
                return False
            else:
                return True

    async def _still_ours(self) -> bool:
        """After a conflict: a late success of our own is none, another holder is the end."""
        lease = await self._kube.get(LEASES, self._name, self._namespace)
        self._version = lease.metadata.resource_version
        if lease.spec.holder_identity == self._holder:
            return True
        taker = lease.spec.holder_identity or "nobody"
        self._lost = f"lease {self._namespace}/{self._name} was taken by {taker}"
        return False


class ComponentLock:
    """The lock of one component, to be acquired.

    ``duration`` in whole seconds; ``wall`` gives seconds since the epoch and is written for people
    only, nothing is judged by it. ``steady`` is the clock by which a lease is judged.
    """

    def __init__(
        self,
        kube: Kube,
        namespace: str,
        component: ComponentRef,
        *,
        duration: int,
        holder: str,
        wall: Callable[[], float],
        steady: Callable[[], float] = steady,
    ) -> None:
        self._kube = kube
        self._namespace = namespace
        self._component = component
        self._name = lease_name(component)
        self._duration = duration
        self._holder = holder
        self._wall = wall
        self._steady = steady

    async def acquire(
        self, wait: float, *, from_the_living: bool = True, known: Sighting | None = None
    ) -> Lock:
        """Take the lock, within ``wait`` seconds if it is held; else HeldError.

        A lock whose holder died is free only after it was seen unchanged for its whole duration,
        which its holder has chosen: a ``wait`` below that cannot succeed there. With
        ``from_the_living`` false, a holder that is seen to renew ends the wait at once, and for a
        silent one the wait is as long as its own lease needs. ``known`` is how this process has
        seen the lock before: a silent holder need not be watched again from the beginning.
        """
        give_up = self._steady() + wait
        sighting = known
        first: Sighting | None = None
        while True:
            asked = self._steady()
            try:
                lease = await self._kube.get(LEASES, self._name, self._namespace)
            except NotFound:
                lease = Lease()
                taken = await self._create()
            else:
                sighting = seen(sighting, lease, self._steady())
                if first is None:
                    first = sighting
                    needed = lease.spec.lease_duration_seconds * PATIENCE
                    give_up = max(give_up, self._steady() + (0 if from_the_living else needed))
                free = is_free(sighting, lease, self._duration, asked)
                ours = sighting.holder == self._holder
                taken = await self._take(lease) if free or ours else None
            if taken is not None:
                return taken
            left = give_up - self._steady()
            alive = first is not None and sighting is not first
            if left <= 0 or (alive and not from_the_living):
                holder = lease.spec.holder_identity or "a runner that came first"
                raise HeldError(str(self._component), holder, _since(lease))
            await asyncio.sleep(max(0.05, min(1.0, self._duration / 10, left)))

    async def _create(self) -> Lock | None:
        asked = self._steady()
        spec = lease_spec(self._holder, self._duration, self._wall(), 0)
        body = lease_object(self._name, self._namespace, self._component, spec)
        try:
            stored = await create_in(self._kube, self._namespace, LEASES, body)
        except AlreadyExists:
            return None
        return self._held(stored, asked)

    async def _take(self, lease: Lease) -> Lock | None:
        asked = self._steady()
        transitions = lease.spec.lease_transitions + 1
        body = {
            "metadata": {"resourceVersion": lease.metadata.resource_version},
            "spec": lease_spec(self._holder, self._duration, self._wall(), transitions),
        }
        try:
            stored = await self._kube.patch_merge(
                LEASES, self._name, body, namespace=self._namespace
            )
        except (Conflict, NotFound):
            return None
        return self._held(stored, asked)

    def _held(self, stored: dict[str, Any], asked: float) -> Lock:
        lease = convert(stored, Lease, f"lease {self._name}")
        return Lock(
            self._kube, lease, self._duration, wall=self._wall, asked=asked, steady=self._steady
        )


def _since(lease: Lease) -> str:
    acquired = lease.spec.acquire_time
    return f"{acquired:%Y-%m-%dT%H:%M:%SZ}" if acquired else ""
