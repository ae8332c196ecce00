"""Lines that are only shown, never obeyed."""

import pytest

from bridgehead.report.plain import plain, plain_line


def test_control_characters_and_line_ends_become_spaces() -> None:
    assert plain("a\x1b[31mb\r\nc\u2028d") == "a [31mb  c d"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", ": :error::x"),
        ("   ::error::x", "   : :error::x"),
        ("x\n::error::y", "x ::error::y"),
        ("a.yaml:1:1: x", "a.yaml:1:1: x"),
        ("", ""),
    ],
)
def test_no_line_is_a_workflow_command(line: str, shown: str) -> None:
    assert plain_line(line) == shown
