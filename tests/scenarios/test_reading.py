"""Scenario files are read whole; what is wrong with one is told at once, with its place."""

from pathlib import Path

import pytest

from tests.scenarios.reading import (
    ScenarioError,
    parse_scenario,
    read_scenario,
    scenario_files,
    scenario_name,
)

GOOD = """\
kind: Scenario
says: It works.
runsOn: [kubelet]
images: {"fake:v1": {}, "fake:v2": {devices: 0}}
given:
  nodes: [{}, {}]
  plugin: {image: "fake:v1"}
spec: {}
expect: {exit: 0}
"""


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "s.yaml")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("file", scenario_files(), ids=scenario_name)
def test_every_scenario_file_can_be_read(file: Path) -> None:
    assert read_scenario(file).says.endswith(".")


def test_every_scenario_says_something_of_its_own() -> None:
    said = [read_scenario(file).says for file in scenario_files()]
    assert len(set(said)) == len(said)


def test_a_scenario_for_a_kind_of_cluster_without_runner_is_refused() -> None:
    (problem,) = problems(GOOD.replace("[kubelet]", "[kwok]"))
    assert problem == "s.yaml:3:9: runsOn: not yet: there is no runner for kwok"


@pytest.mark.parametrize("kinds", ["[twin]", "[kubelet, twin]", "[kwok, twin]"])
def test_a_scenario_for_a_twin_is_read(kinds: str) -> None:
    assert parse_scenario(GOOD.replace("[kubelet]", kinds), "s.yaml")


def test_all_problems_are_told_at_once_with_their_places() -> None:
    text = (
        GOOD.replace("devices: 0", "devises: 0")
        .replace('image: "fake:v1"', 'image: "fake:v9"')
        .replace("{exit: 0}", '{exit: 0, touched: [2], runs: {"fake:v8": [0]}}')
    )
    assert problems(text) == [
        "s.yaml:4:37: wrong knobs of the fake driver: devises: no such knob; did you mean devices?",
        "s.yaml:7:19: image fake:v9 is not among the images",
        "s.yaml:9:29: there is no node 2: the last is 1",
        "s.yaml:9:40: image fake:v8 is not among the images",
    ]


def test_unknown_and_missing_keys_are_told_with_their_places() -> None:
    found = problems(GOOD.replace("says", "sais").replace("exit", "exitt"))
    assert [problem.split(": ")[0] for problem in found] == [
        "s.yaml:1:1",
        "s.yaml:2:1",
        "s.yaml:9:1",
        "s.yaml:9:10",
    ]


@pytest.mark.parametrize(
    "action", ["{}", "{join: 0, cordon: 1}", "{dance: 1}", "{createFile: {node: 0, name: a/b}}"]
)
def test_an_action_has_one_key_that_is_known(action: str) -> None:
    during = f"during: [{{when: start, do: [{action}]}}]\n"
    assert problems(GOOD + during)


def test_a_process_cannot_be_disturbed_on_its_way() -> None:
    during = "process: true\nduring: [{when: {step: stage}, do: [{join: 0}]}]\n"
    (problem,) = problems(GOOD + during)
    assert "a process of its own cannot be watched" in problem
