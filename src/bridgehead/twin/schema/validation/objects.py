"""Kinds that carry no pods: data, nodes, budgets, leases, priorities.

Source: k8s.io/kubernetes/pkg/apis/{core,policy,coordination,scheduling}/validation.
"""

import base64
import binascii
from collections.abc import Iterable

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
    too_long,
)
from bridgehead.twin.schema.validation.internal import internal_form
from bridgehead.twin.schema.validation.names import config_key
from bridgehead.twin.schema.validation.pods import taint_causes
from bridgehead.twin.schema.validation.resources import amount_causes
from bridgehead.twin.schema.validation.selectors import selector_causes
from bridgehead.twin.schema.validation.workloads import (
    amount_or_percent_causes,
    at_most_all_causes,
)

_LARGEST = 1024 * 1024
"""Bytes in a ConfigMap or Secret."""

_HIGHEST_PRIORITY = 1_000_000_000
"""Of classes that users make."""

_SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}

_SECRET_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
"""Keys that a Secret of a type must have."""

_ACCOUNT_NAME = "kubernetes.io/service-account.name"


def config_map_causes(obj: Object) -> Causes:
    """What is wrong with a ConfigMap's data."""
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for key in data:
        yield from _key_causes(key, f"data[{key}]")
        if key in binary:
            yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    for key in binary:
        yield from _key_causes(key, f"binaryData[{key}]")
    size = sum(len(value.encode()) for value in data.values()) + _decoded_size(binary.values())
    if size > _LARGEST:
        yield too_long("", _LARGEST)


def secret_causes(obj: Object) -> Causes:
    """What is wrong with a Secret's data."""
    data = obj.get("data") or {}
    for key in data:
        yield from _key_causes(key, f"data[{key}]")
    if _decoded_size(data.values()) > _LARGEST:
        yield too_long("data", _LARGEST)
    for key in _SECRET_KEYS.get(obj.get("type") or "", ()):
        if key not in data:
            yield required(f"data[{key}]")
    if obj.get("type") == "kubernetes.io/basic-auth" and not {"username", "password"} & {*data}:
        yield required("data[username]")
        yield required("data[password]")
    annotations = obj["metadata"].get("annotations") or {}
    is_token = obj.get("type") == "kubernetes.io/service-account-token"
    if is_token and not annotations.get(_ACCOUNT_NAME):
        yield required(f"metadata.annotations[{_ACCOUNT_NAME}]")


def secret_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a Secret."""
    yield from immutable("type", obj.get("type"), old.get("type"))
    yield from sealed_update_causes(obj, old)


def sealed_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a ConfigMap or Secret that says ``immutable``."""
    if not old.get("immutable"):
        return
    detail = "field is immutable when `immutable` is set"
    if not obj.get("immutable"):
        yield forbidden("immutable", detail)
    for key in ("data", "binaryData"):
        if (obj.get(key) or {}) != (old.get(key) or {}):
            yield forbidden(key, detail)


def node_causes(obj: Object) -> Causes:
    """What is wrong with a Node."""
    yield from taint_causes((obj.get("spec") or {}).get("taints") or (), "metadata.taints")
    status = obj.get("status") or {}
    for key in ("capacity", "allocatable"):
        for name, amount in (status.get(key) or {}).items():
            yield from amount_causes(name, amount, f"status.{key}.{name}")


def node_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a Node."""
    spec, before = obj.get("spec") or {}, old.get("spec") or {}
    if before.get("podCIDRs") and spec.get("podCIDRs") != before["podCIDRs"]:
        detail = 'node updates may not change podCIDR except from "" to valid'
        yield forbidden("spec.podCIDRs", detail)
    if (known := before.get("providerID")) and (given := spec.get("providerID")) != known:
        what = "modified" if given else "cleared"
        yield invalid("spec.providerID", None, f"field cannot be {what} once set")


def budget_causes(obj: Object) -> Causes:
    """What is wrong with a PodDisruptionBudget."""
    spec = obj.get("spec") or {}
    if {"minAvailable", "maxUnavailable"} <= {*spec}:
        yield invalid(
            "spec",
            internal_form("Budget", spec),
            "minAvailable and maxUnavailable cannot be both set",
        )
    for key in ("minAvailable", "maxUnavailable"):
        if (value := spec.get(key)) is not None:
            yield from amount_or_percent_causes(value, f"spec.{key}")
            yield from at_most_all_causes(value, f"spec.{key}")
    yield from selector_causes(spec.get("selector"), "spec.selector")
    policy, supported = spec.get("unhealthyPodEvictionPolicy"), ("AlwaysAllow", "IfHealthyBudget")
    if policy is not None and policy not in supported:
        yield not_supported("spec.unhealthyPodEvictionPolicy", policy, supported)


def lease_causes(obj: Object) -> Causes:
    """What is wrong with a Lease."""
    spec = obj.get("spec") or {}
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        yield invalid("spec.leaseDurationSeconds", duration, "must be greater than 0")
    if transitions is not None and transitions < 0:
        detail = "must be greater than or equal to 0"
        yield invalid("spec.leaseTransitions", transitions, detail)


def priority_class_causes(obj: Object) -> Causes:
    """What is wrong with a PriorityClass."""
    name, value = obj["metadata"].get("name") or "", obj.get("value") or 0
    if name.startswith("system-"):
        known = _SYSTEM_CLASSES.get(name)
        reserved = (
            "priority class names with 'system-' prefix are reserved for system use only. error: "
        )
        if known is None:
            detail = f"{name} is not a known system priority class"
            yield forbidden("metadata.name", reserved + detail)
        elif value != known:
            detail = f"value of {name} PriorityClass must be {known}"
            yield forbidden("metadata.name", reserved + detail)
    elif value > _HIGHEST_PRIORITY:
        detail = f"maximum allowed value of a user defined priority is {_HIGHEST_PRIORITY}"
        yield forbidden("value", detail)
    policy, supported = obj.get("preemptionPolicy"), ("PreemptLowerPriority", "Never")
    if policy not in {None, *supported}:
        yield not_supported("preemptionPolicy", policy, supported)


def priority_class_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a PriorityClass."""
    if (obj.get("value") or 0) != (old.get("value") or 0):
        yield forbidden("value", "may not be changed in an update.")
    key = "preemptionPolicy"
    yield from immutable(key, obj.get(key), old.get(key))


def revision_causes(obj: Object) -> Causes:
    """What is wrong with a ControllerRevision."""
    if (number := obj.get("revision") or 0) < 0:
        yield invalid("revision", number, "must be greater than or equal to 0")
    if obj.get("data") is None:
        yield required("data", "data is mandatory")
    elif not isinstance(obj["data"], dict):
        yield required("data", "data must be a valid JSON object")


def event_causes(obj: Object) -> Causes:
    """What is wrong with an Event of the core group."""
    namespace = (obj.get("involvedObject") or {}).get("namespace") or ""
    own = obj["metadata"].get("namespace") or ""
    if namespace not in {own, ""} or (not namespace and own not in {"", "default"}):
        yield invalid("involvedObject.namespace", namespace, "does not match event.namespace")


def claim_causes(obj: Object) -> Causes:
    """What is wrong with a PersistentVolumeClaim."""
    spec = obj.get("spec") or {}
    if not spec.get("accessModes"):
        yield required("spec.accessModes", "at least 1 access mode is required")
    if "storage" not in ((spec.get("resources") or {}).get("requests") or {}):
        yield required("spec.resources[storage]")


def storage_class_causes(obj: Object) -> Causes:
    """What is wrong with a StorageClass."""
    if not obj.get("provisioner"):
        yield required("provisioner")


def ingress_causes(obj: Object) -> Causes:
    """What is wrong with an Ingress, as far as it leads anywhere."""
    spec = obj.get("spec") or {}
    if not spec.get("rules") and not spec.get("defaultBackend"):
        yield invalid("spec", None, "either `defaultBackend` or `rules` must be specified")


def revision_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a ControllerRevision."""
    yield from immutable("data", obj.get("data"), old.get("data"))


def _key_causes(key: str, field: str) -> Causes:
    for message in config_key(key):
        yield invalid(field, key, message)


def _decoded_size(values: Iterable[str]) -> int:
    size = 0
    for value in values:
        try:
            size += len(base64.b64decode(value))
        except (binascii.Error, ValueError):
            size += len(value)
    return size
