"""A reader that goes away ends the printing, never the command: its exit code stays what it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.cli.progress import Progress
from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.rollout.decision import note

SPEC = "apiVersion: bridgehead.dev/v1alpha1\nkind: Rollout\n"


def without_reader(*words: str, which: str) -> int:
    """The exit code of a command whose stdout or stderr nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "bridgehead", *words],
            stdout=writing if which == "stdout" else subprocess.DEVNULL,
            stderr=writing if which == "stderr" else subprocess.DEVNULL,
            check=False,
        ).returncode
    finally:
        os.close(writing)


@pytest.mark.parametrize("which", ["stdout", "stderr"])
def test_exit_code_of_a_refused_spec_survives_a_closed_pipe(tmp_path: Path, which: str) -> None:
    path = tmp_path / "bridgehead.yaml"
    path.write_text(SPEC)
    assert without_reader("rollout", "-f", str(path), which=which) == 2


@pytest.mark.parametrize("which", ["stdout", "stderr"])
def test_exit_code_of_an_incomplete_inventory_survives_a_closed_pipe(
    tmp_path: Path, which: str
) -> None:
    (tmp_path / "recorded.yaml").write_text("at: 2026-01-01T00:00:00Z\n")
    with_reader = subprocess.run(
        [sys.executable, "-m", "bridgehead", "inventory", "--from", str(tmp_path)],
        capture_output=True,
        check=False,
    ).returncode
    assert with_reader != 0
    assert without_reader("inventory", "--from", str(tmp_path), which=which) == with_reader


def test_progress_without_a_reader_goes_quiet_and_does_not_end_the_run() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    entry = append(Head(0, "x"), note("preflight", "passed"), Signature("run", "team", "user"), 0.0)
    with os.fdopen(writing, "w") as stream, Progress(stream) as progress:
        for _ in range(3):
            progress.tell(entry)
