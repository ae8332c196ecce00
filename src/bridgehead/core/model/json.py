"""JSON values as the core sees them: templates and details that nobody here interprets in full."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "Mapping[str, JsonValue] | Sequence[JsonValue] | str | int | float | bool | None"
    )
    JsonObject: TypeAlias = Mapping[str, JsonValue]
else:  # msgspec resolves annotations where they stand and cannot follow a recursive alias
    JsonValue = object
    JsonObject = Mapping[str, object]


def canonical(value: JsonValue) -> str:
    """One text for one value: sorted keys, no spaces. Digests and comparisons rest on it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: JsonValue) -> str:
    """``sha256:`` and the hex digest of the value's canonical text."""
    return "sha256:" + hashlib.sha256(canonical(value).encode()).hexdigest()


def child(value: JsonValue, *path: str) -> JsonValue:
    """The value below ``path``, or None where a step of it is missing or not an object."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def children(value: JsonValue, *path: str) -> tuple[JsonObject, ...]:
    """The objects of the list below ``path``; what is missing or not an object is left out."""
    found = child(value, *path)
    if isinstance(found, str) or not isinstance(found, Sequence):
        return ()
    return tuple(item for item in found if isinstance(item, Mapping))


def differing(one: JsonValue, other: JsonValue, path: str = "") -> Iterator[str]:
    """Paths at which two values differ, as people write them; a null is the same as nothing."""
    if one == other:
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*one, *other)):
            inner = f"{path}.{key}" if path else key
            yield from differing(one.get(key), other.get(key), inner)
    elif _listed(one) and _listed(other) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differing(left, right, f"{path}[{number}]")
    else:
        yield path


def _listed(value: JsonValue) -> "TypeGuard[Sequence[JsonValue]]":
    return isinstance(value, Sequence) and not isinstance(value, str)


def text(value: JsonValue, *path: str) -> str:
    """The string below ``path``, or an empty one."""
    found = child(value, *path)
    return found if isinstance(found, str) else ""


def texts(value: JsonValue, *path: str) -> dict[str, str]:
    """The object of strings below ``path`` (labels, node selectors), or an empty one."""
    found = child(value, *path)
    if not isinstance(found, Mapping):
        return {}
    return {key: item for key, item in found.items() if isinstance(item, str)}
