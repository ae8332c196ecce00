"""The same scenario files on a twin, in simulated time."""

from pathlib import Path

import pytest

from tests.scenarios.on_the_twin import played_on_the_twin, suits_the_twin
from tests.scenarios.reading import scenario_files, scenario_name

ON_THE_TWIN = [file for file in scenario_files() if suits_the_twin(file)]


@pytest.mark.parametrize("file", ON_THE_TWIN, ids=scenario_name)
def test_scenario_on_the_twin(file: Path, tmp_path: Path) -> None:
    played = played_on_the_twin(file, tmp_path)
    assert not played.complaint, played.complaint
