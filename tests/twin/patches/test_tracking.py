"""Who manages what after creations, updates and patches."""

from typing import Any

import pytest

from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.tracking import tracked
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.shapes import shape_of

KINDS = {kind.kind: kind for kind in builtin_kinds()}
NOW = "2026-01-01T00:00:00Z"
LATER = "2026-01-01T00:01:00Z"


def config_map(**data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "uid": "u", "labels": {"a": "b"}},
        "data": data,
    }


def track(
    old: Object | None, new: Object, manager: str = "one", kind: str = "ConfigMap", **more: Any
) -> Object:
    of = KINDS[kind]
    now = more.pop("now", NOW)
    return tracked(old, new, kind=of, shape=shape_of(of), manager=manager, now=now, **more)


def owned(obj: Object) -> dict[str, Any]:
    return {entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]}


def test_a_creator_manages_what_it_creates() -> None:
    created = track(None, config_map(x="1"))
    assert created["metadata"]["managedFields"] == [
        {
            "manager": "one",
            "operation": "Update",
            "apiVersion": "v1",
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:data": {".": {}, "f:x": {}},
                "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
            },
        }
    ]


def test_who_changes_a_field_takes_it() -> None:
    created = track(None, config_map(x="1", y="1"))
    changed = track(created, {**created, "data": {"x": "2", "y": "1"}}, "two")
    assert owned(changed) == {
        "one": {
            "f:data": {".": {}, "f:y": {}},
            "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        },
        "two": {"f:data": {"f:x": {}}},
    }


def test_what_is_removed_is_nobodys() -> None:
    created = track(None, config_map(x="1"))
    changed = track(created, {**created, "data": {}}, "two")
    assert owned(changed)["one"]["f:data"] == {}
    assert "two" not in owned(changed)


def test_a_manager_that_has_nothing_left_goes() -> None:
    created = track(None, {**config_map(x="1"), "metadata": {"name": "c", "uid": "u"}})
    added = track(created, {**created, "data": {"x": "1", "y": "1"}}, "two")
    changed = track(added, {**added, "data": {"x": "1", "y": "2"}}, "three")
    assert set(owned(changed)) == {"one", "three"}


def test_a_write_that_changes_nothing_leaves_all_as_it_is() -> None:
    created = track(None, config_map(x="1"))
    assert track(created, dict(created), "two", now=LATER) == created


def test_the_same_manager_gets_one_entry_with_the_last_time() -> None:
    created = track(None, config_map(x="1"))
    changed = track(created, {**created, "data": {"x": "1", "y": "1"}}, now=LATER)
    [entry] = changed["metadata"]["managedFields"]
    assert entry["time"] == LATER
    assert entry["fieldsV1"]["f:data"] == {".": {}, "f:x": {}, "f:y": {}}


def test_clients_that_do_not_know_managers_keep_them() -> None:
    created = track(None, config_map(x="1"))
    assert track(created, config_map(x="1")) == created


@pytest.mark.parametrize("empty", [[], [{}]])
def test_an_empty_entry_forgets_all_managers(empty: list[Object]) -> None:
    created = track(None, config_map(x="1"))
    new = config_map(x="2")
    new["metadata"] = {**new["metadata"], "managedFields": empty}
    forgotten = track(created, new)
    assert "managedFields" not in forgotten["metadata"]
    # Whose managers are forgotten is not tracked until somebody applies.
    assert "managedFields" not in track(forgotten, config_map(x="3"))["metadata"]


def test_malformed_managers_are_not_taken() -> None:
    created = track(None, config_map(x="1"))
    new = config_map(x="1")
    new["metadata"] = {**new["metadata"], "managedFields": [{"manager": "x"}]}
    assert track(created, new) == created


def test_a_status_is_managed_apart_from_the_rest() -> None:
    pod = {"metadata": {"name": "p", "uid": "u"}, "spec": {"nodeName": "n"}}
    created = track(None, {**pod, "status": {"phase": "Pending"}}, kind="Pod")
    assert owned(created) == {"one": {"f:spec": {"f:nodeName": {}}}}
    new = {**created, "spec": {"nodeName": "other"}, "status": {"phase": "Running"}}
    written = track(created, new, "kubelet", kind="Pod", subresource="status")
    [entry, _] = written["metadata"]["managedFields"]
    assert (entry["subresource"], entry["fieldsV1"]) == ("status", {"f:status": {"f:phase": {}}})


def test_old_updaters_become_one() -> None:
    obj = track(None, config_map(x="0"), "creator")
    for number in range(15):
        new = {**obj, "data": {**obj["data"], f"k{number}": "v"}}
        obj = track(obj, new, f"m{number:02}", now=f"2026-01-01T00:00:{number:02}Z")
    managers = [entry["manager"] for entry in obj["metadata"]["managedFields"]]
    assert len(managers) == 10
    assert managers[0] == "ancient-changes"
    assert {"f:k0", "f:k1", "f:x"} <= owned(obj)["ancient-changes"]["f:data"].keys()


def test_custom_objects_without_a_schema_are_tracked_by_their_values() -> None:
    kind = Kind(group="e.com", version="v1", kind="Thing", plural="things", custom=True)
    obj = {
        "apiVersion": "e.com/v1",
        "kind": "Thing",
        "metadata": {"name": "t"},
        "spec": {"list": [{"a": 1}], "map": {"b": {}}},
    }
    made = tracked(None, obj, kind=kind, shape=None, manager="one", now=NOW)
    assert owned(made) == {
        "one": {"f:spec": {".": {}, "f:list": {}, "f:map": {".": {}, "f:b": {}}}}
    }


@pytest.mark.parametrize(("old", "new"), [(None, 1), (1, None), ("x", [1]), ([1], "x")])
def test_free_values_may_change_their_type(old: Any, new: Any) -> None:
    kind = Kind(group="e.com", version="v1", kind="Thing", plural="things", custom=True)
    obj = {"apiVersion": "e.com/v1", "kind": "Thing", "metadata": {"name": "t", "uid": "u"}}
    before, after = ({**obj, "spec": {"x": value}} for value in (old, new))
    made = tracked(None, before, kind=kind, shape=None, manager="one", now=NOW)
    managed = {**after, "metadata": made["metadata"]}
    changed = tracked(made, managed, kind=kind, shape=None, manager="two", now=NOW)
    assert owned(changed)["two"] == {"f:spec": {"f:x": {}}}


def test_a_map_in_the_place_of_a_value_is_owned_with_all_in_it() -> None:
    kind = Kind(group="e.com", version="v1", kind="Thing", plural="things", custom=True)
    obj = {"apiVersion": "e.com/v1", "kind": "Thing", "metadata": {"name": "t", "uid": "u"}}
    made = tracked(None, {**obj, "spec": {"x": 1}}, kind=kind, shape=None, manager="one", now=NOW)
    new = {**made, "spec": {"x": {"a": 1}}}
    changed = tracked(made, new, kind=kind, shape=None, manager="two", now=NOW)
    assert owned(changed)["two"] == {"f:spec": {"f:x": {".": {}, "f:a": {}}}}
