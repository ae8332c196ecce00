"""The reference page of commands is what the program says of itself."""

from pathlib import Path

from bridgehead.cli.exits import Exit
from bridgehead.cli.reference import MEANINGS, reference

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"


def test_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "run: uv run python -m bridgehead.cli > docs/reference/commands.md"
    )


def test_every_exit_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Exit)
