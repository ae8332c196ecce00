"""README and guide: commands and files exist, transcripts are what the walkthrough prints."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgehead.cli.main import COMMANDS, bridgehead
from bridgehead.spec import SpecAccepted, read_spec

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")

_MASKS = (
    (re.compile(r"^ *\d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"generation \d+"), "generation N"),
    (re.compile(r"pod (\S+)-[a-z0-9]{5}:"), r"pod \1-XXXXX:"),
    (re.compile(r"sha256:[0-9a-f]+"), "sha256:DIGEST"),
    (re.compile(r"[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+( |$)"), "LOG "),
)


OF_THE_TWIN = ("$ bridgehead demo", "$ bridgehead rehearse", "$ bridgehead twin")
"""How transcripts begin that need no cluster."""


def masked(line: str) -> str:
    """A line without what differs from run to run."""
    for pattern, word in _MASKS:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def blocks(text: str, language: str = "") -> Iterator[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    yield from (body for of, body in fenced if of == language)


def test_every_command_of_the_table_exists_and_none_is_missing() -> None:
    named = set(re.findall(r"^\| `([a-z]+)", README, re.MULTILINE))
    assert named == set(COMMANDS)


def test_help_of_every_command_shows_an_example() -> None:
    for name in COMMANDS:
        shown = CliRunner().invoke(bridgehead, [name, "--help"])
        assert shown.exit_code == 0
        assert "Example:" in shown.output, name


def test_minimal_spec_of_the_readme_is_accepted() -> None:
    (text,) = blocks(README, "yaml")
    assert isinstance(read_spec(text, "README.md"), SpecAccepted)


def test_files_that_the_readme_names_exist() -> None:
    named = re.findall(r"`((?:docs/[\w./-]+)|(?:[A-Z]+\.md))`", README)
    assert [name for name in named if not (ROOT / name).exists()] == []


def transcripts(command: str, *texts: str) -> list[str]:
    """Lines of the blocks that begin with a command, without those that stand for others."""
    return [
        masked(line)
        for text in texts
        for block in blocks(text)
        if block.startswith(f"$ {command}")
        for line in block.splitlines()[1:]
        if line.strip() not in {"", "..."}
    ]


def test_the_transcript_of_the_demonstration_is_what_it_prints() -> None:
    done = CliRunner().invoke(bridgehead, ["demo"])
    printed = iter([masked(line) for line in done.stdout.splitlines()])
    told = transcripts("bridgehead demo", README)
    missing = [line for line in told if not any(line == other for other in printed)]
    assert told
    assert missing == []


@pytest.mark.cluster
def test_transcripts_of_readme_and_guide_are_what_the_walkthrough_prints() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "testbed", "walkthrough"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    printed = {masked(line) for line in f"{done.stdout}\n{done.stderr}".splitlines()}
    told = [
        masked(line)
        for text in (README, GUIDE)
        for block in blocks(text)
        if not block.startswith(OF_THE_TWIN)
        for line in block.splitlines()
        if line.strip() not in {"", "..."}
    ]
    assert [line for line in told if line not in printed] == []
