"""Objects in the form of the server's own types, and what it says of values that do not fit."""

from typing import Any

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.decoding import decoded, empty_status

KINDS = Kinds(builtin_kinds())
PODS = KINDS.named("", "pods")


def _pod(**spec: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def test_unknown_empty_and_null_fields_are_gone() -> None:
    obj = {**_pod(nodeName="", hostPID=False, foo=1, containers=[]), "bar": {}}
    obj["metadata"] = {"name": "p", "labels": {}, "annotations": None}
    assert decoded(PODS, obj) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": None},
        "status": {},
    }


def test_pointers_keep_their_zeros() -> None:
    spec = _pod(containers=[], automountServiceAccountToken=False, activeDeadlineSeconds=0)
    found = decoded(PODS, spec)["spec"]
    assert found["automountServiceAccountToken"] is False
    assert found["activeDeadlineSeconds"] == 0


def test_amounts_and_times_get_their_one_form() -> None:
    container = {"name": "a", "resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}}}
    obj = _pod(containers=[container])
    obj["metadata"]["creationTimestamp"] = "2026-01-01T01:00:00.123+01:00"
    found = decoded(PODS, obj)
    limits = found["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"cpu": "500m", "memory": "1Gi"}
    assert found["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"


def test_nothing_is_shared_with_what_came() -> None:
    obj = _pod(containers=[{"name": "a", "env": [{"name": "x"}]}])
    found = decoded(PODS, obj)
    found["spec"]["containers"][0]["env"][0]["name"] = "y"
    assert obj["spec"]["containers"][0]["env"][0]["name"] == "x"


def test_a_custom_object_is_only_copied() -> None:
    kind = Kind(group="example.com", version="v1", kind="Widget", plural="widgets", custom=True)
    obj = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"a": None, "b": {}}}
    assert decoded(kind, obj) == obj
    assert decoded(kind, obj)["spec"] is not obj["spec"]


def test_a_kind_has_an_empty_status_where_it_always_has_one() -> None:
    assert empty_status(KINDS.named("apps", "daemonsets")) == {
        "currentNumberScheduled": 0,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 0,
        "numberReady": 0,
    }
    assert empty_status(KINDS.named("apps", "deployments")) == {}
    assert empty_status(KINDS.named("", "configmaps")) is None


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"nodeName": 1}, "number into Go struct field PodSpec.spec.nodeName of type string"),
        ({"hostPID": "x"}, "string into Go struct field PodSpec.spec.hostPID of type bool"),
        (
            {"containers": {}},
            "object into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        (
            {"containers": ["x"]},
            "string into Go struct field PodSpec.spec.containers of type v1.Container",
        ),
        (
            {"containers": [{"ports": [{"containerPort": "80"}]}]},
            "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type "
            "int32",
        ),
        (
            {"volumes": [{"hostPath": {"path": 1}}]},
            "number into Go struct field "
            "HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string",
        ),
        (
            {"restartPolicy": []},
            "array into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
        ),
        (
            {"activeDeadlineSeconds": 1.5},
            "number 1.5 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64",
        ),
        (
            {"nodeSelector": {"a": 1}},
            "number into Go struct field PodSpec.spec.nodeSelector of type string",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_told_by_struct_and_field(spec: Object, told: str) -> None:
    with pytest.raises(ApiError) as refusal:
        decoded(PODS, _pod(**spec))
    assert refusal.value.code == 400
    assert str(refusal.value) == (
        f'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal {told}'
    )
