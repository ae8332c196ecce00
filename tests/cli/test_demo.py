"""``bridgehead demo``: plays to its end, the same each time, on eighty columns of plain text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.twin.demos.script import names


def demo(tmp_path: Path, *arguments: str, seed: str = "1") -> subprocess.CompletedProcess[str]:
    """The command in a process and an empty folder of its own, without any kubeconfig."""
    return subprocess.run(
        [sys.executable, "-m", "bridgehead", "demo", *arguments],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", names())
def test_every_demonstration_ends_as_its_file_says(tmp_path: Path, name: str) -> None:
    done = demo(tmp_path, name)
    assert done.returncode == 0, done.stderr
    assert "not restarted" in done.stdout or "not one of them was restarted" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_demonstration_is_the_same_each_time_bit_for_bit(tmp_path: Path) -> None:
    assert demo(tmp_path, seed="1").stdout == demo(tmp_path, seed="2").stdout


def test_without_a_terminal_it_is_plain_text_of_eighty_columns(tmp_path: Path) -> None:
    lines = demo(tmp_path).stdout.splitlines()
    assert [line for line in lines if len(line) > 80 or line != line.rstrip()] == []
    assert not any("\x1b" in line for line in lines)


def test_the_bad_version_is_ready_everywhere_caught_on_one_node_and_taken_back(
    tmp_path: Path,
) -> None:
    told = " ".join(demo(tmp_path).stdout.split())
    assert "get daemonset: 8 of 8 ready. The pod on gpu-5 is Ready; the node offers 0 of 4" in told
    assert "gpu-5: FAILED gate allocatable" in told
    assert "exit 3 gpu-5 failed allocatable" in told
    assert "All 5 jobs run on" in told


def test_the_list_names_each_with_what_it_shows(tmp_path: Path) -> None:
    lines = demo(tmp_path, "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == names()


def test_an_unknown_name_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    done = demo(tmp_path, "no-such")
    assert done.returncode == 2
    assert "there is no demonstration no-such; there are unlike-cards" in done.stderr
