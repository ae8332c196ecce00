"""The reference page of rules is what their cards say."""

from pathlib import Path

from bridgehead.rules.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "rules.md"


def test_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "run: uv run python -m bridgehead.rules > docs/reference/rules.md"
    )
