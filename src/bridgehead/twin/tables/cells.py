"""What the cells of many kinds have in common: ages, containers, selectors."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from bridgehead.twin.objects import Object, at, fields, items
from bridgehead.twin.tables.durations import since

Cells: TypeAlias = Callable[[Object, float], list[Any]]
"""The cells of an object's row, in the order of the kind's columns; the time is the second value,
in seconds since the epoch."""

NONE = "<none>"
UNSET = "<unset>"


def age(obj: Object, now: float) -> str:
    """How old an object is."""
    return since(at(obj, "metadata", "creationTimestamp"), now)


def number(obj: Object, *path: str) -> int:
    """The number below a path; a field that is left out is 0."""
    return at(obj, *path) or 0


def word(obj: Object, *path: str, missing: str = "") -> str:
    """The value below a path as text."""
    found = at(obj, *path)
    return missing if found is None else str(found)


def containers(obj: Object, *template: str) -> list[str]:
    """Two cells: names and images of the containers of a pod template."""
    found = items(obj, *template, "spec", "containers")
    return [",".join(str(item.get(key, "")) for item in found) for key in ("name", "image")]


def labels(values: Mapping[str, Any]) -> str:
    """A set of labels. Source: ``labels.FormatLabels``."""
    return ",".join(f"{key}={values[key]}" for key in sorted(values)) or NONE


def selector(value: Object | None) -> str:
    """A label selector; empty for one that selects everything, or nothing.

    Source: ``metav1.LabelSelectorAsSelector`` and ``labels.Requirement.String``.
    """
    told = [(key, f"{key}={wanted}") for key, wanted in fields(value, "matchLabels").items()]
    told += [(entry["key"], _requirement(entry)) for entry in items(value, "matchExpressions")]
    return ",".join(text for _, text in sorted(told, key=lambda pair: pair[0]))


def selector_or_none(value: Object | None) -> str:
    """A label selector, or ``<none>``. Source: ``metav1.FormatLabelSelector``."""
    return selector(value) or NONE


def some(values: Iterable[str], limit: int, *, separator: str = ",") -> str:
    """The first values, and how many there are beside them; empty where there are none."""
    known = list(values)
    told = separator.join(known[:limit])
    return f"{told} + {len(known) - limit} more..." if len(known) > limit else told


def _requirement(entry: Object) -> str:
    key, values = entry["key"], ",".join(sorted(entry.get("values") or ()))
    match entry.get("operator"):
        case "In":
            return f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "DoesNotExist":
            return f"!{key}"
        case _:
            return str(key)
