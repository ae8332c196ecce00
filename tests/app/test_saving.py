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


@pytest.mark.parametrize(
    ("file", "bytes_left", "unread"), [("ConfigMap", 30, "configmaps"), ("Pod", 300, "pods")]
)
def test_of_a_saved_case_of_which_a_file_breaks_off_the_rest_is_judged(
    tmp_path: Path, file: str, bytes_left: int, unread: str
) -> None:
    state = next(item for item in CASES if item.parent.name == "captured-offers-none")
    save_observed(read_observed(state).observed, tmp_path / "saved")
    cut = tmp_path / "saved" / f"{file}.json"
    # Where the case has none of the kind, a file that breaks off at its beginning stands for it.
    cut.write_bytes(cut.read_bytes()[:bytes_left] if cut.exists() else b"{")
    again = read_observed(tmp_path / "saved")
    assert len(again.problems) == 1
    assert unread in {item.what for item in again.observed.unread}
    others = {"nodes", "pods", "daemonsets", "controllerrevisions"} - {unread}
    assert not others & {item.what for item in again.observed.unread}
    assert others <= {need.value for need in again.observed.met}
