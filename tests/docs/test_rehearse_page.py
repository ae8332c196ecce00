"""The page about rehearsals: its transcripts are what the program prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.spec import SpecAccepted, read_spec
from bridgehead.twin.faults.text import parse_fault

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PAGE = (ROOT / "docs" / "rehearse.md").read_text(encoding="utf-8")

_MASKS = (
    (re.compile(r"\b\d\d:\d\d:\d\d(\.\d+)?\b"), "TIME"),
    (re.compile(r"generation \d+"), "generation N"),
    (re.compile(r"pod (\S+)-[a-z0-9]{5}:"), r"pod \1-XXXXX:"),
    (re.compile(r"\b\d+\.\d\b"), "N.N"),
    (re.compile(r"\b\d+m\d+s\b"), "NmNs"),
)
"""Delays are drawn: what follows from the drawing may change with any part of the twin."""


def masked(line: str) -> str:
    for pattern, word in _MASKS:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def _transcripts() -> dict[str, list[str]]:
    """What the page says that each command prints."""
    blocks = re.findall(r"^```\n\$ (bridgehead .+?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return {command: text.splitlines() for command, text in blocks}


def _compare(command: str) -> None:
    words = shlex.split(command)[1:]
    done = subprocess.run(
        [sys.executable, "-m", "bridgehead", *words],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = {masked(line) for line in f"{done.stdout}\n{done.stderr}".splitlines()}
    told = [masked(line) for line in _transcripts()[command] if line.strip() not in {"", "..."}]
    assert told
    assert [line for line in told if line not in printed] == []


def _single() -> list[str]:
    return [command for command in _transcripts() if "--all-faults" not in command]


@pytest.mark.parametrize("command", _single())
def test_transcript_is_what_the_program_prints(command: str) -> None:
    _compare(command)


@pytest.mark.long
def test_table_of_all_faults_is_what_the_program_prints() -> None:
    (command,) = set(_transcripts()) - set(_single())
    _compare(command)


def test_faults_that_the_page_names_are_understood() -> None:
    named = [
        text
        for cell in re.findall(r"^\| (.+?) \|", PAGE, re.MULTILINE)
        for text in re.findall(r"`([^`]+)`", cell)
    ]
    assert len(named) > 15
    for text in named:
        parse_fault(text)


def test_spec_of_the_page_is_accepted() -> None:
    text = (EXAMPLES / "bridgehead.yaml").read_text(encoding="utf-8")
    assert isinstance(read_spec(text, "bridgehead.yaml"), SpecAccepted)
