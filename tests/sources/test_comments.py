"""Comments for the linter: where they are seen, what they say, which line they count for."""

import pytest

from bridgehead.sources.comments import ignores_in


def _only(content: str) -> tuple[int, int, int, tuple[str, ...], str]:
    (found,) = ignores_in(content, "f.yaml")
    return found.line, found.column, found.target, found.rules, found.reason


def test_beside_a_value_it_counts_for_that_line() -> None:
    text = "a:\n  b: 1  # bridgehead: ignore[one, two] because of this\n"
    assert _only(text) == (2, 9, 2, ("one", "two"), "because of this")


@pytest.mark.parametrize("between", ["", "\n", "  # another word\n\n"])
def test_above_a_value_it_counts_for_the_next_line_that_holds_something(between: str) -> None:
    text = f"a:\n  # bridgehead: ignore[one] why\n{between}  b: 1\n"
    assert _only(text)[2] == 3 + between.count("\n")


@pytest.mark.parametrize(
    "head",
    [
        "# bridgehead: ignore[one] why\na: 1\n",
        "# bridgehead: ignore[one] why\n---\na: 1\n",
        "--- # bridgehead: ignore[one] why\n\na: 1\n",
    ],
)
def test_at_a_documents_head_it_counts_for_its_first_line(head: str) -> None:
    assert _only(head)[2] == head.splitlines().index("a: 1") + 1


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  # bridgehead: ignore[one] why\n",
        "a: 'x # bridgehead: ignore[one] why'\n",
        'a: "x\n  # bridgehead: ignore[one] why"\n',
        "a: x#bridgehead: ignore[one] why\n",
    ],
)
def test_inside_a_text_it_is_no_comment(text: str) -> None:
    assert ignores_in(text, "f.yaml") == ()


def test_after_a_literal_text_it_is_one() -> None:
    assert _only("a: |\n    x\n  # bridgehead: ignore[one] why\nb: 1\n")[2] == 4


@pytest.mark.parametrize(
    ("comment", "rules", "reason"),
    [
        ("#bridgehead:ignore[one] why", ("one",), "why"),
        ("# bridgehead: ignore[one]: why", ("one",), "why"),
        ("# bridgehead: ignore[one] - why", ("one",), "why"),
        ("# bridgehead: ignore[one]", ("one",), ""),
        ("# bridgehead: ignore why", (), "why"),
        ("# bridgehead: ignore[] why", (), "why"),
    ],
)
def test_spellings(comment: str, rules: tuple[str, ...], reason: str) -> None:
    assert _only(f"{comment}\na: 1\n")[3:] == (rules, reason)


def test_nothing_after_it_is_told_as_no_line() -> None:
    assert _only("a: 1\n# bridgehead: ignore[one] why\n")[2] == 0


def test_in_a_file_that_is_no_yaml_it_is_still_seen() -> None:
    assert _only("a: 1 # bridgehead: ignore[one] why\nb: [\n")[2] == 1
