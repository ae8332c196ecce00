"""YAML is read as kubectl reads it, and as JSON could hold it."""

import pytest

from bridgehead.sources.json_file import json_document
from bridgehead.sources.parsed import TextError
from bridgehead.sources.yaml_file import yaml_documents


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31", "2026-01-31"),
        ("1:30", "1:30"),
        ("=", "="),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        ("010", 8),
        ("0", 0),
        ("0x1f", 31),
        ("-7", -7),
        ("yes", True),
        ("off", False),
        ("~", None),
        ('"7"', "7"),
        ("1.2.3", "1.2.3"),
        ("-", None),
    ],
)
def test_plain_texts(text: str, value: object) -> None:
    (document,) = yaml_documents(f"a: {text}\n" if text != "-" else "a:\n")
    assert document.value == {"a": value}


def test_keys_are_texts() -> None:
    (document,) = yaml_documents("7: a\nyes: b\n")
    assert document.value == {"7": "a", "true": "b"}


def test_anchors_and_merges_are_followed() -> None:
    (document,) = yaml_documents("a: &a {x: 1}\nb: {<<: *a, y: 2}\n")
    assert document.value == {"a": {"x": 1}, "b": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("a: &a [*a]\n", (1, 1), "it is nested too deeply, or holds itself"),
        ("a: !!binary aGk=\n", (1, 1), "it holds a bytes, which no API object can"),
        ("a: !!int x\n", (1, 1), "invalid literal for int() with base 10: 'x'"),
        ("a: \x01\n", (1, 4), "a control character must not occur in it"),
        ("\na: !own x\n", (2, 4), "could not determine a constructor for the tag '!own'"),
    ],
)
def test_what_no_api_object_can_hold(text: str, place: tuple[int, int], reason: str) -> None:
    with pytest.raises(TextError) as caught:
        list(yaml_documents(text))
    assert (caught.value.line, caught.value.column, caught.value.reason) == (*place, reason)


def test_documents_before_a_broken_one_are_given() -> None:
    documents = yaml_documents("a: 1\n---\nb: [\n")
    assert next(documents).value == {"a": 1}
    with pytest.raises(TextError):
        next(documents)


@pytest.mark.parametrize("text", ["", "[", '{"a": NaN}', "[" * 5000])
def test_text_that_is_no_json(text: str) -> None:
    with pytest.raises(TextError):
        json_document(text)


def test_aliases_that_stand_for_more_than_memory_holds_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(TextError, match="its aliases stand for more values"):
        list(yaml_documents("\n".join(lines), with_places=True))


def test_deep_nesting_is_refused_with_and_without_aliases() -> None:
    for text in ("- " * 900 + "'*'", "- " * 900 + "a", "- " * 5000 + "a"):
        with pytest.raises(TextError, match="nest"):
            list(yaml_documents(text))
