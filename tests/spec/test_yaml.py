"""What is wrong with the YAML itself is reported with its place, and the rest is still judged."""

import pytest

from tests.spec.specs import MINIMAL, accepted, only_problem, rejected


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "the file is empty: a rollout begins with apiVersion and kind"),
        (
            "# nothing\n---\n",
            (1, 1),
            "the file is empty: a rollout begins with apiVersion and kind",
        ),
        ("- a\n", (1, 1), "a rollout is a mapping that begins with apiVersion and kind"),
        ("just text\n", (1, 1), "a rollout is a mapping that begins with apiVersion and kind"),
        (
            "a: b: c\n",
            (1, 5),
            "this is no YAML: mapping values are not allowed in this context",
        ),
        (
            "a: [1, 2\nb: 3\n",
            (2, 2),
            "this is no YAML: did not find expected ',' or ']' while parsing a flow sequence",
        ),
        (
            "a: 1\n\tb: 2\n",
            (2, 1),
            "this is no YAML: found a tab character that violates indentation while scanning a "
            "plain scalar",
        ),
        ("a: 1\nb: \x01\n", (2, 4), "this is no YAML: a control character must not occur in it"),
    ],
)
def test_text_that_is_no_document(text: str, place: tuple[int, int], message: str) -> None:
    problem = only_problem(text)
    assert (problem.line, problem.column, problem.message) == (*place, message)


def test_a_second_document_is_refused() -> None:
    problem = only_problem(f"{MINIMAL}---\n{MINIMAL}")
    assert (problem.line, problem.message) == (
        9,
        "a second YAML document begins here: write one rollout a file",
    )


def test_an_empty_document_behind_the_rollout_is_none() -> None:
    assert accepted(f"---\n{MINIMAL}---\n").warnings == ()


@pytest.mark.parametrize(
    ("addition", "place", "text"),
    [
        (
            "owner: me\nowner: you",
            (9, 1),
            "owner stands twice, first in line 8; keep one of them",
        ),
        (
            "verify: {settle: 30s, timeout: 5m, settle: 1m}",
            (8, 36),
            "verify.settle stands twice, first in line 8; keep one of them",
        ),
        (
            "verify:",
            (8, 1),
            "verify has no value; write one, or remove the key to get its default",
        ),
        (
            "owner: ~",
            (8, 8),
            "owner has no value; write one, or remove the key to get its default",
        ),
        (
            "canary: {nodes: [null]}",
            (8, 18),
            "canary.nodes[0] has no value; write one, or remove the key to get its default",
        ),
        (
            "unproven: 1:30",
            (8, 11),
            "unproven: 1:30 was read as the number 90 (YAML 1.1 counts in sixties); "
            "write the number meant, or put a text in quotes",
        ),
        (
            "unproven: 012",
            (8, 11),
            "unproven: 012 was read as the number 10 (YAML 1.1 reads it as octal); "
            "write the number meant, or put a text in quotes",
        ),
        ("unproven: !!int five", (8, 11), "unproven: 'five' is no int"),
        ("unproven: !count 5", (8, 11), "unproven: the tag !count is not supported"),
        ("lock: !lock {duration: 5s}", (8, 7), "lock: the tag !lock is not supported"),
        ("<<: {owner: me}", (8, 1), "merge keys (<<) are not supported: write the keys out"),
        ("? [a, b]\n: c", (8, 3), "a key must be a plain text"),
    ],
)
def test_yaml_that_a_spec_must_not_hold(addition: str, place: tuple[int, int], text: str) -> None:
    problem = only_problem(f"{MINIMAL}{addition}\n")
    assert str(problem) == f"b.yaml:{place[0]}:{place[1]}: {text}"


def test_a_twice_written_key_does_not_hide_what_is_wrong_with_its_first_value() -> None:
    problems = rejected(f"{MINIMAL}unproven: 0\nunproven: 5\n")
    assert [(p.line, p.path) for p in problems] == [(8, "unproven"), (9, "unproven")]


@pytest.mark.parametrize("word", ["yes", "on", "Yes"])
def test_an_old_boolean_where_one_belongs_is_a_warning(word: str) -> None:
    (warning,) = accepted(f"{MINIMAL}verify: {{statusPeriodUnchecked: {word}}}\n").warnings
    expected = f"verify.statusPeriodUnchecked: {word} was read as true; write true"
    assert str(warning) == f"b.yaml:8:33: warning: {expected}"


def test_a_value_that_contains_itself_ends() -> None:
    problems = rejected(f"{MINIMAL}canary: &a {{nodes: [*a]}}\n")
    assert "this is too large or too deeply nested for a rollout" in [p.message for p in problems]


def test_aliases_that_multiply_end() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 9))
    problems = rejected(f"{MINIMAL}l0: &l0 [x]\n{levels}")
    assert "this is too large or too deeply nested for a rollout" in [p.message for p in problems]


def test_columns_count_characters() -> None:
    problem = only_problem(f'{MINIMAL}canary: {{avoid: "ä=b"}}\n')
    assert (problem.line, problem.column) == (8, 17)


def test_an_offset_in_a_quoted_text_is_shown_inside_it() -> None:
    problem = only_problem(f'{MINIMAL}canary: {{avoid: "a=b,=c"}}\n')
    assert (problem.line, problem.column) == (8, 22)


def test_an_offset_in_a_folded_text_is_shown_at_its_beginning() -> None:
    problem = only_problem(f"{MINIMAL}canary:\n  avoid: >-\n    a=b,\n    =c\n")
    assert (problem.line, problem.column) == (9, 10)
