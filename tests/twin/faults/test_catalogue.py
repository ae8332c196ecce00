"""Everything that a twin can show of what device plugins do wrong is tried."""

from pathlib import Path

import yaml

from bridgehead.twin.faults.catalogue import Places, catalogue
from bridgehead.twin.faults.fault import ApiTrouble, NodeTrouble

KNOBS = yaml.safe_load(Path("testbed/knobs.yaml").read_text(encoding="utf-8"))["knobs"]
EVERYWHERE = Places(canary="n1", late="n9", cohort="small", kernel="6.1.1")


def test_every_fault_that_a_twin_can_show_is_tried() -> None:
    tried = {knob for fault in catalogue(EVERYWHERE) for knob in fault.knobs}
    wanted = {
        name for name, knob in KNOBS.items() if knob["group"] == "fault" and knob["twinnable"]
    }
    assert wanted - tried == set()


def test_everything_that_can_happen_to_nodes_is_tried() -> None:
    tried = {trouble for fault in catalogue(EVERYWHERE) for trouble in fault.nodes}
    assert tried == set(NodeTrouble)


def test_everything_that_can_happen_to_the_api_is_tried() -> None:
    for field in ApiTrouble.__struct_fields__:
        assert any(getattr(fault.api, field) for fault in catalogue(EVERYWHERE)), field


def test_places_that_a_plan_does_not_have_are_left_out() -> None:
    texts = [fault.text for fault in catalogue(Places(canary="n1"))]
    assert not any("{" in text or "cohort" in text or "kernel.mismatch" in text for text in texts)
    assert len(texts) == len(set(texts))
