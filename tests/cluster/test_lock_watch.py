"""Whether a lock's holder lives, told by watching it; a silent one is not waited for twice."""

import time

import pytest

from bridgehead.cluster.lease import lease_object, lease_spec
from bridgehead.cluster.lock import ComponentLock
from bridgehead.cluster.lock_watch import Holding, LockWatch
from bridgehead.cluster.names import lease_name
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import LEASES
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

REF = ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin")


def lock(kube: Kube, namespace: str, holder: str, duration: int) -> ComponentLock:
    return ComponentLock(kube, namespace, REF, duration=duration, holder=holder, wall=time.time)


async def silent_holder(kube: Kube, namespace: str, duration: int) -> None:
    spec = lease_spec("dead", duration, time.time(), 0)
    await kube.create(LEASES, lease_object(lease_name(REF), namespace, REF, spec))


async def test_a_lock_that_was_never_taken_is_held_by_nobody(kube: Kube, namespace: str) -> None:
    assert await LockWatch(kube, namespace, REF).look() is Holding.NOBODY


async def test_a_holder_lives_once_it_was_seen_to_renew(
    kube: Kube, namespace: str, until: Until
) -> None:
    watch = LockWatch(kube, namespace, REF)
    async with await lock(kube, namespace, "a", 6).acquire(0):
        assert await watch.look() is Holding.UNSURE

        async def alive() -> bool:
            return await watch.look() is Holding.ALIVE

        await until(alive)
    assert await watch.look() is Holding.NOBODY


async def test_a_holder_that_is_silent_for_its_lease_is_nobody_and_can_be_followed_at_once(
    kube: Kube, namespace: str, until: Until
) -> None:
    await silent_holder(kube, namespace, 4)
    watch = LockWatch(kube, namespace, REF)
    assert await watch.look() is Holding.UNSURE

    async def nobody() -> bool:
        return await watch.look() is Holding.NOBODY

    await until(nobody)
    async with await lock(kube, namespace, "b", 4).acquire(0, known=watch.sighting) as held:
        assert held.holder == "b"
