"""Diagnosis of a cluster that answers: what it reads, what it saves, what a failed run says."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from bridgehead.app.diagnose import diagnosed, observe
from bridgehead.app.observed_recording import read_observed
from bridgehead.app.rehearse_stage import Stage, staged
from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.saving import NotEmptyError, save_observed
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.plan.settings import VerifySettings
from bridgehead.kube.errors import Unreachable
from bridgehead.kube.resources import PODS
from bridgehead.report.diagnosis_json import diagnosis_json
from bridgehead.report.inventory import pretty_json
from bridgehead.twin.faults.text import parse_fault
from bridgehead.twin.seeding.generic import IMAGE, NAMESPACE, PLUGIN, RESOURCE, generic_seed
from bridgehead.twin.virtual.loop import run_virtual
from tests.app.test_rehearse_state import AT, SPEC
from tests.cluster.use_cases import Nobody

T = TypeVar("T")
BAD = "registry.example/device-plugin:1.1.0"
COMPONENT = f"daemonset/{NAMESPACE}/{PLUGIN}"
QUICK = msgspec.structs.replace(
    SPEC, verify=VerifySettings(settle=20.0, status_period=10.0, timeout=120.0)
)


def on_a_twin(work: Callable[[Stage], Awaitable[T]]) -> T:
    """The result of some work on a twin of three nodes."""

    async def play() -> T:
        seed = generic_seed(3, at=AT, pods_per_node=2)
        async with staged(seed, QUICK, chance=1, watcher=Nobody()) as stage:
            return await work(stage)

    return run_virtual(play(), start=AT)


def break_image(stage: Stage, fault: str, image: str = IMAGE) -> None:
    """From now on containers of the image are bad."""
    stage.begin(parse_fault(fault), {image}, lambda _: ())


async def look(stage: Stage) -> Observed:
    session = stage.session
    return await observe(session.kube, EVERYTHING, now=session.clock())


def said(observed: Observed) -> str:
    return pretty_json(diagnosis_json(diagnosed(observed, EVERYTHING)))


def test_a_sound_cluster_is_healthy_and_nothing_is_written() -> None:
    async def work(stage: Stage) -> tuple[Observed, int]:
        before = stage.twin.store.version
        return await look(stage), stage.twin.store.version - before

    observed, writes = on_a_twin(work)
    found = diagnosed(observed, EVERYTHING)
    assert (found.healthy, found.causes, found.unread) == (True, (), ())
    assert writes == 0


def test_only_pods_that_are_about_devices_are_kept_whole() -> None:
    observed = on_a_twin(look)
    kept = {item["metadata"]["namespace"] for item in observed.of_kind("Pod")}  # type: ignore[index, call-overload]
    assert kept == {NAMESPACE, "jobs"}
    assert len(observed.snapshot.pods) == 3 + 1 + 6
    assert len(observed.of_kind("Pod")) == 4


async def restarted_badly(stage: Stage) -> Observed:
    """The plugin of one node comes back without its devices, as it did not begin."""
    break_image(stage, "initFailure=exit")
    pods = await stage.session.kube.list_raw(PODS, NAMESPACE)
    name = pods.items[0]["metadata"]["name"]
    await stage.session.kube.delete(PODS, name, NAMESPACE)
    await asyncio.sleep(400)
    return await look(stage)


def test_what_was_saved_is_read_back_with_the_same_diagnosis(tmp_path: Path) -> None:
    observed = on_a_twin(restarted_badly)
    found = diagnosed(observed, EVERYTHING)
    assert found.healthy is False
    assert found.nodes[0].timeline
    save_observed(observed, tmp_path / "state")
    again = read_observed(tmp_path / "state")
    assert again.problems == ()
    assert said(again.observed) == said(observed)
    save_observed(again.observed, tmp_path / "second")
    first, second = (
        {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "state", tmp_path / "second")
    )
    assert first == second


def test_the_same_cluster_gives_the_same_bytes() -> None:
    assert said(on_a_twin(restarted_badly)) == said(on_a_twin(restarted_badly))


def test_a_folder_that_holds_something_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine", encoding="utf-8")
    with pytest.raises(NotEmptyError, match="not empty"):
        save_observed(on_a_twin(look), tmp_path)


def test_logs_are_read_with_the_kubelets_times() -> None:
    observed = on_a_twin(look)
    assert observed.has(Need.LOGS)
    assert len(observed.logs) == 3
    assert all(len(log.times) == len(log.lines) for log in observed.logs.values())


def test_the_last_runs_record_tells_what_nodes_offered_before() -> None:
    async def work(stage: Stage) -> Observed:
        ended = await rollout(stage.session, QUICK, "", Options())
        assert isinstance(ended, Ended)
        return await look(stage)

    readings = on_a_twin(work).history
    assert {(item.node, item.resource, item.allocatable) for item in readings} == {
        (f"node-000{number}", RESOURCE, 8) for number in range(3)
    }


async def fail(stage: Stage, *, explains: bool = True) -> Ended:
    break_image(stage, "initFailure=exit", BAD)
    session = msgspec.structs.replace(stage.session, explains_failures=explains)
    ended = await rollout(session, QUICK, "", Options())
    assert isinstance(ended, Ended)
    return ended


def test_a_run_that_fails_says_why_though_all_is_taken_back() -> None:
    ended = on_a_twin(fail)
    assert ended.ending.exit == 3
    explained = ended.explained
    assert explained is not None
    assert explained.failed == ""
    assert explained.nodes == (ended.ending.failure.node,)  # type: ignore[union-attr]
    assert explained.causes
    assert set(explained.causes[0].nodes) <= set(explained.nodes)


def test_what_has_just_begun_when_a_node_fails_is_too_early_to_say() -> None:
    async def hasty(stage: Stage) -> Ended:
        break_image(stage, "initFailure=block", BAD)
        verify = VerifySettings(
            settle=4.0, status_period=1.0, timeout=20.0, status_period_unchecked=True
        )
        spec = msgspec.structs.replace(QUICK, verify=verify)
        session = msgspec.structs.replace(stage.session, explains_failures=True)
        ended = await rollout(session, spec, "", Options())
        assert isinstance(ended, Ended)
        return ended

    explained = on_a_twin(hasty).explained
    assert explained is not None
    assert explained.causes == ()
    assert [item.node for item in explained.too_early] == list(explained.nodes)
    assert "started" in explained.too_early[0].text


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
