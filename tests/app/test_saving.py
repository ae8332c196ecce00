"""What is saved is read back as it was: each recorded case gives the same answer, to the byte."""

from pathlib import Path

import pytest

from bridgehead.app.diagnose import diagnosed
from bridgehead.app.observed_recording import read_observed
from bridgehead.app.saving import save_observed
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.observed import Observed
from bridgehead.report.diagnosis_json import diagnosis_json
from bridgehead.report.inventory import pretty_json

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*/state"))


def said(observed: Observed) -> str:
    return pretty_json(diagnosis_json(diagnosed(observed, EVERYTHING)))


@pytest.mark.parametrize("state", CASES, ids=lambda path: path.parent.name)
def test_a_saved_case_gives_the_same_answer(state: Path, tmp_path: Path) -> None:
    observed = read_observed(state).observed
    save_observed(observed, tmp_path / "saved")
    again = read_observed(tmp_path / "saved")
    assert again.problems == ()
    assert said(again.observed) == said(observed)
