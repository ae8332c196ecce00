"""Strategic merge patch: lists that are maps, and its directives."""

from typing import Any

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.strategic import strategic_merge
from bridgehead.twin.schema.shapes import shape_named


def pod(containers: Any = None, **metadata: Any) -> Object:
    spec = {} if containers is None else {"spec": {"containers": containers}}
    return {**({"metadata": metadata} if metadata else {}), **spec}


def merged(before: Object, patch: Any, kind: str = "Pod", group: str = "") -> Object:
    shape = shape_named(group, "v1", kind)
    assert shape is not None
    return strategic_merge(before, patch, shape)


ONE, TWO = {"name": "one", "image": "1"}, {"name": "two", "image": "2"}


@pytest.mark.parametrize(
    ("patch", "after"),
    [
        ([{"name": "two", "image": "3"}], [ONE, {"name": "two", "image": "3"}]),
        ([{"name": "new"}], [{"name": "new"}, ONE, TWO]),
        ([{"name": "one", "$patch": "delete"}], [TWO]),
        ([{"$patch": "replace"}, {"name": "new"}], [{"name": "new"}]),
        ([{"name": "one", "image": None}], [{"name": "one"}, TWO]),
        ([{"name": "two"}, {"name": "one"}], [TWO, ONE]),
        (None, None),
    ],
)
def test_items_are_found_by_their_key(patch: Any, after: Any) -> None:
    expected: Object = {"containers": after} if after is not None else {}
    assert merged(pod([ONE, TWO]), {"spec": {"containers": patch}})["spec"] == expected


def test_lists_of_scalars_may_merge() -> None:
    before = pod(finalizers=["a", "b"])
    assert merged(before, pod(finalizers=["c", "a"])) == pod(finalizers=["c", "a", "b"])
    gone = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}
    assert merged(before, gone) == pod(finalizers=["b"])


def test_other_lists_are_replaced() -> None:
    before = pod([{"name": "one", "args": ["a"]}])
    after = merged(before, pod([{"name": "one", "args": ["b"]}]))
    assert after == pod([{"name": "one", "args": ["b"]}])


def test_an_order_may_be_set() -> None:
    order = [{"name": "two"}, {"name": "one"}]
    after = merged(pod([ONE, TWO]), {"spec": {"$setElementOrder/containers": order}})
    assert after == pod([TWO, ONE])


def test_what_an_order_does_not_name_keeps_its_place() -> None:
    three = {"name": "three"}
    patch = {
        "$setElementOrder/containers": [{"name": "three"}, {"name": "one"}],
        "containers": [{"name": "three", "image": "x"}],
    }
    after = merged(pod([ONE, TWO, three]), {"spec": patch})
    # ``two`` was before ``three``, which the order puts first of those that it names.
    assert after == pod([TWO, {"name": "three", "image": "x"}, ONE])


def test_only_named_keys_are_retained() -> None:
    before = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    after = merged(before, patch, "Deployment", "apps")
    assert after == {"spec": {"strategy": {"type": "Recreate"}}}


@pytest.mark.parametrize(("directive", "after"), [("replace", {"b": "2"}), ("delete", {})])
def test_a_map_may_be_replaced_or_emptied(directive: str, after: Object) -> None:
    patch = {"metadata": {"labels": {"$patch": directive, "b": "2"}}}
    assert merged(pod(labels={"a": "1"}), patch) == pod(labels=after)


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [
        ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        (
            pod([{"image": "x"}]),
            500,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            pod([{"name": "one", "$patch": "merge"}]),
            500,
            "merging lists cannot yet be specified in the patch",
        ),
        (
            {"$patch": "turn", "a": None},
            500,
            "unknown patch type: turn in map: map[$patch:turn a:<nil>]",
        ),
        (
            {"metadata": {"$retainKeys": ["a"], "b": 1}},
            400,
            "invalid patch format of retainKeys",
        ),
    ],
)
def test_refusals_are_the_servers_own(patch: Any, code: int, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        merged(pod([ONE], labels={}), patch)
    assert (refusal.value.code, str(refusal.value)) == (code, message)
