"""Fixes in place: the one value changes, and nothing else, or there is no fix."""

import pytest

from bridgehead.core.findings.manifest import Fix, Path
from bridgehead.sources.fixes import NotFixableError, fixed

TEXT = """\
# a file of two objects
kind: A
spec:
  one: 1  # beside it
  # above two
  two: {a: 1}
  list:
    - name: x
      text: |
        lines
        more
    - name: y

# the end of the first
---
kind: B
items_of: &anchor {b: 1}
again: *anchor
empty:
last: no newline"""


def _fixed(line: int, path: Path, value: object, text: str = TEXT) -> str:
    return fixed(text, line, Fix(path=path, value=value, why_safe=""))


@pytest.mark.parametrize(
    ("line", "path", "value", "before", "after"),
    [
        (2, ("spec", "one"), 0, "one: 1  # beside", "one: 0  # beside"),
        (2, ("spec", "two", "a"), "true", "{a: 1}", '{a: "true"}'),
        (2, ("spec", "two", "b"), True, "{a: 1}", "{a: 1, b: true}"),
        (2, ("spec", "list", 0, "name"), "z", "- name: x", "- name: z"),
        (2, ("spec", "list", 0, "more"), ["a"], "more\n", "more\n      more: [a]\n"),
        (2, ("spec", "list", 1, "k", "v"), 1, "name: y\n", "name: y\n      k:\n        v: 1\n"),
        (2, ("top",), 1, "name: y\n", "name: y\ntop: 1\n"),
        (16, ("last",), "x", "no newline", "x"),
        (16, ("empty",), "x", "empty:", "empty: x"),
        (16, ("new",), 2, "no newline", "no newline\nnew: 2\n"),
    ],
)
def test_a_value_is_changed_or_added_where_it_belongs(
    line: int, path: Path, value: object, before: str, after: str
) -> None:
    assert before in TEXT
    edited = _fixed(line, path, value)
    assert edited in {TEXT.replace(before, after, 1), TEXT.replace(f"{before}\n", f"{after}\n", 1)}


def test_a_value_is_taken_out_with_its_line() -> None:
    assert _fixed(2, ("spec", "one"), None) == TEXT.replace("  one: 1  # beside it\n", "")


@pytest.mark.parametrize(
    ("line", "path", "value", "why"),
    [
        (2, ("spec", "two", "a"), None, "without changing what is around it"),
        (2, ("spec", "list", 1, "name"), None, "without changing what is around it"),
        (2, ("spec", "list"), 1, "over several lines"),
        (2, ("spec", "list", 7, "name"), 1, "no such entry"),
        (2, ("spec", "none"), None, "not there any more"),
        (2, ("kind", "x"), 1, "no mapping"),
        (16, ("again", "b"), 2, "more than the value would change"),
        (3, ("spec",), 1, "no object begins at line 3"),
    ],
)
def test_what_cannot_be_proven_is_not_done(line: int, path: Path, value: object, why: str) -> None:
    with pytest.raises(NotFixableError, match=why):
        _fixed(line, path, value)


def test_an_entry_of_a_list_is_found_by_its_line() -> None:
    text = "kind: List\nitems:\n- kind: A\n  a: 1\n- kind: B\n  a: 1\n"
    assert _fixed(5, ("a",), 2, text) == text[:-2] + "2\n"


def test_line_ends_of_the_file_are_kept() -> None:
    assert _fixed(1, ("b", "c"), 1, "a: 1\r\n") == "a: 1\r\nb:\r\n  c: 1\r\n"


def test_json_stays_json() -> None:
    text = '{"kind": "A", "a": 1}'
    fix = Fix(path=("a",), value="x y", why_safe="")
    with pytest.raises(NotFixableError, match="no JSON any more"):
        fixed(text, 1, fix, as_json=True)
    zero = Fix(path=("a",), value=0, why_safe="")
    assert fixed(text, 1, zero, as_json=True) == '{"kind": "A", "a": 0}'


def test_a_file_that_is_broken_by_now_is_told() -> None:
    with pytest.raises(NotFixableError, match="no YAML any more"):
        _fixed(1, ("a",), 1, "a: [\n")
