"""Values that are no structs: how the server reads them, and the form in which it writes them.

Source: k8s.io/apimachinery/pkg/api/resource/quantity.go, .../apis/meta/v1/time.go, .../duration.go.
"""

import base64
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from bridgehead.twin.schema.quantities import PATTERN, canonical


class MisfitError(Exception):
    """A value is of another type than its field."""


_BOUNDS = {
    "int": 2**63,
    "int32": 2**31,
    "int64": 2**63,
    "uint32": 2**32,
    "uint64": 2**64,
}

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")

_RFC3339_MICRO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$")

_WHOLE_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

_MICROSECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")


def _string(value: Any) -> Any:
    if type(value) is str:
        return value
    if value is None:
        return ""
    raise MisfitError


def _base64(value: Any) -> Any:
    try:
        base64.b64decode(_string(value), validate=True)
    except ValueError:
        raise MisfitError from None
    return value


def _bool(value: Any) -> Any:
    if type(value) is bool:
        return value
    if value is None:
        return False
    raise MisfitError


def _integer(bound: int) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is int and -bound <= value < bound:
            return value
        if value is None:
            return 0
        raise MisfitError

    return read


def _number(value: Any) -> Any:
    if type(value) in (int, float):
        return value
    raise MisfitError


def _quantity(value: Any) -> Any:
    if value is None:
        return "0"
    if type(value) in (str, int, float) and PATTERN.match(str(value)):
        return canonical(value)
    raise MisfitError


def _int_or_string(value: Any) -> Any:
    if type(value) is str or (type(value) is int and -(2**31) <= value < 2**31):
        return value
    raise MisfitError


def _time(value: Any) -> Any:
    if type(value) is not str or not _RFC3339.match(value):
        raise MisfitError
    if _WHOLE_SECONDS.match(value):
        return value
    return _moment(value).strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: Any) -> Any:
    if type(value) is not str or not _RFC3339_MICRO.match(value):
        raise MisfitError
    if _MICROSECONDS.match(value):
        return value
    return _moment(value).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _moment(value: str) -> datetime:
    try:
        return datetime.fromisoformat(value).astimezone(UTC)
    except ValueError:
        raise MisfitError from None


def _strings(value: Any) -> Any:
    if type(value) is not list:
        raise MisfitError
    return [_string(item) for item in value]


def _anything(value: Any) -> Any:
    return value


def _object(value: Any) -> Any:
    if type(value) is not dict:
        raise MisfitError
    return value


SCALARS: Mapping[str, Callable[[Any], Any]] = {
    "string": _string,
    "bytes": _base64,
    "bool": _bool,
    **{name: _integer(bound) for name, bound in _BOUNDS.items()},
    "float64": _number,
    "Quantity": _quantity,
    "IntOrString": _int_or_string,
    "Time": _time,
    "MicroTime": _micro_time,
    "Duration": _string,
    "Strings": _strings,
    "FieldsV1": _object,
    "RawExtension": _anything,
    "JSON": _anything,
    "SchemaOrBool": _anything,
    "SchemaOrArray": _anything,
    "SchemaOrStrings": _anything,
    "any": _anything,
}
"""Readers by base type; each raises MisfitError for a value of another type."""
