"""Fields that a write does not own although it may mention them.

Source: ``GetResetFields`` of the strategies below k8s.io/kubernetes/pkg/registry and
k8s.io/apiextensions-apiserver/pkg/registry, and .../managedfields/internal/stripmeta.go (1.37).
"""

from collections.abc import Mapping

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.patches.field_set import FieldSet

STRIPPED: FieldSet = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        "f:name": {},
        "f:namespace": {},
        "f:creationTimestamp": {},
        "f:selfLink": {},
        "f:uid": {},
        "f:clusterName": {},
        "f:generation": {},
        "f:managedFields": {},
        "f:resourceVersion": {},
    },
}
"""What nobody owns."""

_STATUS: FieldSet = {"f:status": {}}
_SPEC: FieldSet = {"f:spec": {}}

_BESIDE_SPEC: Mapping[Stored, FieldSet] = {
    Stored("apps", "deployments"): {"f:metadata": {"f:labels": {}}},
    Stored("", "pods"): {"f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}}},
    Stored("apiextensions.k8s.io", "customresourcedefinitions"): {"f:metadata": {}},
}
"""What else writers of a status do not own."""


def reset_by(kind: Kind, subresource: str) -> FieldSet:
    """What the server puts back on such a write: the status, or all but the status."""
    if kind.subresource("status") is None:
        return {}
    match subresource:
        case "":
            return _STATUS
        case "status" if kind.custom:
            return {**_SPEC, "f:metadata": {}}
        case "status":
            return {**_SPEC, **_BESIDE_SPEC.get(kind.stored, {})}
    return {}
