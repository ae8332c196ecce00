"""Each family is known by what stands in its case file; a family without one is none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.core.components.family import FAMILIES, family_named, family_of, faults_in
from bridgehead.core.components.generic import FAULTS
from bridgehead.core.components.signs import SIGNS

HERE = Path(__file__).parent / "families"
CASES: dict[str, dict[str, Any]] = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in HERE.glob("*.yaml")
}
LINES = [
    (name, key, line)
    for name, case in CASES.items()
    for entry in case["lines"]
    for key, line in entry.items()
]


def _template(image: str, **more: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "plugin", "image": image, **more}]}}


def test_every_family_has_a_case_file() -> None:
    assert sorted(CASES) == sorted(family.name for family in FAMILIES)


@pytest.mark.parametrize("name", CASES)
def test_a_family_is_known_by_its_image_in_any_registry(name: str) -> None:
    case = CASES[name]
    assert len(case["images"]) >= 1
    assert {family_of(_template(image)).name for image in case["images"]} == {name}
    for other in case["not_it"]:
        assert family_of(_template(**other)).name == "generic"


@pytest.mark.parametrize("name", CASES)
def test_a_family_offers_its_own_names(name: str) -> None:
    family = family_named(name)
    assert all(family.offers(resource) for resource in CASES[name]["offers"])
    assert not family.offers("example.com/device")


@pytest.mark.parametrize("name", CASES)
def test_labels_hint_at_a_familys_devices(name: str) -> None:
    family, case = family_named(name), CASES[name]
    for key, value in case["hints"].items():
        assert family.hints_in({key: value}) == (f"{key}={value}",)
    assert family.hints_in({"kubernetes.io/os": "linux", **case["no_hints"]}) == ()


@pytest.mark.parametrize(("name", "key", "line"), LINES)
def test_a_line_shows_its_sign_and_says_where_it_stands(name: str, key: str, line: str) -> None:
    found = faults_in(family_named(name), ["starting", line], first_line=100)
    assert [(item.key, item.number, item.line) for item in found] == [(key, 101, line)]


@pytest.mark.parametrize("name", CASES)
def test_a_family_has_two_lines_and_ordinary_ones_are_no_fault(name: str) -> None:
    assert len(CASES[name]["lines"]) >= 2
    assert faults_in(family_named(name), CASES[name]["healthy"]) == []


@pytest.mark.parametrize("name", CASES)
def test_a_fault_of_the_start_is_taken_back_by_success(name: str) -> None:
    refused = "dial unix /var/lib/kubelet/device-plugins/kubelet.sock: connect: connection refused"
    success = "Registered device plugin for 'x.com/y' with Kubelet"
    assert faults_in(family_named(name), [refused, success]) == []
    assert [item.number for item in faults_in(family_named(name), [success, refused])] == [2]


def test_every_pattern_has_a_key_of_the_vocabulary_and_every_key_a_pattern() -> None:
    patterns = [*FAULTS, *(item for family in FAMILIES for item in family.faults)]
    assert {item.key for item in patterns} == set(SIGNS)


def test_every_pattern_of_a_family_has_a_line() -> None:
    for family in FAMILIES:
        lines = [line for entry in CASES[family.name]["lines"] for line in entry.values()]
        shown = {item.pattern.regex for line in lines for item in faults_in(family, [line])}
        own = {item.regex for item in family.faults if item not in family_named("nvidia").faults}
        assert own <= shown, own - shown
