"""Names, labels, annotations, owners and finalizers of all kinds.

Source: k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, is_deleting, items
from bridgehead.twin.schema.validation.causes import (
    Causes,
    forbidden,
    immutable,
    invalid,
    required,
    too_long,
)
from bridgehead.twin.schema.validation.names import (
    dns_label,
    dns_subdomain,
    label_value,
    path_segment,
    qualified_name,
)

LARGEST_ANNOTATIONS = 256 * 1024
"""Bytes of all annotations of an object together."""

_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
"""Finalizers whose names need no prefix."""

_RBAC = "rbac.authorization.k8s.io"

_NAMES: Mapping[Stored, Callable[[str], Iterator[str]]] = {
    Stored("", "namespaces"): dns_label,
    Stored("", "services"): dns_label,
    Stored(_RBAC, "roles"): path_segment,
    Stored(_RBAC, "rolebindings"): path_segment,
    Stored(_RBAC, "clusterroles"): path_segment,
    Stored(_RBAC, "clusterrolebindings"): path_segment,
}
"""Rules for names other than that of a DNS subdomain."""


def metadata_causes(kind: Kind, obj: Object) -> Causes:
    """What is wrong with the metadata of a new object."""
    metadata = obj["metadata"]
    rule = _NAMES.get(kind.stored, dns_subdomain)
    if prefix := metadata.get("generateName"):
        stem = prefix.removesuffix("-") + "a" if prefix.endswith("-") else prefix
        for message in rule(stem):
            yield invalid("metadata.generateName", prefix, message)
    if not (name := metadata.get("name")):
        yield required("metadata.name", "name or generateName is required")
    else:
        for message in rule(name):
            yield invalid("metadata.name", name, message)
    if not kind.namespaced and metadata.get("namespace"):
        yield forbidden("metadata.namespace", "not allowed on this type")
    yield from label_causes(metadata.get("labels"), "metadata.labels")
    yield from annotation_causes(metadata.get("annotations"), "metadata.annotations")
    yield from _owner_causes(metadata.get("ownerReferences"))
    for finalizer in metadata.get("finalizers") or ():
        for message in qualified_name(finalizer):
            yield invalid("metadata.finalizers", finalizer, message)
    if not kind.custom:
        yield from _finalizer_causes(metadata)


def _finalizer_causes(metadata: Mapping[str, Any]) -> Causes:
    for number, finalizer in enumerate(metadata.get("finalizers") or ()):
        if "/" not in finalizer and finalizer not in _FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid(f"metadata.finalizers[{number}]", finalizer, detail)


def metadata_update_causes(kind: Kind, obj: Object, old: Object) -> Causes:
    """What is wrong with the metadata of an object that replaces another one."""
    metadata, before = obj["metadata"], old["metadata"]
    if is_deleting(old):
        known = items(old, "metadata", "finalizers")
        new = sorted({item for item in metadata.get("finalizers") or () if item not in known})
        if new:
            listed = ", ".join(f'"{item}"' for item in new)
            yield forbidden(
                "metadata.finalizers",
                "no new finalizers can be added if the object is being deleted, found new "
                f"finalizers []string{{{listed}}}",
            )
    for key in ("name", "namespace", "uid", "creationTimestamp"):
        yield from immutable(f"metadata.{key}", metadata.get(key), before.get(key))
    yield from label_causes(metadata.get("labels"), "metadata.labels")
    yield from annotation_causes(metadata.get("annotations"), "metadata.annotations")
    yield from _owner_causes(metadata.get("ownerReferences"))
    if not kind.custom:
        yield from _finalizer_causes(metadata)


def label_causes(labels: Mapping[str, str] | None, field: str) -> Causes:
    """What is wrong with a map of labels."""
    for key, value in (labels or {}).items():
        for message in qualified_name(key):
            yield invalid(field, key, message)
        for message in label_value(value):
            yield invalid(field, value, message)


def annotation_causes(annotations: Mapping[str, str] | None, field: str) -> Causes:
    """What is wrong with a map of annotations."""
    size = 0
    for key, value in (annotations or {}).items():
        size += len(key.encode()) + len(value.encode())
        for message in qualified_name(key.lower()):
            yield invalid(field, key, message)
    if size > LARGEST_ANNOTATIONS:
        yield too_long(field, LARGEST_ANNOTATIONS)


def _owner_causes(owners: Any) -> Causes:
    controllers: list[str] = []
    for number, owner in enumerate(owners or ()):
        field = f"metadata.ownerReferences[{number}]"
        for key in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(key):
                yield required(f"{field}.{key}", "must not be empty")
        if owner.get("controller"):
            controllers.append(f"{owner.get('kind')}/{owner.get('name')}")
    for other in controllers[1:]:
        yield invalid(
            "metadata.ownerReferences",
            owners,
            'Only one reference can have Controller set to true. Found "true" in references for '
            f"{controllers[0]} and {other}",
        )
