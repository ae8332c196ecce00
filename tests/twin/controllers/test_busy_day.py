"""One seed is one run, bit for bit, in whatever order Python keeps its sets."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def digest(seed: int, hashing: int) -> str:
    command = [sys.executable, "-m", "tests.twin.controllers.busy_day", str(seed)]
    environment = {**os.environ, "PYTHONHASHSEED": str(hashing)}
    played = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return played.stdout


def test_the_same_seed_gives_the_same_writes_and_another_seed_others() -> None:
    first = digest(3, hashing=0)
    assert digest(3, hashing=77) == first
    assert digest(4, hashing=0) != first
