"""Scenario files: read whole, and all that is wrong with one is told at once, with its place."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from bridgehead.core.model.problem import Problem, problems_text
from bridgehead.spec.compose import compose
from bridgehead.spec.document import Document
from bridgehead.spec.document import Path as Place
from testbed.errors import TestbedError
from testbed.knobs import environment
from tests.scenarios.scenario import Expect, Scenario

FOLDER = Path(__file__).parent
NOT_YET = frozenset({"kwok"})
"""Kinds of clusters for which there is no runner yet."""


class ScenarioError(Exception):
    """A scenario file cannot be played; the text holds every problem with its place."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems, key=lambda item: (item.line, item.column))
        super().__init__(problems_text(self.problems))


def scenario_files() -> list[Path]:
    """All scenario files, by name."""
    return sorted(FOLDER.glob("*/*.yaml"))


def outage_files() -> list[Path]:
    """Those that take the control plane away, which no other test can share meanwhile."""
    return [path for path in scenario_files() if path.parent.name == "outage"]


def scenario_name(path: Path) -> str:
    """How tests call the scenario in a file."""
    return f"{path.parent.name}/{path.stem}"


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file. Raises ScenarioError."""
    return parse_scenario(path.read_text(encoding="utf-8"), path.name)


def parse_scenario(text: str, source: str) -> Scenario:
    """The scenario in a text. Raises ScenarioError."""
    document = compose(text, source)
    problems = list(document.problems)
    try:
        scenario = Scenario.model_validate(document.value)
    except ValidationError as error:
        problems += (_mistake(document, item["loc"], item["msg"]) for item in error.errors())
        raise ScenarioError(problems) from None
    problems += _not_yet(document, scenario)
    problems += _unknown_knobs(document, scenario)
    problems += _outside(document, scenario)
    if problems:
        raise ScenarioError(problems)
    return scenario


def _mistake(document: Document, place: tuple[int | str, ...], message: str) -> Problem:
    """A finding of pydantic's; the names of a union's members are no part of the path."""
    path: Place = ()
    for part in place:
        if document.has(*path, part) or part == place[-1]:
            path = (*path, part)
    return document.at_key(path, f"{'.'.join(map(str, path))}: {message}")


def _not_yet(document: Document, scenario: Scenario) -> Iterator[Problem]:
    if set(scenario.runs_on) <= NOT_YET:
        named = ", ".join(scenario.runs_on)
        yield document.at_value(("runsOn",), f"runsOn: not yet: there is no runner for {named}")
    if scenario.process and any(item.when != "start" for item in scenario.during):
        message = "during: a process of its own cannot be watched; only `start` goes with it"
        yield document.at_key(("during",), message)


def _unknown_knobs(document: Document, scenario: Scenario) -> Iterator[Problem]:
    for name, knobs in scenario.images.items():
        for knob, value in knobs.items():
            try:
                environment({knob: value})
            except TestbedError as error:
                yield document.at_key(("images", name, knob), str(error))


def _outside(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """Nodes and images that are named and are not there."""
    nodes = len(scenario.given.nodes)
    for path, value in _leaves(document.value, ()):
        if _is_node(path):
            if isinstance(value, int) and value >= nodes:
                yield document.at_value(path, f"there is no node {value}: the last is {nodes - 1}")
        elif path[-1] == "image" and value not in scenario.images:
            yield document.at_value(path, f"image {value} is not among the images")
    expectations: list[tuple[Place, Expect]] = [(("expect",), scenario.expect)]
    expectations += (
        (("then", number, "expect"), item.expect) for number, item in enumerate(scenario.then)
    )
    for place, expect in expectations:
        for name in expect.runs:
            if name not in scenario.images:
                yield document.at_key(
                    (*place, "runs", name), f"image {name} is not among the images"
                )


def _is_node(path: Place) -> bool:
    """Whether a number at that place is a node's."""
    listed = path[0] in {"expect", "then"} and not {"touched", "runs", "gone"}.isdisjoint(path)
    return listed or path[-1] in _NODES


_FREE = frozenset({"objects", "create", "patch"})
"""Keys below which anything may stand."""

_NODES = frozenset(
    {
        *(
            "node",
            "deletePluginPod",
            "join",
            "cordon",
            "uncordon",
            "keepCordoned",
            "restartKubelet",
        ),
        *(
            "endWorkloads",
            "awaitDevices",
            "awaitNoPlugin",
            "stopKubelet",
            "startKubelet",
            "restartContainerd",
        ),
    }
)
"""Keys whose value is a node's number."""


def _leaves(value: object, path: Place) -> Iterator[tuple[Place, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*path, index))
    elif path and path[0] != "spec" and not _FREE & set(path):
        yield path, value
