"""The same input gives the same output of ``bridgehead lint``, byte for byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.rules.lint.catalogue import LINT
from tests.rules.cases import cases_of, file_of

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What makes every rule fire, in one folder a case."""
    for rule in LINT:
        for number, case in enumerate(cases_of(rule).fires if file_of(rule).exists() else ()):
            path = tmp_path / f"{rule.name}-{number}" / "manifests.yaml"
            path.parent.mkdir()
            path.write_text(case.manifests, encoding="utf-8")
    return tmp_path


def _printed(folder: Path, seed: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bridgehead", "lint", ".", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "defect" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("output", ["text", "json", "sarif"])
def test_whatever_the_order_of_sets(folder: Path, output: str) -> None:
    state = str(EXAMPLES / "cluster.json")
    arguments = ("-o", output, "--from", state)
    assert _printed(folder, "1", *arguments) == _printed(folder, "2", *arguments)
