"""An object as the server's own types hold it: what they do not know is gone, zeros are there.

Decoding and encoding by Go types drops nulls, unknown fields and empty values that are left out,
writes the zeros that are not, and brings amounts and times into their canonical form. For each
type one function is made when it is first needed: pods pass here by the ten thousand.

Source: encoding/json of Go and k8s.io/apimachinery/pkg/runtime/serializer/json/json.go.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from bridgehead.twin.errors import bad_request
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.gotypes import GoField, fields_in_json, go_type, type_of_kind
from bridgehead.twin.schema.misfits import first_misfit
from bridgehead.twin.schema.scalars import SCALARS, MisfitError

_Decode = Callable[[Any], Any]

_STRUCTS = frozenset({"Time", "MicroTime", "Duration", "Quantity", "IntOrString", "RawExtension"})
"""Scalars that are structs in Go: leaving out empty values does not leave these out."""

_ZEROS = {
    "string": "",
    "bool": False,
    **dict.fromkeys(("int", "int32", "int64", "uint32", "uint64", "float64"), 0),
    "Quantity": "0",
    "IntOrString": 0,
    "Duration": "0s",
}
"""What a field that is never left out says when nothing was said; null for all others."""


def decoded(kind: Kind, obj: Object) -> Object:
    """A private copy in the form of the server's types; of a custom kind just a private copy.

    Raises ApiError 400 where a value is of another type than its field.
    """
    name = type_of_kind(kind.api_version, kind.kind)
    if name is None:
        copy: Object = private_copy(obj)
        return copy
    try:
        return in_go_form(name, obj)
    except MisfitError:
        raise bad_request(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
            f"{first_misfit(name, obj)}"
        ) from None


def in_go_form(name: str, value: Object) -> Object:
    """A value in the form of the struct of that name. Raises MisfitError."""
    made: Object = _decoder(name)(value)
    return made


def empty_status(kind: Kind) -> Object | None:
    """The status of an object of which nothing is known; None where its kind has none."""
    name = type_of_kind(kind.api_version, kind.kind)
    status: Object | None = in_go_form(name, {}).get("status") if name else None
    return status


def private_copy(value: Any) -> Any:
    """A copy that shares nothing with its original."""
    if isinstance(value, dict):
        return {key: private_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [private_copy(item) for item in value]
    return value


@cache
def _decoder(name: str) -> _Decode:
    """The function that decodes a struct; structs that contain themselves find it by name."""
    steps = [
        (field.key, _reader(field.type), _is_left_out(field), _is_container(field), _zero(field))
        for field in fields_in_json(name)
    ]

    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise MisfitError
        made: Object = {}
        for key, read, left_out, container, zero in steps:
            found = value.get(key)
            if found is not None:
                found = read(found)
                if found or not (left_out or container):
                    made[key] = found
                elif container and not left_out:
                    made[key] = None  # what is empty comes back from the store as nothing
            elif zero is not _NOTHING:
                made[key] = zero(_EMPTY) if callable(zero) else zero
        return made

    return decode


_NOTHING = object()
_EMPTY: Object = {}


def _is_container(field: GoField) -> bool:
    return field.type.startswith(("[]", "{}"))


def _is_left_out(field: GoField) -> bool:
    """Whether an empty value is dropped: never a pointer's, nor a struct's that always is there."""
    if field.type.startswith("*") or not field.omit:
        return False
    is_struct = field.type in _STRUCTS or go_type(field.type) is not None
    return field.omit == "zero" or not is_struct


def _zero(field: GoField) -> Any:
    if field.type.startswith("*"):
        return _NOTHING if field.omit else None
    if field.omit == "zero":
        return _NOTHING
    if go_type(field.type) is not None:
        return _reader(field.type)
    if field.omit and field.type not in _STRUCTS:
        return _NOTHING
    return _ZEROS.get(field.type)


def _reader(written: str) -> _Decode:
    """How a value of a type is read: ``*``, ``[]`` and ``{}`` before a base."""
    if written.startswith("*"):
        return _reader(written[1:])
    if written.startswith("[]"):
        return _list_reader(_reader(written[2:]))
    if written.startswith("{}"):
        return _map_reader(_reader(written[2:]))
    if go_type(written) is None:
        return SCALARS[written]
    return partial(_read_struct, written)


def _read_struct(name: str, value: Any) -> Any:
    """By name, and only when a value is there: structs may contain themselves."""
    return _decoder(name)(value)


def _list_reader(read: _Decode) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is not list:
            raise MisfitError
        return [read(item) for item in value]

    return decode


def _map_reader(read: _Decode) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise MisfitError
        return {key: read(item) for key, item in value.items()}

    return decode
