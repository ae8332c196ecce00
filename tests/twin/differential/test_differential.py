"""kubectl gets the same answers from the twin as from a real API server.

The real one's answers are recorded: one test plays the scripts on the test bed and compares with
the records (`long`: they are what changes least), another plays them on the twin. Both need the
kubectl that the test bed builds.
"""

from pathlib import Path

import pytest

from testbed.cluster import Cluster
from testbed.parts import parts
from tests.twin.differential.differences import (
    count_of_interactions,
    differing_lines,
    unexpected,
    unknown_scripts,
)
from tests.twin.differential.page import page
from tests.twin.differential.playing import played
from tests.twin.differential.record import on_real_cluster, recorded
from tests.twin.differential.script import load, script_names
from tests.twin.differential.simulated import twin_ground

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "twin-differences.md"


@pytest.mark.cluster
@pytest.mark.long
@pytest.mark.parametrize("name", script_names())
async def test_the_real_server_answers_as_recorded(
    name: str, cluster: Cluster, tmp_path: Path
) -> None:
    outcomes = await on_real_cluster(load(name), cluster, tmp_path)
    told = [
        (real.run, lines)
        for was, real in zip(recorded(name), outcomes, strict=True)
        if (lines := differing_lines(was, real))
    ]
    assert told == [], "record anew: python -m tests.twin.differential.record"


@pytest.mark.cluster
@pytest.mark.parametrize("name", script_names())
async def test_the_twin_answers_as_the_real_server_does(name: str, tmp_path: Path) -> None:
    parts()["kubernetes"].build()  # kubectl; nothing else of a cluster is needed
    script = load(name)
    async with twin_ground(script, tmp_path) as ground:
        outcomes = await played(script, ground)
    assert "\n".join(unexpected(name, recorded(name), outcomes)) == ""


def test_every_interaction_is_recorded() -> None:
    for name in script_names():
        assert [item.run for item in recorded(name)] == [
            step.run for step in load(name).interactions
        ]


def test_there_are_enough_interactions() -> None:
    assert count_of_interactions() >= 150


def test_known_differences_belong_to_scripts_that_exist() -> None:
    assert unknown_scripts() == []


def test_the_page_of_differences_is_current() -> None:
    assert PAGE.read_text() == page(), "run: uv run nox -s generate"
