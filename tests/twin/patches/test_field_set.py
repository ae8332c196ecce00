"""Sets of fields obey the laws of sets, node by node."""

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.twin.patches.field_set import (
    FieldSet,
    difference,
    intersection,
    paths,
    told,
    union,
    without_below,
)

_KEYS = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', "v:1"])
_NODES: st.SearchStrategy[FieldSet] = st.recursive(
    st.just({}),
    lambda below: st.builds(
        lambda children, itself: {**({".": {}} if itself else {}), **children},
        st.dictionaries(_KEYS, below, min_size=1, max_size=3),
        st.booleans(),
    ),
    max_leaves=8,
)
SETS = st.dictionaries(_KEYS, _NODES, max_size=3)


def members(fields: FieldSet) -> set[tuple[str, ...]]:
    return set(paths(fields))


@given(SETS, SETS)
def test_operations_are_those_of_sets_of_paths(one: FieldSet, other: FieldSet) -> None:
    assert members(union(one, other)) == members(one) | members(other)
    assert members(intersection(one, other)) == members(one) & members(other)
    assert members(difference(one, other)) == members(one) - members(other)


@given(SETS, SETS)
def test_all_below_goes_too(one: FieldSet, other: FieldSet) -> None:
    gone = members(other)
    kept = {
        path
        for path in members(one)
        if not any(path[:size] in gone for size in range(1, len(path) + 1))
    }
    assert members(without_below(one, other)) == kept


@given(SETS, SETS)
def test_a_set_has_no_empty_ways(one: FieldSet, other: FieldSet) -> None:
    for result in (union(one, other), intersection(one, other), difference(one, other)):
        assert union({}, result) == result
        assert (result == {}) == (members(result) == set())


def test_paths_are_told_as_messages_have_them() -> None:
    path = ("f:spec", "f:containers", 'k:{"containerPort":80,"protocol":"TCP"}', "f:name")
    assert told(path) == '.spec.containers[containerPort=80,protocol="TCP"].name'
    assert told(("f:finalizers", 'v:"a/b"')) == '.finalizers[="a/b"]'
