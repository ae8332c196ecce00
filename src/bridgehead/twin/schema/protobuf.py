"""Bodies in protobuf, which kubectl sends for what it makes itself, as objects.

One generic decoder, driven by the numbers of the server's Go types (``gotypes``).

Source: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go, and the generated
``Unmarshal`` functions of k8s.io/api.
"""

import base64
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.decoding import in_go_form
from bridgehead.twin.schema.gotypes import GoField, go_type, type_of_kind
from bridgehead.twin.schema.scalars import MisfitError
from bridgehead.twin.schema.wire import Value, WireError, fields_of, packed, signed

_PREFIX = b"k8s\x00"


class ProtobufError(ValueError):
    """A body that is no object in protobuf; the message is the server's."""


def read_protobuf(body: bytes) -> Object:
    """The object of a body, with all that its kind has in JSON. Raises ProtobufError."""
    if not body:
        raise ProtobufError("empty data")
    if not body.startswith(_PREFIX):
        shown = " ".join(str(byte) for byte in _PREFIX)
        raise ProtobufError(
            f"provided data does not appear to be a protobuf message, expected prefix [{shown}]"
        )
    try:
        envelope = dict(fields_of(body[len(_PREFIX) :]))
        named = dict(fields_of(_bytes(envelope.get(1, b""))))
        api_version, kind = _text(named.get(1, b"")), _text(named.get(2, b""))
        name = type_of_kind(api_version, kind)
        if name is None:
            raise ProtobufError(f'no kind "{kind}" is registered for version "{api_version}"')
        made = in_go_form(name, _message(name, _bytes(envelope.get(2, b""))))
    except (WireError, MisfitError, UnicodeDecodeError, struct.error) as error:
        raise ProtobufError(str(error)) from None
    return {**made, "apiVersion": api_version, "kind": kind}


@cache
def _numbered(name: str) -> Mapping[int, GoField]:
    found = go_type(name)
    return {field.number: field for field in (found.fields if found else ()) if field.number}


def _message(name: str, message: bytes) -> Object:
    made: Object = {}
    numbered = _numbered(name)
    for number, value in fields_of(message):
        field = numbered.get(number)
        if field is None:
            continue
        if field.inline:
            made |= _message(field.type.lstrip("*"), _bytes(value))
        else:
            _put(made, field.key, field.type.lstrip("*"), value)
    return made


def _put(made: Object, key: str, written: str, value: Value) -> None:
    if written.startswith("[]"):
        listed = made.setdefault(key, [])
        base = written[2:].lstrip("*")
        if base in {"int32", "int64"} and isinstance(value, bytes):
            listed += [signed(number) for number in packed(value)]
        else:
            listed.append(_value(base, value))
    elif written.startswith("{}"):
        entry = dict(fields_of(_bytes(value)))
        inner = _value(written[2:].lstrip("*"), entry.get(2, b""))
        made.setdefault(key, {})[_text(entry.get(1, b""))] = inner
    elif (found := _value(written, value)) is not None:
        made[key] = found


def _value(base: str, value: Value) -> Any:
    read = _READERS.get(base)
    return read(value) if read is not None else _message(base, _bytes(value))


def _bytes(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    raise WireError("wrong wireType")


def _number(value: Value) -> int:
    if isinstance(value, int):
        return signed(value)
    if not value:  # a map's value that is the zero of its type is left out
        return 0
    raise WireError("wrong wireType")


def _text(value: Value) -> str:
    return _bytes(value).decode()


def _time(form: str) -> Callable[[Value], str | None]:
    def read(value: Value) -> str | None:
        found = dict(fields_of(_bytes(value)))
        seconds, nanos = _number(found.get(1, 0)), _number(found.get(2, 0))
        if not seconds and not nanos:
            return None
        try:
            moment = datetime.fromtimestamp(seconds, UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise WireError(str(error)) from None
        return moment.replace(microsecond=nanos // 1000).strftime(form)

    return read


def _duration(value: Value) -> str:
    nanoseconds = _number(dict(fields_of(_bytes(value))).get(1, 0))
    return f"{nanoseconds / 1e9:g}s"


def _int_or_string(value: Value) -> int | str:
    found = dict(fields_of(_bytes(value)))
    return _text(found.get(3, b"")) if found.get(1) else _number(found.get(2, 0))


def _quantity(value: Value) -> str:
    return _text(dict(fields_of(_bytes(value))).get(1, b"")) or "0"


def _raw(value: Value) -> Any:
    raw = _bytes(dict(fields_of(_bytes(value))).get(1, b""))
    try:
        return msgspec.json.decode(raw) if raw else None
    except msgspec.DecodeError as error:
        raise WireError(str(error)) from None


def _strings(value: Value) -> list[str]:
    return [_text(item) for number, item in fields_of(_bytes(value)) if number == 1]


_SCHEMA = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaProps"


def _schema_or(other: Callable[[list[Value]], Any], schema_number: int) -> Callable[[Value], Any]:
    """Types that are either a schema or something else, told apart by which number is there."""

    def read(value: Value) -> Any:
        others: list[Value] = []
        for number, item in fields_of(_bytes(value)):
            if number == schema_number:
                return _message(_SCHEMA, _bytes(item))
            others.append(item)
        return other(others)

    return read


_READERS: Mapping[str, Callable[[Value], Any]] = {
    "string": _text,
    "bytes": lambda value: base64.b64encode(_bytes(value)).decode(),
    "bool": lambda value: bool(_number(value)),
    "int32": _number,
    "int64": _number,
    "float64": lambda value: struct.unpack("<d", _bytes(value))[0],
    "Time": _time("%Y-%m-%dT%H:%M:%SZ"),
    "MicroTime": _time("%Y-%m-%dT%H:%M:%S.%fZ"),
    "Duration": _duration,
    "Quantity": _quantity,
    "IntOrString": _int_or_string,
    "FieldsV1": _raw,
    "RawExtension": _raw,
    "JSON": _raw,
    "Strings": _strings,
    "SchemaOrBool": _schema_or(lambda items: bool(items and items[0]), 2),
    "SchemaOrArray": _schema_or(
        lambda items: [_message(_SCHEMA, _bytes(item)) for item in items], 1
    ),
    "SchemaOrStrings": _schema_or(lambda items: [_text(item) for item in items], 1),
}
"""Readers of what is no struct."""
