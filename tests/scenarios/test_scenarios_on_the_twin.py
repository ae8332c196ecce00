"""The same scenario files on a twin, in simulated time."""

from pathlib import Path

import pytest

from tests.scenarios.on_the_twin import played_on_the_twin, suits_the_twin
from tests.scenarios.reading import FOLDER, scenario_files, scenario_name

ON_THE_TWIN = [file for file in scenario_files() if suits_the_twin(file)]


@pytest.mark.parametrize("file", ON_THE_TWIN, ids=scenario_name)
def test_scenario_on_the_twin(file: Path, tmp_path: Path) -> None:
    played = played_on_the_twin(file, tmp_path)
    assert not played.complaint, played.complaint


def test_a_scenario_repeats_bit_for_bit(tmp_path: Path) -> None:
    file = FOLDER / "plugin" / "bad-on-one-cohort.yaml"
    journals = []
    for name in ("one", "other"):
        (folder := tmp_path / name).mkdir()
        journals.append([played.entries for played in played_on_the_twin(file, folder).plays])
    assert journals[0] == journals[1]
