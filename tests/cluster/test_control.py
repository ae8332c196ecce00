"""Requests to a run on a real API server: none is lost, and its runner sees each of them."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bridgehead.cluster.control import ask
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.cluster.feed import Kept, WorldFeed
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.rollout.control import Pause, UnreadableRequestError, requests
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import CONFIG_MAPS
from tests.cluster.components import OnCluster
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

RUN = "change-1"


def pause(reason: str = "") -> Pause:
    return Pause(time="2026-01-31T12:00:00.000Z", identity="me", reason=reason)


@pytest.fixture
async def record(kube: Kube, component: OnCluster) -> Record:
    made = Record(run=RUN, owner="team", spec="kind: Rollout\n", plan=component.plan)
    await RunStore(kube, component.namespace).create(made)
    return made


@pytest.fixture
async def feed(component: OnCluster, record: Record) -> AsyncIterator[WorldFeed]:
    kept = Kept(record, component.namespace)
    async with WorldFeed(component.kube, component.plan, RUN, kept=kept) as feed:
        yield feed


async def asked(kube: Kube, namespace: str) -> list[str]:
    record = await RunStore(kube, namespace).load(RUN)
    return [request.reason for request in requests(record.control)]


async def test_requests_are_numbered_in_the_order_in_which_they_were_made(
    kube: Kube, record: Record, namespace: str
) -> None:
    assert record.control == ""
    assert [await ask(kube, namespace, RUN, pause(name)) for name in "abc"] == [1, 2, 3]
    assert await asked(kube, namespace) == ["a", "b", "c"]


@pytest.mark.usefixtures("record")
async def test_of_requests_at_the_same_moment_none_is_lost(kube: Kube, namespace: str) -> None:
    names = [f"request {number}" for number in range(12)]
    numbers = await asyncio.gather(*(ask(kube, namespace, RUN, pause(name)) for name in names))
    assert sorted(numbers) == list(range(1, 13))
    found = await asked(kube, namespace)
    assert [found[number - 1] for number in numbers] == names


async def test_a_run_that_is_not_there_is_named(kube: Kube, namespace: str) -> None:
    with pytest.raises(NoSuchRunError, match=f"no run {RUN} in namespace {namespace}"):
        await ask(kube, namespace, RUN, pause())


@pytest.mark.usefixtures("record")
async def test_nothing_is_appended_behind_a_line_that_nobody_can_read(
    kube: Kube, namespace: str
) -> None:
    edited = {"data": {"control": "stop\n"}}
    await kube.patch_merge(CONFIG_MAPS, RUN, edited, namespace=namespace)
    with pytest.raises(
        UnreadableRequestError, match=f"line 1 under the key control of configmap {namespace}/{RUN}"
    ):
        await ask(kube, namespace, RUN, pause())


async def test_a_runner_sees_requests_and_that_nothing_else_changed(
    feed: WorldFeed, kube: Kube, namespace: str, until: Until
) -> None:
    assert (feed.snapshot().control, feed.snapshot().record) == ((), "")
    await ask(kube, namespace, RUN, pause("lunch"))

    async def seen() -> bool:
        return feed.snapshot().control == (pause("lunch"),)

    await until(seen)
    assert feed.snapshot().record == ""


async def test_a_runner_sees_that_its_record_was_edited(
    feed: WorldFeed, kube: Kube, namespace: str, until: Until
) -> None:
    edited = {"data": {"changeDigest": "sha256:other"}}
    await kube.patch_merge(CONFIG_MAPS, RUN, edited, namespace=namespace)

    async def seen() -> bool:
        return "was edited: changeDigest changed" in feed.snapshot().record

    await until(seen)


async def test_a_runner_sees_that_its_record_was_deleted(
    feed: WorldFeed, kube: Kube, namespace: str, until: Until
) -> None:
    await ask(kube, namespace, RUN, pause())
    await kube.delete(CONFIG_MAPS, RUN, namespace)

    async def seen() -> bool:
        return feed.snapshot().record.endswith("was deleted")

    await until(seen)
    assert feed.snapshot().control == (pause(),)
