"""Server-side apply: ownership, conflicts, removal."""

from typing import Any

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.applying import applied
from bridgehead.twin.patches.kubectl_apply import LAST_APPLIED
from bridgehead.twin.patches.tracking import tracked
from bridgehead.twin.schema.shapes import shape_of
from tests.twin.patches.test_tracking import KINDS, LATER, NOW, owned


def configuration(kind: str = "ConfigMap", **parts: Any) -> Object:
    metadata = {"name": "c", "namespace": "ns", **parts.pop("metadata", {})}
    version = KINDS[kind].api_version
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}


def apply(live: Object | None, given: Object, manager: str = "one", **more: Any) -> Object:
    kind = KINDS[given["kind"]]
    result = applied(
        live, given, kind=kind, shape=shape_of(kind), manager=manager, **{"now": NOW, **more}
    )
    return {**result, "metadata": {**result["metadata"], "uid": "u"}}


def containers(*names: str, **more: Any) -> Object:
    listed = [{"name": name, "image": "i:1", **more} for name in names]
    return configuration("DaemonSet", spec={"template": {"spec": {"containers": listed}}})


def names_of(obj: Object) -> list[str]:
    return [item["name"] for item in obj["spec"]["template"]["spec"]["containers"]]


def test_the_first_apply_creates() -> None:
    made = apply(None, configuration(data={"x": "1"}))
    assert made["data"] == {"x": "1"}
    [entry] = made["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"], entry["time"]) == ("one", "Apply", NOW)
    assert entry["fieldsV1"] == {"f:data": {"f:x": {}}}


def test_what_is_applied_no_longer_goes() -> None:
    made = apply(None, configuration(data={"x": "1", "y": "1"}))
    assert apply(made, configuration(data={"x": "1"}))["data"] == {"x": "1"}


def test_what_another_applies_too_stays() -> None:
    made = apply(None, configuration(data={"x": "1", "y": "1"}))
    both = apply(made, configuration(data={"y": "1"}), "two")
    assert apply(both, configuration(data={"x": "1"}))["data"] == {"x": "1", "y": "1"}


def test_what_nobody_applied_stays() -> None:
    made = apply(None, configuration(data={"x": "1"}))
    free = {**made, "data": {"x": "1", "free": "1"}}
    assert apply(free, configuration(data={}))["data"] == {"free": "1"}


def test_items_of_others_stay_where_they_are() -> None:
    made = apply(None, containers("a", "b"))
    other = apply(made, containers("c"), "two")
    assert names_of(other) == ["a", "b", "c"]
    assert names_of(apply(other, containers("b"))) == ["b", "c"]


def test_a_value_of_another_manager_is_a_conflict() -> None:
    made = apply(None, containers("a"))
    with pytest.raises(ApiError) as refusal:
        apply(made, containers("a", image="i:2"), "two")
    field = '.spec.template.spec.containers[name="a"].image'
    assert refusal.value.status["message"] == (
        f'Apply failed with 1 conflict: conflict with "one": {field}'
    )
    assert refusal.value.status["details"] == {
        "causes": [
            {
                "reason": "FieldManagerConflict",
                "message": 'conflict with "one"',
                "field": field,
            }
        ]
    }


def test_several_conflicts_are_told_by_manager() -> None:
    made = apply(None, configuration(data={"x": "1", "y": "1"}), "two")
    kind = KINDS["ConfigMap"]
    new = {**made, "data": {"x": "1", "y": "2"}}
    both = tracked(made, new, kind=kind, shape=shape_of(kind), manager="a", now=NOW)
    with pytest.raises(ApiError) as refusal:
        apply(both, configuration(data={"x": "3", "y": "3"}))
    assert str(refusal.value) == (
        'Apply failed with 2 conflicts: conflicts with "a" using v1:\n- .data.y\n'
        'conflicts with "two":\n- .data.x'
    )


def test_force_takes_the_field() -> None:
    made = apply(None, configuration(data={"x": "1", "y": "1"}))
    taken = apply(made, configuration(data={"x": "2"}), "two", force=True)
    assert taken["data"] == {"x": "2", "y": "1"}
    assert owned(taken) == {"one": {"f:data": {"f:y": {}}}, "two": {"f:data": {"f:x": {}}}}


def test_applying_the_same_again_changes_nothing() -> None:
    made = apply(None, containers("a", "b"))
    assert apply(made, containers("a", "b"), now=LATER) == made


def test_objects_without_managers_get_one_for_what_they_had() -> None:
    live = configuration(data={"x": "1"}, metadata={"uid": "u"})
    with pytest.raises(ApiError, match=r'conflict with "before-first-apply" using v1: \.data\.x'):
        apply(live, configuration(data={"x": "2"}))


def test_a_status_is_not_applied_with_the_rest() -> None:
    made = apply(None, configuration("DaemonSet", status={"numberReady": 1}))
    assert "managedFields" not in made["metadata"]


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (
            configuration(metadata={"managedFields": []}),
            400,
            "metadata.managedFields must be nil",
        ),
        (
            configuration(dta={}),
            500,
            "failed to create typed patch object (ns/c; /v1, Kind=ConfigMap): .dta: field not "
            "declared in schema",
        ),
        (
            containers("a", "a"),
            500,
            "failed to create typed patch object (ns/c; apps/v1, Kind=DaemonSet): "
            '.spec.template.spec.containers: duplicate entries for key [name="a"]',
        ),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(given: Object, code: int, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        apply(None, given)
    assert (refusal.value.code, str(refusal.value)) == (code, message)


def test_kubectl_takes_over_what_it_applied_on_its_own_side() -> None:
    kind = KINDS["ConfigMap"]
    last = '{"apiVersion":"v1","kind":"ConfigMap","data":{"x":"1"}}'
    live = configuration(data={"x": "1"}, metadata={"annotations": {LAST_APPLIED: last}})
    made = tracked(
        None, live, kind=kind, shape=shape_of(kind), manager="kubectl-client-side-apply", now=NOW
    )
    result = apply(made, configuration(data={"x": "2"}), "kubectl")
    assert result["data"] == {"x": "2"}
    assert result["metadata"]["annotations"][LAST_APPLIED] == (
        '{"apiVersion":"v1","data":{"x":"2"},"kind":"ConfigMap",'
        '"metadata":{"name":"c","namespace":"ns"}}\n'
    )
    with pytest.raises(ApiError, match="Apply failed with 1 conflict"):
        apply(made, configuration(data={"x": "2"}), "somebody")
