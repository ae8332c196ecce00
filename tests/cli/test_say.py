"""How the next commands are printed: each on a line that can be pasted."""

import pytest

from bridgehead.cli.say import next_step


def test_ways_are_told_one_a_line_with_the_command_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    next_step("go on: bridgehead resume ds/a/b; take all back: bridgehead rollback ds/a/b")
    assert capsys.readouterr().err.splitlines() == [
        "next: bridgehead resume ds/a/b  # go on",
        "or: bridgehead rollback ds/a/b  # take all back",
    ]


@pytest.mark.parametrize(
    "text", ["bridgehead verify ds/a/b", "kubectl cluster-info; then the same command"]
)
def test_anything_else_is_told_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    next_step(text)
    assert capsys.readouterr().err == f"next: {text}\n"
