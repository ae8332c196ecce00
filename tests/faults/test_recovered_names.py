"""A name that a plugin has given up, and a node that needs nothing but time, on real kubelets."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.faults.test_recovered import recorded, recovered, until_it_takes
from tests.faults.ward import DEVICES, PLUGINS, Ward

pytestmark = pytest.mark.cluster

WHOLE, DEAD, GONE = (str(DEVICES), str(DEVICES)), ("0", "0"), (None, None)
CHECKPOINT = f"{PLUGINS}/kubelet_internal_checkpoint"


def renamed(ward: Ward) -> str:
    """The plugin's new name for its devices, which both nodes offer."""
    new = f"{ward.resource}-b"
    ward.install({})
    ward.until_offered()
    ward.change({"resource": new})
    ward.until(lambda: ward.offers(ward.sick, new) == WHOLE, "devices of the new name")
    return new


def make_the_old_name_dead(ward: Ward, new: str) -> None:
    """Until both nodes show 0/0 of it and the sick one's kubelet has forgotten it.

    That takes five minutes by itself; a kubelet that begins without its checkpoint knows no name.
    """
    for node in (ward.sick, ward.sound):
        node.restart_kubelet()
    both = (ward.sick, ward.sound)
    ward.until(lambda: all(ward.offers(node) == DEAD for node in both), "dead name")
    ward.sick.stop_kubelet()
    ward.sick.host_path(CHECKPOINT).unlink()
    ward.sick.start_kubelet()
    checkpoint = ward.sick.host_path(CHECKPOINT)
    ward.until(lambda: checkpoint.exists() and new in checkpoint.read_text(), "its registration")


def aged(inventory: Path, minutes: int) -> Path:
    """The inventory as it would have been saved so long ago, had nothing changed since."""
    saved = json.loads(inventory.read_text())
    at = datetime.fromisoformat(saved["at"]) - timedelta(minutes=minutes)
    inventory.write_text(json.dumps({**saved, "at": at.isoformat()}))
    return inventory


def unmet(shown: str) -> list[str]:
    """What stands in the way of the one rung on the one node."""
    (node,) = json.loads(shown)["nodes"]
    (rung,) = node["rungs"]
    return [item["what"] for item in rung["preconditions"] if item["verdict"] != "met"]


def test_the_old_name_of_a_renamed_resource_goes_once_nobody_asks_for_it(
    ward: Ward, tmp_path: Path
) -> None:
    old, new = ward.resource, renamed(ward)
    make_the_old_name_dead(ward, new)
    ward.until(lambda: ward.offers(ward.sick, new) == WHOLE, "devices of the new name")
    ward.inventory(tmp_path / "was.json")
    was = aged(tmp_path / "was.json", minutes=11)
    options = ("--node", ward.sick.name, "--resource", old, "--rung", "R5", "--baseline", str(was))
    ward.workload(ward.sick)
    ward.until(lambda: bool(ward.pods()), "a workload that asks for the old name")

    refused = ward.ask("recover", *options, "--yes", "-o", "json")

    assert refused.returncode == 1, (refused.stdout, refused.stderr)
    assert unmet(refused.stdout) == ["no pod asks for it"]
    assert ward.offers(ward.sick) == DEAD

    ward.end_workload()
    explained = until_it_takes(ward, "R5", *options)
    assert "dead-resource-name" in explained["rungs"][0]["preconditions"][0]["evidence"]
    done = recovered(ward, *options)

    assert (done["rung"], done["verified"]) == ("R5", True)
    assert (ward.offers(ward.sick), ward.offers(ward.sick, new)) == (GONE, WHOLE)
    assert [phase for phase, _, _ in recorded(ward)] == ["intent", "outcome", "note"]


def test_around_a_kubelets_start_nothing_is_done_but_to_look_again(
    ward: Ward, tmp_path: Path
) -> None:
    ward.install({"onKubeletRestart": "exit", "registers": "late", "registerDelay": "12s"})
    ward.until_offered()
    ward.inventory(tmp_path / "before.json")
    options = ("--node", ward.sick.name, "--baseline", str(tmp_path / "before.json"))
    ward.sick.restart_kubelet()
    ward.until(lambda: ward.offers(ward.sick) == DEAD, "node without its plugin")

    explained = until_it_takes(ward, "R0", *options)
    assert " began " in explained["rungs"][0]["preconditions"][0]["evidence"]

    done = recovered(ward, *options)

    assert (done["rung"], done["verified"]) == ("R0", True)
    shown = [(item["capacity"], item["allocatable"]) for item in done["readings"]]
    assert (shown[0], shown[-1]) == ((0, 0), (DEVICES, DEVICES))
    assert ward.ask("journal").returncode == 1, "what only waits writes nothing"


@pytest.mark.long
def test_without_an_older_look_the_old_name_is_watched_for_ten_minutes_first(ward: Ward) -> None:
    old, new = ward.resource, renamed(ward)
    make_the_old_name_dead(ward, new)
    options = ("--node", ward.sick.name, "--resource", old, "--rung", "R5")
    explained = ward.ask("recover", *options, "-o", "json")
    (time_alone,) = unmet(explained.stdout)
    assert time_alone.startswith("it has shown 0/0 for more than 10m")

    done = ward.ask("recover", *options, "--yes", "-o", "json", within=900)

    assert done.returncode == 0, (done.stdout, done.stderr)
    assert json.loads(done.stdout)["verified"] is True
    assert (ward.offers(ward.sick), ward.offers(ward.sick, new)) == (GONE, WHOLE)
