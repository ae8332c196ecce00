"""Objects of the twin: plain JSON values, shared freely because nobody ever changes one.

A stored object belongs to everybody: who wants another one makes a copy along the path that
changes (``with_field``), and stores that.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Object: TypeAlias = dict[str, Any]
"""An API object as decoded JSON. Never changed in place once it is stored."""

_EMPTY: Mapping[str, Any] = {}


def at(value: Any, *path: str) -> Any:
    """What lies below ``path``, or None where a step of it is missing."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: Any, *path: str) -> str:
    """The string below ``path``, or an empty one."""
    for key in path:  # once more in each of these: they are called by the million
        if not isinstance(value, dict):
            return ""
        value = value.get(key)
    return value if isinstance(value, str) else ""


def items(value: Any, *path: str) -> Sequence[Any]:
    """The list below ``path``, or an empty one."""
    for key in path:
        if not isinstance(value, dict):
            return ()
        value = value.get(key)
    return value if isinstance(value, list) else ()


def fields(value: Any, *path: str) -> Mapping[str, Any]:
    """The object below ``path``, or an empty one."""
    for key in path:
        if not isinstance(value, dict):
            return _EMPTY
        value = value.get(key)
    return value if isinstance(value, dict) else _EMPTY


def with_field(value: Object, path: Sequence[str], new: Any) -> Object:
    """A copy with ``new`` below ``path``; everything beside the path is shared. None removes it."""
    copy = dict(value)
    inner = copy
    for key in path[:-1]:
        below = inner.get(key)
        below = dict(below) if isinstance(below, dict) else {}
        inner[key] = below
        inner = below
    if new is None:
        inner.pop(path[-1], None)
    else:
        inner[path[-1]] = new
    return copy


def name_of(value: Object) -> str:
    """``metadata.name``."""
    metadata = value.get("metadata")
    found = metadata.get("name") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def namespace_of(value: Object) -> str:
    """``metadata.namespace``; empty for objects of the whole cluster."""
    metadata = value.get("metadata")
    found = metadata.get("namespace") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def uid_of(value: Object) -> str:
    """``metadata.uid``."""
    return text(value, "metadata", "uid")


def labels_of(value: Object) -> Mapping[str, str]:
    """``metadata.labels``."""
    return fields(value, "metadata", "labels")


def is_deleting(value: Object) -> bool:
    """Whether somebody has asked for its deletion."""
    return bool(text(value, "metadata", "deletionTimestamp"))


def controller_of(value: Object) -> Object | None:
    """The owner reference with ``controller: true``, if there is one."""
    for owner in items(value, "metadata", "ownerReferences"):
        if owner.get("controller"):
            return dict(owner)
    return None
