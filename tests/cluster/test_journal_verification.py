"""A journal on a real API server: shown, verified, and tampered with."""

import asyncio
import json

import pytest

from bridgehead.cli import main
from bridgehead.cli.exits import Exit
from bridgehead.cluster.errors import BrokenJournalError
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft, Entry, Phase
from bridgehead.core.journal.segment import ENTRY_LIMIT
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Invalid
from bridgehead.kube.resources import CONFIG_MAPS
from testbed.cluster import Cluster
from tests.cluster.components import OnCluster

pytestmark = pytest.mark.cluster

RUN = "change-1"
SIGNATURE = Signature(run=RUN, owner="team", identity="admin")
NOW = 1_800_000_000.0
TOTAL = ENTRY_LIMIT + 20


def drafts(count: int) -> list[Draft]:
    return [
        Draft(step="stage", phase=Phase.NOTE, result="passed", detail={"stage": "canary"})
    ] * count


@pytest.fixture
async def written(kube: Kube, component: OnCluster, namespace: str) -> tuple[Entry, ...]:
    """A run with a journal of two segments."""
    store = RunStore(kube, namespace)
    await store.create(Record(run=RUN, owner="team", spec="", plan=component.plan))
    return await store.append(RUN, drafts(TOTAL), SIGNATURE, NOW)


class CommandLine:
    """``bridgehead journal``, in a thread of its own since it runs its own event loop."""

    def __init__(
        self, cluster: Cluster, namespace: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._where = ("--kubeconfig", str(cluster.kubeconfig), "--state-namespace", namespace)
        self._capsys = capsys

    async def __call__(self, *arguments: str) -> tuple[int, str]:
        code = await asyncio.to_thread(main.run, ("journal", *arguments, *self._where))
        return code, self._capsys.readouterr().out


@pytest.fixture
def journal(cluster: Cluster, namespace: str, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(cluster, namespace, capsys)


async def test_a_journal_verifies_and_later_records_are_told(
    kube: Kube, journal: CommandLine, written: tuple[Entry, ...], namespace: str
) -> None:
    head = written[-1].digest
    assert await journal("verify", RUN) == (
        Exit.DONE,
        f"journal of run {RUN}: consistent, not anchored: {TOTAL} records, head {head}\n",
    )
    code, told = await journal("verify", RUN, "--head", head)
    assert (code, "verified" in told) == (Exit.DONE, True)
    await RunStore(kube, namespace).append(RUN, drafts(3), SIGNATURE, NOW)
    code, told = await journal("verify", RUN, "--head", head)
    assert (code, "3 records were appended" in told) == (Exit.FINDINGS, True)


async def test_a_record_that_was_edited_is_named(
    kube: Kube, journal: CommandLine, written: tuple[Entry, ...], namespace: str
) -> None:
    key = f"{TOTAL - 3:06d}"
    segment = await kube.get(CONFIG_MAPS, f"{RUN}-0002", namespace)
    edited = segment.data[key].replace('"passed"', '"failed"')
    await kube.patch_merge(CONFIG_MAPS, f"{RUN}-0002", {"data": {key: edited}}, namespace=namespace)
    code, told = await journal("verify", RUN, "-o", "json")
    found = json.loads(told)
    assert (code, found["verdict"], found["records"]) == (Exit.FINDINGS, "broken", TOTAL - 4)
    assert found["flaw"]["record"] == TOTAL - 3
    assert found["flaw"]["object"] == f"{RUN}-0002"


async def test_a_closed_segment_can_only_be_deleted_and_that_is_told(
    kube: Kube, journal: CommandLine, written: tuple[Entry, ...], namespace: str
) -> None:
    with pytest.raises(Invalid):
        await kube.patch_merge(
            CONFIG_MAPS, f"{RUN}-0001", {"data": {"000001": "{}"}}, namespace=namespace
        )
    await kube.delete(CONFIG_MAPS, f"{RUN}-0001", namespace)
    code, told = await journal("verify", RUN)
    assert (code, f"expected  {RUN}-0001" in told) == (Exit.FINDINGS, True)


async def test_a_tail_that_was_cut_off_shows_beside_its_head(
    kube: Kube, journal: CommandLine, written: tuple[Entry, ...], namespace: str
) -> None:
    await kube.delete(CONFIG_MAPS, f"{RUN}-0002", namespace)
    code, _ = await journal("verify", RUN)
    assert code == Exit.DONE
    code, told = await journal("verify", RUN, "--head", written[-1].digest)
    assert (code, "does not hold that head" in told) == (Exit.FINDINGS, True)


async def test_the_record_of_the_run_must_name_the_change_of_its_plan(
    kube: Kube, journal: CommandLine, written: tuple[Entry, ...], namespace: str
) -> None:
    other = {"data": {"changeDigest": "sha256:other"}}
    await kube.patch_merge(CONFIG_MAPS, RUN, other, namespace=namespace)
    code, told = await journal("verify", RUN)
    assert (code, "another change than its plan" in told) == (Exit.FINDINGS, True)


async def test_showing_prints_every_record_of_every_segment(
    journal: CommandLine, written: tuple[Entry, ...]
) -> None:
    code, told = await journal(RUN)
    lines = told.splitlines()
    assert (code, len(lines)) == (Exit.DONE, TOTAL + 1)
    assert lines[-1].endswith(written[-1].digest)
    code, told = await journal("show", RUN, "-o", "json")
    assert len(json.loads(told)["entries"]) == TOTAL


async def test_pages_are_checked_as_they_come(
    kube: Kube, written: tuple[Entry, ...], namespace: str
) -> None:
    store = RunStore(kube, namespace)
    pages = [page async for page in store.pages(RUN)]
    assert [len(page) for page in pages] == [ENTRY_LIMIT, TOTAL - ENTRY_LIMIT]
    assert await store.last_page(RUN) == pages[-1]
    await kube.delete(CONFIG_MAPS, f"{RUN}-0001", namespace)
    with pytest.raises(BrokenJournalError, match=f"{RUN}-0001"):
        await anext(store.pages(RUN))


async def test_a_journal_whose_record_was_deleted_is_shown_and_checked(
    kube: Kube, journal: CommandLine, written: tuple[Entry, ...], namespace: str
) -> None:
    await kube.delete(CONFIG_MAPS, RUN, namespace)
    code, told = await journal("verify", RUN)
    assert (code, f"head {written[-1].digest}" in told) == (Exit.DONE, True)
    code, told = await journal(RUN)
    assert (code, told.count("canary passed")) == (Exit.DONE, TOTAL)
