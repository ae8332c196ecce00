"""Selectors mean what ``kubectl get -l`` means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.model.selectors import (
    EVERYTHING,
    Operator,
    Requirement,
    Selector,
    SelectorError,
    parse_selector,
)

LABELS = {"pool": "gpu", "zone": "a", "empty": "", "example.com/tier": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "pool=gpu",
        "pool==gpu",
        " pool = gpu , zone = a ",
        "pool!=cpu",
        "absent!=x",
        "zone in (a,b)",
        "zone in ( a , b )",
        "zone notin (b,c)",
        "absent notin (b)",
        "pool",
        "!absent",
        "! absent",
        "empty=",
        "empty in (,x)",
        "example.com/tier=1",
        "pool=gpu,zone in (a),!absent,empty",
    ],
)
def test_matches(text: str) -> None:
    assert parse_selector(text).matches(LABELS)


@pytest.mark.parametrize(
    "text",
    [
        "pool=cpu",
        "pool!=gpu",
        "zone in (b,c)",
        "zone notin (a)",
        "absent",
        "!pool",
        "absent=",
        "absent in (a)",
        "pool=gpu,zone=b",
        "tier=1",
    ],
)
def test_does_not_match(text: str) -> None:
    assert not parse_selector(text).matches(LABELS)


@pytest.mark.parametrize(
    ("text", "offset", "reason"),
    [
        ("a=b,", 4, "expected a label key, found the end"),
        (",a", 0, "expected a label key, found ','"),
        ("a b", 2, "expected one of = != in notin after 'a', not 'b'"),
        ("a in x", 5, "expected '(' before 'x'"),
        ("a in (x", 7, "expected ')' before the end"),
        ("a in (x y)", 8, "expected ')' before 'y'"),
        ("a=b c", 4, "expected ',' before 'c'"),
        ("!a=b", 2, "expected ',' before '='"),
        ("in=x", 0, "expected a label key, found 'in'"),
        ("a>1", 1, "'<' and '>' are not supported; use in (...)"),
        ("-a=b", 0, "expected a label key, found '-a'"),
        ("A.b/c=1", 0, "expected a label key, found 'A.b/c'"),
        ("a=b_", 2, "'b_' is no label value"),
        (f"a={64 * 'x'}", 2, f"'{64 * 'x'}' is no label value"),
        ("a=/x", 2, "'/x' is no label value"),
    ],
)
def test_a_mistake_has_its_place(text: str, offset: int, reason: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_selector(text)
    assert (caught.value.offset, caught.value.reason) == (offset, reason)


def test_a_key_and_value_of_63_characters_are_read() -> None:
    assert parse_selector(f"{63 * 'k'}={63 * 'v'}").matches({63 * "k": 63 * "v"})


_NAMES = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?", fullmatch=True)
_KEYS = st.one_of(_NAMES, st.builds("example.com/{}".format, _NAMES)).filter(
    lambda key: key not in ("in", "notin")
)
_VALUES = st.one_of(_NAMES, st.just(""))
_SETS = st.sets(_VALUES, min_size=1, max_size=3).map(lambda values: tuple(sorted(values)))
_REQUIREMENTS = st.one_of(
    st.builds(Requirement, _KEYS, st.sampled_from([Operator.IN, Operator.NOT_IN]), _SETS),
    st.builds(Requirement, _KEYS, st.sampled_from([Operator.EXISTS, Operator.ABSENT])),
)
_SELECTORS = st.lists(_REQUIREMENTS, max_size=4).map(lambda found: Selector(tuple(found)))


@given(_SELECTORS)
def test_the_text_of_a_selector_is_read_as_the_selector(selector: Selector) -> None:
    assert parse_selector(str(selector)) == selector


@given(_SELECTORS, st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_a_selector_matches_if_each_of_its_parts_does(
    selector: Selector, labels: dict[str, str]
) -> None:
    parts = [Selector((requirement,)) for requirement in selector.requirements]
    assert selector.matches(labels) == all(part.matches(labels) for part in parts)
    assert EVERYTHING.matches(labels)


@given(_REQUIREMENTS, st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_each_operator_is_the_opposite_of_another(
    requirement: Requirement, labels: dict[str, str]
) -> None:
    opposite = {
        Operator.IN: Operator.NOT_IN,
        Operator.NOT_IN: Operator.IN,
        Operator.EXISTS: Operator.ABSENT,
        Operator.ABSENT: Operator.EXISTS,
    }[requirement.operator]
    other = Requirement(requirement.key, opposite, requirement.values)
    assert requirement.matches(labels) != other.matches(labels)


@given(st.text(alphabet="ab=!,() in<>-_./", max_size=20))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    read = _read(text)
    if isinstance(read, Selector):
        assert parse_selector(str(read)) == read
    else:
        assert 0 <= read.offset <= len(text)


def _read(text: str) -> Selector | SelectorError:
    try:
        return parse_selector(text)
    except SelectorError as error:
        return error
