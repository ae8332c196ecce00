"""The lock on a real API server: one holder, takeover after silence only, and the fence."""

import asyncio
import time
from collections.abc import Callable

import pytest

from bridgehead.cluster.errors import HeldError, LostLockError, StaleLockError
from bridgehead.cluster.lock import ComponentLock, holder_name
from bridgehead.cluster.names import lease_name
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.errors import Forbidden
from bridgehead.kube.objects.cluster import Lease
from bridgehead.kube.resources import LEASES
from testbed.cluster import Cluster
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

COMPONENT = ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin")
DURATION = 3

Maker = Callable[[str], ComponentLock]


@pytest.fixture
def locks(kube: Kube, namespace: str) -> Maker:
    def make(holder: str) -> ComponentLock:
        return ComponentLock(
            kube, namespace, COMPONENT, duration=DURATION, holder=holder, wall=time.time
        )

    return make


async def lease(kube: Kube, namespace: str) -> Lease:
    return await kube.get(LEASES, lease_name(COMPONENT), namespace)


async def test_a_free_lock_is_taken_at_once_and_names_its_holder(
    kube: Kube, namespace: str, locks: Maker
) -> None:
    async with await locks("a").acquire(0) as lock:
        lock.check()
        found = await lease(kube, namespace)
    assert found.spec.holder_identity == "a"
    assert found.spec.lease_duration_seconds == DURATION


async def test_a_held_lock_says_who_holds_it_and_since_when(locks: Maker) -> None:
    async with await locks("a").acquire(0):
        with pytest.raises(HeldError, match="daemonset/gpu/plugin is held by a since 20") as raised:
            await locks("b").acquire(0)
    assert raised.value.holder == "a"


async def test_a_released_lock_is_free_at_once(locks: Maker) -> None:
    first = await locks("a").acquire(0)
    await first.release()
    async with await locks("b").acquire(0) as second:
        second.check()
    with pytest.raises(LostLockError, match="released"):
        first.check()


async def test_a_waiting_runner_gets_the_lock_when_it_is_released(locks: Maker) -> None:
    first = await locks("a").acquire(0)
    waiting = asyncio.create_task(locks("b").acquire(30))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(waiting), 0.5)
    await first.release()
    async with await waiting as second:
        assert second.holder == "b"


async def test_whoever_will_not_wait_for_the_living_is_told_as_soon_as_the_holder_renews(
    locks: Maker,
) -> None:
    async with await locks("a").acquire(0):
        with pytest.raises(HeldError):
            await locks("b").acquire(600, from_the_living=False)


async def test_a_living_holder_keeps_the_lock_longer_than_its_duration(
    kube: Kube, namespace: str, locks: Maker
) -> None:
    async with await locks("a").acquire(0) as lock:
        begun = (await lease(kube, namespace)).spec.renew_time
        with pytest.raises(HeldError):
            await locks("b").acquire(DURATION * 1.5)
        lock.check()
        assert (await lease(kube, namespace)).spec.renew_time != begun


async def test_a_dead_holders_lock_is_taken_after_its_duration_and_not_before(
    kube: Kube, namespace: str, locks: Maker
) -> None:
    await leave_behind(kube, namespace, locks)
    begun = time.monotonic()
    async with await locks("b").acquire(30) as lock:
        assert time.monotonic() - begun >= DURATION
        lock.check()
    assert (await lease(kube, namespace)).spec.lease_transitions == 1


async def leave_behind(kube: Kube, namespace: str, locks: Maker) -> None:
    """A lease as a killed runner leaves it: held, and never renewed again."""
    lock = await locks("a").acquire(0)
    await lock.release()
    held = {"spec": {"holderIdentity": "a"}}
    await kube.patch_merge(LEASES, lease_name(COMPONENT), held, namespace=namespace)


async def test_of_two_that_take_over_one_wins(kube: Kube, namespace: str, locks: Maker) -> None:
    await leave_behind(kube, namespace, locks)
    takers = [locks(name).acquire(DURATION * 2) for name in ("b", "c")]
    results = await asyncio.gather(*takers, return_exceptions=True)
    winners = [item for item in results if not isinstance(item, BaseException)]
    assert len(winners) == 1
    assert any(isinstance(item, HeldError) for item in results)
    await winners[0].release()


async def test_a_holder_that_cannot_renew_stops_before_anybody_else_may_begin(
    kube: Kube, namespace: str, locks: Maker, until: Until
) -> None:
    """Its renewals hit a foreign holder, as after a takeover by a clock that ran too fast."""
    lock = await locks("a").acquire(0)
    taken = {"spec": {"holderIdentity": "b"}}
    await kube.patch_merge(LEASES, lease_name(COMPONENT), taken, namespace=namespace)

    async def noticed() -> bool:
        try:
            lock.check()
        except LostLockError as error:
            return "taken by b" in str(error)
        return False

    await until(noticed)
    await lock.release()
    assert (await lease(kube, namespace)).spec.holder_identity == "b"


async def test_a_touched_lease_is_still_ours(
    kube: Kube, namespace: str, locks: Maker, until: Until
) -> None:
    async with await locks("a").acquire(0) as lock:
        touched = {"metadata": {"labels": {"touched": "yes"}}}
        await kube.patch_merge(LEASES, lease_name(COMPONENT), touched, namespace=namespace)
        before = (await lease(kube, namespace)).spec.renew_time

        async def renewed() -> bool:
            return (await lease(kube, namespace)).spec.renew_time != before

        await until(renewed)
        lock.check()


async def test_a_deleted_lease_is_a_lost_lock(
    kube: Kube, namespace: str, locks: Maker, until: Until
) -> None:
    lock = await locks("a").acquire(0)
    await kube.delete(LEASES, lease_name(COMPONENT), namespace)

    async def noticed() -> bool:
        try:
            lock.check()
        except LostLockError as error:
            return "was deleted" in str(error)
        return False

    await until(noticed)
    await lock.release()


async def test_every_process_has_a_name_of_its_own() -> None:
    names = {holder_name("run", "me", "here") for _ in range(10)}
    assert len(names) == 10
    assert all(name.startswith("run/me@here/") for name in names)


async def test_a_dead_holder_is_waited_for_as_long_as_its_own_lease_lasts(
    kube: Kube, namespace: str, locks: Maker
) -> None:
    await leave_behind(kube, namespace, locks)
    short = ComponentLock(kube, namespace, COMPONENT, duration=1, holder="b", wall=time.time)
    async with await short.acquire(0.1, from_the_living=False) as lock:
        assert lock.holder == "b"


async def test_a_holder_that_was_frozen_and_not_replaced_goes_on_after_a_renewal(
    kube: Kube, namespace: str, locks: Maker
) -> None:
    async with await locks("a").acquire(0) as lock:
        freeze(DURATION + 0.5)
        with pytest.raises(StaleLockError):
            lock.check()
        await lock.fresh(30)
        lock.check()
        assert (await lease(kube, namespace)).spec.holder_identity == "a"


async def test_a_holder_that_was_frozen_and_replaced_has_lost(
    kube: Kube, namespace: str, locks: Maker
) -> None:
    lock = await locks("a").acquire(0)
    taken = {"spec": {"holderIdentity": "b"}}
    await kube.patch_merge(LEASES, lease_name(COMPONENT), taken, namespace=namespace)
    freeze(DURATION + 0.5)
    with pytest.raises(LostLockError, match="taken by b"):
        await lock.fresh(30)
    await lock.release()


async def test_a_renewal_that_is_refused_ends_the_wait_with_the_servers_word(
    cluster: Cluster, namespace: str, until: Until
) -> None:
    user, group = f"holder-{namespace}", "rbac.authorization.k8s.io"
    path = f"/apis/{group}/v1/namespaces/{namespace}"
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]}
    cluster.api.create(f"{path}/roles", {"metadata": {"name": user}, "rules": [rule]})
    binding = {
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": user},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    }
    cluster.api.create(f"{path}/rolebindings", binding)
    async with await Kube.connect(load_config(cluster.user_kubeconfig(user))) as theirs:
        free = ComponentLock(
            theirs, namespace, COMPONENT, duration=DURATION, holder="a", wall=time.time
        )
        async with await free.acquire(30) as lock:
            cluster.api.delete(f"{path}/rolebindings/{user}")

            async def late() -> bool:
                return bool(lock.late())

            with pytest.raises(Forbidden, match="leases"):
                await until(late)
            with pytest.raises(Forbidden, match="leases"):
                await lock.fresh(30)


def freeze(seconds: float) -> None:
    """Stop the whole process, renewals included, as SIGSTOP does."""
    time.sleep(seconds)
