"""The page about diagnosis: its transcript is what the program prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "diagnose.md").read_text(encoding="utf-8")


def test_transcript_is_what_the_program_prints() -> None:
    found = re.search(r"^```\n\$ (bridgehead .+?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    done = subprocess.run(
        [sys.executable, "-m", "bridgehead", *shlex.split(found[1])[1:]],
        cwd=ROOT / "docs" / "examples",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    printed = f"{done.stdout}\n{done.stderr}".splitlines()
    told = [line for line in found[2].splitlines() if line.strip() not in {"", "..."}]
    assert told
    assert [line for line in told if line not in printed] == []
