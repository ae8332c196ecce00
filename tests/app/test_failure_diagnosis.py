"""What a run that fails says of the cause: read while the way back begins, told at its end."""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from bridgehead.app.gathering import gather
from bridgehead.app.rehearse_stage import Stage
from bridgehead.app.runner import Ended
from bridgehead.cluster.store import RunStore
from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.diagnosis import Ranked
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import children
from bridgehead.core.verify.result import GateId
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Unreachable
from tests.app.small_twin import fail, on_a_twin


def test_a_run_that_fails_says_why_though_all_is_taken_back() -> None:
    ended = on_a_twin(fail)
    assert ended.ending.exit == 3
    explained = ended.explained
    assert explained is not None
    assert explained.failed == ""
    assert explained.nodes == (ended.ending.failure.node,)  # type: ignore[union-attr]
    assert explained.causes
    assert set(explained.causes[0].nodes) <= set(explained.nodes)


async def fail_soon(stage: Stage, fault: str) -> Ended:
    """A log that tells ends a run within seconds of the plugin's start."""
    ended = await fail(stage, fault)
    assert ended.ending.failure is not None
    assert ended.ending.failure.gate is GateId.LOG
    return ended


def first_cause(ended: Ended) -> Ranked:
    assert ended.explained is not None
    assert ended.explained.failed == ""
    return ended.explained.causes[0]


def test_what_a_log_tells_within_seconds_of_the_start_is_named() -> None:
    cause = first_cause(on_a_twin(lambda stage: fail_soon(stage, "apiVersion=v1alpha")))
    assert cause.rule == "plugin-api-versions-differ"
    assert (cause.blame, cause.rollback_helps) == (Blame.VERSION, RollbackHelps.YES)


def test_what_has_just_begun_and_says_little_is_too_early_to_judge() -> None:
    explained = on_a_twin(lambda stage: fail_soon(stage, "crashAfter=30s")).explained
    assert explained is not None
    assert explained.causes == ()
    assert [item.node for item in explained.too_early] == list(explained.nodes)
    assert "started" in explained.too_early[0].text


@pytest.mark.parametrize("fault", ["initFailure=exit", "allocateError=boom", "devices=0"])
def test_a_slow_reading_tells_the_same_as_a_fast_one(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """By then the former version is back, and all devices with it."""

    async def work(stage: Stage) -> Ended:
        return await fail(stage, fault)

    async def late(kube: Kube, wanted: Collection[Need], **options: Any) -> Observed:
        await asyncio.sleep(600)
        return await gather(kube, wanted, **options)

    soon = first_cause(on_a_twin(work))
    monkeypatch.setattr("bridgehead.app.failure_diagnosis.gather", late)
    monkeypatch.setattr("bridgehead.app.failure_diagnosis.READING", 1000.0)
    monkeypatch.setattr("bridgehead.app.failure_diagnosis.WAITING", 1000.0)
    later = first_cause(on_a_twin(work))
    assert soon.rollback_helps is RollbackHelps.YES
    told = [(it.rule, it.nodes, it.blame, it.rollback_helps) for it in (soon, later)]
    assert told[0] == told[1]


def test_the_journal_keeps_the_causes_with_their_proof_before_the_ending() -> None:
    async def work(stage: Stage) -> tuple[Ended, Sequence[Entry]]:
        ended = await fail(stage)
        store = RunStore(stage.session.kube, stage.session.state_namespace)
        return ended, await store.entries(ended.run.name)

    ended, entries = on_a_twin(work)
    *_, told, ending = entries
    assert (ending.step, ending.result) == ("run", "ended")
    assert ending.digest == ended.head
    assert (told.step, told.result) == ("diagnosis", "named")
    cause = first_cause(ended)
    assert [item["rule"] for item in children(told.detail, "causes")] == [cause.rule]
    assert told.evidence[0] == cause.evidence[0]


def test_the_way_back_is_the_same_with_and_without_a_diagnosis() -> None:
    async def without(stage: Stage) -> Ended:
        return await fail(stage, explains=False)

    plain, explained = on_a_twin(without), on_a_twin(fail)
    assert plain.explained is None
    assert plain.ending.summary == explained.ending.summary
    times = [
        [node.touched for node in ended.run.state.nodes.values()] for ended in (plain, explained)
    ]
    assert times[0] == times[1]


@contextmanager
def _broken(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Iterator[None]:
    async def gather(*_: object, **__: object) -> Observed:
        raise error

    monkeypatch.setattr("bridgehead.app.failure_diagnosis.gather", gather)
    yield


@pytest.mark.parametrize(
    "error",
    [Unreachable("server", "timeout", "no answer", sent=True, retryable=True), KeyError("x")],
)
def test_that_a_diagnosis_fails_changes_no_ending(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    with _broken(monkeypatch, error):
        ended = on_a_twin(fail)
    assert ended.ending.exit == 3
    assert ended.explained is not None
    assert ended.explained.causes == ()
    assert ended.explained.failed


def test_a_diagnosis_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async def gather(*_: object, **__: object) -> Observed:
        await asyncio.sleep(100_000)
        raise AssertionError("never")

    monkeypatch.setattr("bridgehead.app.failure_diagnosis.gather", gather)
    monkeypatch.setattr("bridgehead.app.failure_diagnosis.READING", 100_000.0)
    ended = on_a_twin(fail)
    assert ended.explained is not None
    assert "more than 10 s" in ended.explained.failed
