"""Runs and their journals on a real API server: what is stored, and who may append."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from bridgehead.cluster.errors import (
    BrokenJournalError,
    LostJournalError,
    NoSuchRunError,
    RemovedJournalError,
    RunExistsError,
    UnreadableRunError,
)
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Head, Signature, check
from bridgehead.core.journal.entry import Draft, Phase
from bridgehead.core.journal.segment import ENTRY_LIMIT
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.errors import Forbidden
from bridgehead.kube.resources import CONFIG_MAPS, NAMESPACES
from testbed.cluster import Cluster
from tests.cluster.components import OnCluster

pytestmark = pytest.mark.cluster

RUN = "change-1"
SIGNATURE = Signature(run=RUN, owner="team", identity="admin")
NOW = 1_800_000_000.0


def draft(number: int = 0) -> Draft:
    return Draft(step="gates", phase=Phase.NOTE, result="good", detail={"number": number})


@pytest.fixture
def record(component: OnCluster) -> Record:
    return Record(run=RUN, owner="team", spec="kind: Rollout\n", plan=component.plan)


@pytest.fixture
async def store(kube: Kube, record: Record, namespace: str) -> RunStore:
    store = RunStore(kube, namespace)
    await store.create(record)
    return store


@pytest.fixture
async def absent_namespace(kube: Kube, namespace: str) -> AsyncIterator[str]:
    name = f"{namespace}-state"
    yield name
    await kube.delete(NAMESPACES, name, None)


async def test_a_record_comes_back_as_it_was(store: RunStore, record: Record) -> None:
    assert await store.load(RUN) == record


async def test_the_state_namespace_is_made_when_it_is_missing(
    kube: Kube, record: Record, absent_namespace: str
) -> None:
    store = RunStore(kube, absent_namespace)
    assert await store.list_runs() == ()
    await store.create(record)
    assert (await store.load(RUN)).run == RUN


async def test_a_name_serves_one_run_only(store: RunStore, record: Record) -> None:
    with pytest.raises(RunExistsError, match=RUN):
        await store.create(record)


async def test_a_missing_run_is_named(kube: Kube, namespace: str) -> None:
    with pytest.raises(NoSuchRunError, match=f"no run gone in namespace {namespace}"):
        await RunStore(kube, namespace).load("gone")


async def test_runs_are_listed_by_component(store: RunStore, record: Record) -> None:
    ref = record.plan.spec.component
    other = ComponentRef(ComponentKind.DAEMON_SET, ref.namespace, "other")
    found = await store.list_runs(ref)
    assert [(item.run, item.component, item.owner) for item in found] == [(RUN, str(ref), "team")]
    assert await store.list_runs(other) == ()
    assert await store.list_runs() == found


async def test_a_record_of_an_unknown_schema_is_refused_but_listed(
    kube: Kube, store: RunStore, namespace: str
) -> None:
    newer = {"data": {"schema": "bridgehead.dev/run/v9"}}
    await kube.patch_merge(CONFIG_MAPS, RUN, newer, namespace=namespace)
    with pytest.raises(UnreadableRunError, match="run/v9"):
        await store.load(RUN)
    with pytest.raises(UnreadableRunError, match="run/v9"):
        await store.append(RUN, [draft()], SIGNATURE, NOW)
    assert [item.schema for item in await store.list_runs()] == ["bridgehead.dev/run/v9"]


async def test_records_due_together_share_one_write(
    kube: Kube, store: RunStore, namespace: str
) -> None:
    await store.append(RUN, [draft(0)], SIGNATURE, NOW)
    before = await kube.get_raw(CONFIG_MAPS, f"{RUN}-0001", namespace)
    written = await store.append(RUN, [draft(1), draft(2), draft(3)], SIGNATURE, NOW)
    assert [entry.seq for entry in written] == [2, 3, 4]
    after = await kube.get_raw(CONFIG_MAPS, f"{RUN}-0001", namespace)
    assert sorted(after["data"]) == ["000001", "000002", "000003", "000004"]
    assert before["metadata"]["uid"] == after["metadata"]["uid"]


async def test_another_runner_goes_on_where_the_first_one_stopped(
    kube: Kube, store: RunStore, record: Record, namespace: str
) -> None:
    first = await store.append(RUN, [draft(1)], SIGNATURE, NOW)
    second = RunStore(kube, namespace)
    then = await second.append(RUN, [draft(2)], SIGNATURE, NOW + 1)
    entries = await second.entries(RUN)
    assert entries == (*first, *then)
    assert check(entries, Head(0, record.plan.change_digest)) is None


async def test_a_runner_that_was_replaced_cannot_append(
    kube: Kube, store: RunStore, namespace: str
) -> None:
    await store.append(RUN, [draft(1)], SIGNATURE, NOW)
    await RunStore(kube, namespace).append(RUN, [draft(2)], SIGNATURE, NOW)
    with pytest.raises(LostJournalError, match="another runner"):
        await store.append(RUN, [draft(3)], SIGNATURE, NOW)
    assert len(await store.entries(RUN)) == 2


async def test_two_runners_cannot_both_begin(kube: Kube, store: RunStore, namespace: str) -> None:
    other = RunStore(kube, namespace)
    await store.entries(RUN)
    await other.entries(RUN)
    await other.append(RUN, [draft(1)], SIGNATURE, NOW)
    with pytest.raises(LostJournalError):
        await store.append(RUN, [draft(2)], SIGNATURE, NOW)


async def test_a_full_segment_is_closed_and_the_next_one_begins(
    kube: Kube, store: RunStore, namespace: str
) -> None:
    for start in range(0, ENTRY_LIMIT + 10, 38):
        await store.append(RUN, [draft(start + n) for n in range(38)], SIGNATURE, NOW)
    closed = await kube.get(CONFIG_MAPS, f"{RUN}-0001", namespace)
    following = await kube.get(CONFIG_MAPS, f"{RUN}-0002", namespace)
    assert closed.immutable
    assert len(closed.data) == ENTRY_LIMIT
    assert not following.immutable
    assert min(following.data) == f"{ENTRY_LIMIT + 1:06d}"
    again = RunStore(kube, namespace)
    entries = await again.entries(RUN)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    await again.append(RUN, [draft()], SIGNATURE, NOW)
    with pytest.raises(LostJournalError):
        await store.append(RUN, [draft()], SIGNATURE, NOW)


async def test_nothing_is_appended_to_a_journal_that_was_changed(
    kube: Kube, store: RunStore, namespace: str
) -> None:
    entries = await store.append(RUN, [draft(1), draft(2)], SIGNATURE, NOW)
    changed = msgspec.json.encode(msgspec.structs.replace(entries[0], result="bad")).decode()
    patch = {"data": {"000001": changed}}
    await kube.patch_merge(CONFIG_MAPS, f"{RUN}-0001", patch, namespace=namespace)
    with pytest.raises(BrokenJournalError, match="record 1"):
        await RunStore(kube, namespace).append(RUN, [draft(3)], SIGNATURE, NOW)


async def test_a_removed_journal_stops_the_runner(
    kube: Kube, store: RunStore, namespace: str
) -> None:
    await store.append(RUN, [draft(1)], SIGNATURE, NOW)
    await kube.delete(CONFIG_MAPS, f"{RUN}-0001", namespace)
    with pytest.raises(RemovedJournalError, match=RUN):
        await store.append(RUN, [draft(2)], SIGNATURE, NOW)


async def test_a_missing_permission_is_the_api_servers_error(
    cluster: Cluster, record: Record, namespace: str
) -> None:
    config = load_config(cluster.user_kubeconfig("nobody"))
    async with await Kube.connect(config) as nobody:
        store = RunStore(nobody, namespace)
        with pytest.raises(Forbidden):
            await store.create(record)
        with pytest.raises(Forbidden):
            await store.load(RUN)
