"""Faults made on real kubelets, told from the live cluster and from what was saved of it."""

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.faults.catalogue import FAULTS, ONE, Fault
from tests.faults.ward import Diagnosis, Ward

pytestmark = pytest.mark.cluster

PATIENCE = 150.0
"""Seconds until a diagnosis must be right: some faults show only as time goes by."""


@pytest.mark.parametrize(
    "fault",
    [pytest.param(item, marks=(pytest.mark.long,) if item.long else ()) for item in FAULTS],
    ids=lambda fault: fault.name,
)
def test_fault_is_told(
    fault: Fault, ward: Ward, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    baseline = tmp_path / "before.json"
    if fault.nvidia:
        ward.pose_as_nvidia()
    if fault.models:
        ward.differ()
    ward.install(fault.before)
    ward.until_offered()
    ward.inventory(baseline)
    alone = {"onlyIfLabel": "state=sick"} if fault.where == ONE else {}
    ward.change({**fault.knobs, **alone}, **fault.pod)
    fault.act(ward)

    options = ("--baseline", str(baseline), *(ward.show_kubelet_logs() if fault.looks else ()))
    found = told(ward, fault, *options)

    assert shortfall(ward, fault, found) == ""
    the_same_from_what_was_saved(ward, tmp_path, options)
    keep = request.config.getoption("--keep-captures")
    if keep:
        shutil.copytree(tmp_path / "saved", Path(keep) / fault.name.lower(), dirs_exist_ok=True)


def told(ward: Ward, fault: Fault, *options: str) -> Diagnosis:
    """The diagnosis as soon as it is right, or the last one."""
    end = time.monotonic() + PATIENCE
    while True:
        found = ward.diagnose(*options)
        if not shortfall(ward, fault, found) or time.monotonic() > end:
            return found
        time.sleep(2)


def shortfall(ward: Ward, fault: Fault, found: Diagnosis) -> str:
    """What is wrong with a diagnosis; empty where it is right."""
    if found["healthy"] is not False or not found["causes"]:
        return f"nothing found; not known: {found.get('notKnown')}"
    first = found["causes"][0]
    if first["rule"] != fault.first:
        said = [(item["rule"], item["message"]) for item in found["causes"]]
        return f"expected {fault.first}, told {said}"
    ill = {ward.sick.name} if fault.where == ONE else {ward.sick.name, ward.sound.name}
    nodes = set(first.get("nodes") or [first["node"]])
    if fault.nodes and nodes != ill:
        return f"expected {sorted(ill)}, told {sorted(nodes)}: {first['message']}"
    if not any(fault.evidence in item["text"] for item in first["evidence"]):
        return f"{fault.evidence!r} is not in {first['evidence']}"
    if fault.blame and (first["blame"], first["rollbackHelps"]) != (fault.blame, "yes"):
        return f"expected {fault.blame}, told {first['blame']}, rollback {first['rollbackHelps']}"
    if not first["actions"] or not first["refutedBy"]:
        return f"neither what to do nor what would refute it is to be missing: {first}"
    return ""


def the_same_from_what_was_saved(ward: Ward, folder: Path, options: tuple[str, ...]) -> None:
    """A second look that is saved, and the diagnosis of what was saved.

    Only the live one has a cluster that its commands are to go to.
    """
    saved = folder / "saved"
    live = ward.diagnose(*options, "--save", str(saved))
    again = ward.diagnose("--from", str(saved))
    aim = f" --kubeconfig {ward.cluster.kubeconfig}"
    assert json.dumps(again["causes"]) == json.dumps(live["causes"]).replace(aim, "")
