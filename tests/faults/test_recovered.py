"""Causes that the rules find on real kubelets, and what the command line does about them."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridgehead.core.model.node import HELD_BY
from tests.faults.catalogue import FAULTS, ONE, Fault
from tests.faults.test_faults import shortfall, told
from tests.faults.ward import DEVICES, FILES, Ward

pytestmark = pytest.mark.cluster

ILL = f"{FILES}/ill"
"""The sick node's faults hold for processes that begin while this file is there."""
SHORT, WHOLE = (str(DEVICES), "0"), (str(DEVICES), str(DEVICES))
STREAM_ENDED = next(fault for fault in FAULTS if fault.name == "F2")
MISMATCH = Fault(
    "driver and library differ",
    "the driver was upgraded under its modules",
    {
        "registers": "never",
        "logLines": ["Failed to initialize NVML: driver/library version mismatch"],
    },
    "driver-library-mismatch",
    "driver/library version mismatch",
    where=ONE,
    nvidia=True,
)


def fall_ill(ward: Ward, fault: Fault, baseline: Path) -> tuple[str, ...]:
    """Two sound nodes, of which one falls ill; returns once the rules say of what."""
    if fault.nvidia:
        ward.pose_as_nvidia()
    ward.install({})
    ward.until_offered()
    ward.inventory(baseline)
    ward.sick.create_file(ILL)
    ward.change({**fault.knobs, "onlyIfFile": ILL})
    options = ("--baseline", str(baseline))
    assert shortfall(ward, fault, told(ward, fault, *options)) == ""
    return ("--node", ward.sick.name, *options)


def until_it_takes(ward: Ward, rung: str, *options: str) -> dict[str, Any]:
    """What is explained as soon as it is no longer too early to do anything; nothing is done."""
    found: list[dict[str, Any]] = []

    def taken() -> bool:
        done = ward.ask("recover", *options, "-o", "json")
        assert done.stdout, done.stderr
        found[:] = json.loads(done.stdout)["nodes"]
        return [item["take"] for item in found] == [rung]

    ward.until(taken, f"explanation that takes {rung}", 150)
    return found[0]


def recovered(ward: Ward, *options: str) -> dict[str, Any]:
    """What ``--yes`` has done, with exit 0."""
    done = ward.ask("recover", *options, "--yes", "--owner", "the tests", "-o", "json")
    assert done.returncode == 0, (done.stdout, done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def recorded(ward: Ward) -> list[tuple[str, str, str]]:
    """Phase, node and result of all records of recoveries; their chain is checked on the way."""
    shown = ward.ask("journal", "-o", "json")
    assert shown.returncode == 0, shown.stderr
    entries = json.loads(shown.stdout)["entries"]
    return [(item["phase"], item["node"], item.get("result", "")) for item in entries]


def uids(ward: Ward) -> list[str]:
    """Of the plugin's pods on the sick and on the sound node."""
    return [ward.pod(node)["metadata"]["uid"] for node in (ward.sick, ward.sound)]


def test_a_stream_that_ended_is_mended_by_restarting_that_pod_alone(
    ward: Ward, tmp_path: Path
) -> None:
    options = fall_ill(ward, STREAM_ENDED, tmp_path / "before.json")
    ward.sick.remove_file(ILL)  # what made it ill is over; the process does not know
    explained = until_it_takes(ward, "R1", *options)
    assert explained["causes"] == ["stream-ended"]
    before = uids(ward)
    assert (ward.offers(ward.sick), ward.offers(ward.sound)) == (SHORT, WHOLE)

    found = recovered(ward, *options)

    assert (found["rung"], found["verified"]) == ("R1", True)
    assert (ward.offers(ward.sick), ward.offers(ward.sound)) == (WHOLE, WHOLE)
    assert [old == new for old, new in zip(before, uids(ward), strict=True)] == [False, True]
    name = ward.sick.name
    assert recorded(ward) == [
        ("intent", name, ""),
        ("outcome", name, "done"),
        ("note", name, "verified"),
    ]


def test_a_node_whose_driver_differs_from_its_library_is_kept_free_of_new_pods(
    ward: Ward, tmp_path: Path
) -> None:
    options = fall_ill(ward, MISMATCH, tmp_path / "before.json")
    explained = until_it_takes(ward, "R4", *options)
    assert explained["causes"] == ["driver-library-mismatch"]
    before = uids(ward)

    found = recovered(ward, *options)

    assert (found["rung"], found["verified"]) == ("R4", True)
    sick, sound = (ward.shown(node) for node in (ward.sick, ward.sound))
    assert sick["spec"]["unschedulable"] is True
    assert HELD_BY in sick["metadata"]["annotations"]
    assert "unschedulable" not in sound["spec"]
    assert uids(ward) == before
    assert [phase for phase, _, _ in recorded(ward)] == ["intent", "outcome", "note"]

    given_back = ward.ask("release")
    assert given_back.returncode == 0, given_back.stderr
    assert "unschedulable" not in ward.shown(ward.sick)["spec"]


def test_pods_that_came_before_their_plugin_are_removed_but_the_newest(
    ward: Ward, tmp_path: Path
) -> None:
    ward.install({"onKubeletRestart": "exit"})
    ward.until_offered()
    ward.inventory(tmp_path / "before.json")
    ward.sick.stop_kubelet()
    ward.workload(ward.sick, replicas=2)
    ward.until(lambda: len(bound_pods(ward)) == 2, "pods that are bound meanwhile")
    ward.sick.start_kubelet()
    ward.until(lambda: len(of_phase(ward, "Failed")) >= 2, "refusals")
    ward.until(lambda: len(of_phase(ward, "Running")) == 2, "pods in their place")
    refused, running = of_phase(ward, "Failed"), of_phase(ward, "Running")
    options = ("--node", ward.sick.name, "--baseline", str(tmp_path / "before.json"))
    explained = until_it_takes(ward, "R3", *options)
    assert explained["causes"] == ["plugin-later-than-pods"]

    found = recovered(ward, *options)

    assert (found["rung"], found["verified"]) == ("R3", True)
    assert (of_phase(ward, "Failed"), of_phase(ward, "Running")) == (refused[-1:], running)
    assert [phase for phase, _, _ in recorded(ward)] == ["intent", "outcome", "note"]


def bound_pods(ward: Ward) -> list[str]:
    """Pods of the workload that have their node."""
    return [pod["metadata"]["name"] for pod in ward.pods() if pod["spec"].get("nodeName")]


def of_phase(ward: Ward, phase: str) -> list[str]:
    """Pods of the workload in that phase, oldest first."""
    return [pod["metadata"]["name"] for pod in ward.pods() if pod["status"]["phase"] == phase]
