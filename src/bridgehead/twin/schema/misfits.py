"""What is wrong with a body before it is an object: values of another type, unknown fields.

Both are told in the order of the body, as the server's decoder meets them.

Source: sigs.k8s.io/json, internal/golang/encoding/json/decode.go and kubernetes_patch.go.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from bridgehead.twin.schema.gotypes import GoField, fields_in_json, go_type
from bridgehead.twin.schema.scalars import SCALARS, MisfitError


class Misfit(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    lenient: bool
    """Whether it is no error unless the client wants it to be one."""
    message: str


class Written(dict[str, Any]):
    """A JSON object as it is written, with every key as often as it is there."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


class _Place(msgspec.Struct, frozen=True):
    """Where the decoder stands."""

    struct: str = ""
    fields: tuple[str, ...] = ()
    """Fields without the numbers of lists and keys of maps, as errors of types tell them."""
    path: str = ""

    def below(self, struct: str, field: GoField) -> "_Place":
        path = f"{self.path}.{field.key}" if self.path else field.key
        return _Place(struct, (*self.fields, *field.through, field.key), path)


def first_misfit(name: str, value: Any) -> str:
    """The message of the first value that does not fit."""
    return next((item.message for item in _walk(name, value, _Place()) if not item.lenient), "")


def strict_mistakes(name: str, value: Any) -> list[str]:
    """Fields that the struct does not have and, in what is ``Written``, that are there twice."""
    return [item.message for item in _walk(name, value, _Place()) if item.lenient]


def repeated_fields(value: Any, path: str = "") -> Iterator[str]:
    """Fields that are there twice, in a value of which no type is known."""
    if isinstance(value, Written):
        seen: set[str] = set()
        for key, inner in value.pairs:
            below = f"{path}.{key}" if path else key
            if key in seen:
                yield _twice(below).message
            seen.add(key)
            yield from repeated_fields(inner, below)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from repeated_fields(inner, f"{path}[{number}]")


def _entries(value: dict[str, Any]) -> list[tuple[str, Any]]:
    return value.pairs if isinstance(value, Written) else list(value.items())


def _twice(path: str) -> Misfit:
    return Misfit(True, f'duplicate field "{path}"')


def _walk(name: str, value: Any, place: _Place) -> Iterator[Misfit]:
    if not isinstance(value, dict):
        yield _error(value, name.rpartition("/")[2], place)
        return
    struct = go_type(name)
    known = {field.key: field for field in fields_in_json(name)}
    seen: set[str] = set()
    for key, inner in _entries(value):
        field = known.get(key)
        if field is None:
            path = f"{place.path}.{key}" if place.path else key
            yield Misfit(True, f'unknown field "{path}"')
            continue
        below = place.below(struct.name if struct else "", field)
        if key in seen:
            yield _twice(below.path)
        seen.add(key)
        if inner is not None:
            yield from _value(field.type, field.named, inner, below)


def _value(written: str, named: str, value: Any, place: _Place) -> Iterator[Misfit]:
    if value is None:
        return
    if written.startswith("*"):
        yield from _value(written[1:], named, value, place)
    elif written.startswith("[]"):
        if not isinstance(value, list):
            yield _error(value, f"[]{_go_name(written[2:], named)}", place)
            return
        for number, item in enumerate(value):
            inner = msgspec.structs.replace(place, path=f"{place.path}[{number}]")
            yield from _value(written[2:], named, item, inner)
    elif written.startswith("{}"):
        if not isinstance(value, dict):
            yield _error(value, named or f"map[string]{_go_name(written[2:], '')}", place)
            return
        seen: set[str] = set()
        for key, item in _entries(value):
            inner = msgspec.structs.replace(place, path=f"{place.path}.{key}")
            if key in seen:
                yield _twice(inner.path)
            seen.add(key)
            yield from _value(written[2:], "", item, inner)
    elif go_type(written) is not None:
        yield from _walk(written, value, place)
    else:
        yield from _scalar(written, named, value, place)


def _scalar(written: str, named: str, value: Any, place: _Place) -> Iterator[Misfit]:
    try:
        SCALARS[written](value)
    except MisfitError:
        yield _error(value, _go_name(written, named), place)


def _go_name(written: str, named: str) -> str:
    if go_type(written) is not None:
        *_, package, version = ["", *written.rpartition(".")[0].split("/")]
        return f"{version or package}.{written.rpartition('.')[2]}"
    return named or {"Quantity": "resource.Quantity", "Time": "v1.Time"}.get(written, written)


_OWN_WORDS = {
    "Quantity": (
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    ),
}
"""Types that read themselves say in their own words what is wrong."""


def _error(value: Any, wanted: str, place: _Place) -> Misfit:
    if wanted == "resource.Quantity":
        return Misfit(False, _OWN_WORDS["Quantity"])
    if wanted in _LAYOUTS:
        return Misfit(False, _time_complaint(value, _LAYOUTS[wanted]))
    if wanted == "bytes":
        if isinstance(value, str):
            return Misfit(False, _base64_complaint(value))
        wanted = "[]uint8"
    if wanted == "IntOrString":
        wanted = "int32"
    target = f"Go struct field {place.struct}.{'.'.join(place.fields)}"
    if not place.struct:
        target = "Go value"
    found = _found(value)
    if found == "number" and wanted.startswith(("int", "uint", "float")):
        found = f"number {value}"
    return Misfit(False, f"json: cannot unmarshal {found} into {target} of type {wanted}")


_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]*")


def _base64_complaint(value: str) -> str:
    found = _BASE64.match(value)
    return f"illegal base64 data at input byte {found.end() if found else 0}"


_LAYOUTS = {
    "v1.Time": "2006-01-02T15:04:05Z07:00",
    "MicroTime": "2006-01-02T15:04:05.000000Z07:00",
}


def _time_complaint(value: Any, layout: str) -> str:
    """How Go says that a text is no time: what it stopped at, and what it looked for there."""
    whole = re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", str(value))
    rest, sought = (str(value)[19:], ".000000") if whole else (str(value), "2006")
    return f'parsing time "{value}" as "{layout}": cannot parse "{rest}" as "{sought}"'


def _found(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
