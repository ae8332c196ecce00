"""Values of custom objects against their schema.

Source: k8s.io/kube-openapi/pkg/validation/validate and
k8s.io/apiextensions-apiserver/pkg/apiserver/validation/validation.go.
"""

import re
from collections.abc import Mapping
from typing import Any

from bridgehead.twin.errors import Cause
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import Causes, invalid, not_supported, required

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}

_OF_EVERY_OBJECT = frozenset({"apiVersion", "kind", "metadata"})


def custom_causes(schema: Schema, obj: Object) -> Causes:
    """What is wrong with a custom object beside its metadata."""
    inside = {key: value for key, value in obj.items() if key not in _OF_EVERY_OBJECT}
    known = set(schema.get("required") or ()) - _OF_EVERY_OBJECT
    yield from _causes({**schema, "required": sorted(known)}, inside, "")


def _causes(schema: Schema, value: Any, field: str) -> Causes:
    if value is None and schema.get("nullable"):
        return
    if schema.get("x-kubernetes-int-or-string"):
        if not isinstance(value, int | str) or isinstance(value, bool):
            yield _wrong_type(field, value, "integer,string")
        return
    wanted = schema.get("type")
    if wanted and not _is_of(value, wanted):
        yield _wrong_type(field, value, wanted)
    elif isinstance(value, dict):
        yield from _object_causes(schema, value, field)
    elif isinstance(value, list):
        yield from _list_causes(schema, value, field)
    else:
        yield from _scalar_causes(schema, value, field)
    if (allowed := schema.get("enum")) and value not in allowed:
        yield not_supported(field, value, [str(item) for item in allowed])


def _object_causes(schema: Schema, value: Object, field: str) -> Causes:
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    others = schema.get("additionalProperties")
    for key in sorted(value):
        inner = properties.get(key) or (others if isinstance(others, dict) else None)
        if inner is not None:
            yield from _causes(inner, value[key], f"{field}.{key}" if field else key)
    for key in schema.get("required") or ():
        if key not in value:
            yield required(f"{field}.{key}" if field else key)


def _list_causes(schema: Schema, value: list[Any], field: str) -> Causes:
    inner = schema.get("items")
    if isinstance(inner, dict):
        for number, item in enumerate(value):
            yield from _causes(inner, item, f"{field}[{number}]")
    if len(value) < (least := schema.get("minItems") or 0):
        yield invalid(field, len(value), f"{field} in body should have at least {least} items")


def _scalar_causes(schema: Schema, value: Any, field: str) -> Causes:
    if isinstance(value, str):
        if (form := schema.get("pattern")) and not _matches(form, value):
            yield invalid(field, value, f"{field} in body should match '{form}'")
        if len(value) < (least := schema.get("minLength") or 0):
            detail = f"{field} in body should be at least {least} chars long"
            yield invalid(field, value, detail)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None and value < low:
            detail = f"{field} in body should be greater than or equal to {low}"
            yield invalid(field, value, detail)
        if high is not None and value > high:
            detail = f"{field} in body should be less than or equal to {high}"
            yield invalid(field, value, detail)


def _matches(form: str, value: str) -> bool:
    try:
        return re.search(form, value) is not None
    except re.error:  # a form of Go's that Python has not: nothing can be said
        return True


def _is_of(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    if isinstance(value, float) and wanted == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES.get(wanted, (object,)))


def _wrong_type(field: str, value: Any, wanted: str) -> Cause:
    found = _name_of(value)
    cause = invalid(field, found, f'{field} in body must be of type {wanted}: "{found}"')
    cause["reason"] = "FieldValueTypeInvalid"
    return cause


def _name_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return next(name for name, types in _TYPES.items() if isinstance(value, types))
