"""The page about lint: its transcripts are what the program prints, and what it names exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.cli.lint import FORMATS
from bridgehead.rules.catalogue import rule_named

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PAGE = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
TRANSCRIPTS = re.findall(r"^```\n\$ (bridgehead .+?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) >= 3


@pytest.mark.parametrize(("command", "told"), TRANSCRIPTS, ids=[item[0] for item in TRANSCRIPTS])
def test_transcript_is_what_the_program_prints(command: str, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bridgehead", *shlex.split(command)[1:]],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=False,
    )
    assert _masked(done.stdout + done.stderr) == _masked(told)


def _masked(text: str) -> list[str]:
    """How many rules there are is not what the page is about."""
    return [re.sub(r"^\d+ rules? ", "N rules ", line) for line in text.splitlines()]


def test_rules_and_forms_that_the_page_names_exist() -> None:
    for name in re.findall(r"ignore\[([a-z-]+)\]", PAGE):
        assert rule_named(name), name
    assert re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE) == list(FORMATS)


def test_page_about_writing_rules_shows_what_stands_in_the_source() -> None:
    page = (ROOT / "docs" / "writing-rules.md").read_text(encoding="utf-8")
    source = (ROOT / "src/bridgehead/rules/lint/updates/surge_on_device_plugin.py").read_text(
        encoding="utf-8"
    )
    shown = re.findall(r"^    (?:def _check|RULE).*?(?=^\S|\Z)", page, re.DOTALL | re.MULTILINE)
    assert len(shown) == 2
    for block in shown:
        code = re.sub(r"^    ", "", block, flags=re.MULTILINE).strip()
        body = code.removeprefix("def _check(linted: Linted) -> Iterable[Violation | Doubt]:")
        assert body.strip() in source
