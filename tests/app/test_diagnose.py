"""Diagnosis of a cluster that answers: what it reads, what it saves."""

import asyncio
from pathlib import Path

import pytest

from bridgehead.app.diagnose import diagnosed, observe
from bridgehead.app.observed_recording import read_observed
from bridgehead.app.rehearse_stage import Stage
from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.saving import NotEmptyError, save_observed
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.kube.resources import PODS
from bridgehead.report.diagnosis_json import diagnosis_json
from bridgehead.report.inventory import pretty_json
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN, RESOURCE
from tests.app.small_twin import QUICK, break_image, on_a_twin

COMPONENT = f"daemonset/{NAMESPACE}/{PLUGIN}"


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
