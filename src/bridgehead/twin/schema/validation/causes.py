"""Reasons why an object is invalid, worded as field errors of the real server.

Source: k8s.io/apimachinery/pkg/util/validation/field/errors.go.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from bridgehead.twin.errors import Cause

Causes: TypeAlias = Iterator[Cause]

IMMUTABLE = "field is immutable"


def required(field: str, detail: str = "") -> Cause:
    """A value that is missing or empty."""
    return _cause("FieldValueRequired", field, "Required value", detail)


def invalid(field: str, value: Any, detail: str) -> Cause:
    """A value that breaks a rule."""
    return _cause("FieldValueInvalid", field, f"Invalid value: {shown(value)}", detail)


def not_supported(field: str, value: Any, supported: Iterable[str]) -> Cause:
    """A value that is none of those allowed."""
    listed = ", ".join(quoted(item) for item in supported)
    return _cause(
        "FieldValueNotSupported",
        field,
        f"Unsupported value: {shown(value)}",
        f"supported values: {listed}",
    )


def duplicate(field: str, value: Any, detail: str = "") -> Cause:
    """A value that another one of the list has too."""
    return _cause("FieldValueDuplicate", field, f"Duplicate value: {shown(value)}", detail)


def not_found(field: str, value: Any) -> Cause:
    """The name of something that is not there."""
    return _cause("FieldValueNotFound", field, f"Not found: {shown(value)}", "")


def forbidden(field: str, detail: str) -> Cause:
    """A value that is fine in itself and not allowed here."""
    return _cause("FieldValueForbidden", field, "Forbidden", detail)


def too_long(field: str, limit: int) -> Cause:
    """A text of too many bytes."""
    detail = f"may not be more than {limit} bytes"
    return _cause("FieldValueTooLong", field, "Too long", detail)


def immutable(field: str, value: Any, old: Any) -> Causes:
    """A value that may not differ from the one before."""
    if value != old:
        yield invalid(field, value, IMMUTABLE)


def shown(value: Any) -> str:
    """A bad value as messages print it: text quoted as Go does, structures as JSON."""
    if isinstance(value, str):
        return quoted(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def quoted(value: str) -> str:
    """A text in double quotes, as Go's ``%q`` prints it."""
    return json.dumps(value, ensure_ascii=False).replace("\\b", "\\x08").replace("\\f", "\\x0c")


def _cause(reason: str, field: str, what: str, detail: str) -> Cause:
    message = f"{what}: {detail}" if detail else what
    return Cause(reason=reason, message=message, field=field)
