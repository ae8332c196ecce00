"""Environment variables of containers.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, ValidateEnv and ValidateEnvFrom.
"""

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import Causes, invalid, not_supported, required
from bridgehead.twin.schema.validation.names import (
    config_key,
    dns_subdomain,
    environment_name,
    qualified_name,
)

_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)

_CONVERTED = frozenset(
    {
        *("metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName"),
        "status.phase",
    }
)
"""Fields that volumes may show and variables may not."""

_RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def environment_causes(container: Object, field: str) -> Causes:
    """What is wrong with ``env`` and ``envFrom`` of a container."""
    for number, variable in enumerate(container.get("env") or ()):
        place = f"{field}.env[{number}]"
        if name := variable.get("name"):
            for message in environment_name(name):
                yield invalid(f"{place}.name", name, message)
        else:
            yield required(f"{place}.name")
        yield from _source_causes(variable, f"{place}.valueFrom")
    for number, source in enumerate(container.get("envFrom") or ()):
        yield from _bundle_causes(source, f"{field}.envFrom[{number}]", f"{field}.envFrom")


def _source_causes(variable: Object, field: str) -> Causes:
    source = variable.get("valueFrom")
    if source is None:
        return
    given = [key for key in _SOURCES if source.get(key) is not None]
    if (reference := source.get("fieldRef")) is not None:
        yield from _field_causes(reference.get("fieldPath") or "", f"{field}.fieldRef.fieldPath")
    if (reference := source.get("resourceFieldRef")) is not None:
        resource = reference.get("resource") or ""
        if not resource:
            yield required(f"{field}.resourceFieldRef.resource")
        elif resource not in _RESOURCES and ".hugepages-" not in resource:
            yield not_supported(f"{field}.resourceFieldRef.resource", resource, _RESOURCES)
    for key in ("configMapKeyRef", "secretKeyRef"):
        if (reference := source.get(key)) is not None:
            yield from _key_causes(reference, f"{field}.{key}")
    if not given:
        listed = ", ".join(f"`{key}`" for key in _SOURCES[:-1])
        yield invalid(field, "", f"must specify one of: {listed} or `fileKeyRef`")
    elif variable.get("value"):
        yield invalid(field, "", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield invalid(field, "", "may not have more than one field specified at a time")


def _field_causes(path: str, field: str) -> Causes:
    if not path:
        yield required(field)
        return
    name, bracket, key = path.partition("['")
    if not bracket:
        if path in _CONVERTED:
            yield not_supported(field, path, _FIELDS)
        elif path not in _FIELDS:
            detail = f"error converting fieldPath: field label not supported: {path}"
            yield invalid(field, path, detail)
        return
    key = key.removesuffix("']")
    if name not in {"metadata.annotations", "metadata.labels"}:
        yield invalid(field, path, "does not support subscript")
        return
    for message in qualified_name(key.lower() if name == "metadata.annotations" else key):
        yield invalid(field, key, message)


def _key_causes(reference: Object, field: str) -> Causes:
    if name := reference.get("name"):
        for message in dns_subdomain(name):
            yield invalid(f"{field}.name", name, message)
    else:
        yield required(f"{field}.name")
    if key := reference.get("key"):
        for message in config_key(key):
            yield invalid(f"{field}.key", key, message)
    else:
        yield required(f"{field}.key")


def _bundle_causes(source: Object, place: str, field: str) -> Causes:
    if prefix := source.get("prefix"):
        for message in environment_name(prefix):
            yield invalid(f"{place}.prefix", prefix, message)
    given = [key for key in ("configMapRef", "secretRef") if source.get(key) is not None]
    for key in given:
        if name := source[key].get("name"):
            for message in dns_subdomain(name):
                yield invalid(f"{place}.{key}.name", name, message)
        else:
            yield required(f"{place}.{key}.name")
    if not given:
        yield invalid(field, "", "must specify one of: `configMapRef` or `secretRef`")
    elif len(given) > 1:
        yield invalid(field, "", "may not have more than one field specified at a time")
