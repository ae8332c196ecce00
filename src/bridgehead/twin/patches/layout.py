"""What matters of a shape for owning its fields: which values are one piece, and which are trees.

Source: k8s.io/kube-openapi/pkg/schemaconv (from schemas to these rules) and
sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go (path elements of items).
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, Literal

from bridgehead.twin.patches.field_set import encoded
from bridgehead.twin.schema.shapes import Shape

Form = Literal["map", "list", "scalar"]

ABSENT: Any = object()
"""No value at all, which is not null."""

_RAW = "io.k8s.apimachinery.pkg.runtime.RawExtension"
_SCALARS = {"integer": "numeric", "number": "numeric", "boolean": "boolean"}


class ItemError(Exception):
    """An item of a list that cannot be told from others."""


class Layout:
    """The rules of one node. ``UNTYPED`` and ``DEDUCED`` are those of values without a schema."""

    scalar: str = "untyped"
    """``numeric``, ``string``, ``boolean``, ``untyped``; empty where no scalar may be."""
    is_map: bool = True
    is_list: bool = True
    atomic_map: bool = False
    atomic_list: bool = True
    keys: tuple[str, ...] = ()
    """Of the items of a list; none for a set of scalars."""
    fields: Mapping[str, "Layout"] = {}
    element: "Layout | None" = None
    """Of values of a map that are not named fields; None where there may not be any."""
    item: "Layout"
    default: Any = None
    is_struct: bool = False
    """Whether a Go type with named fields stands behind it."""
    implied: Mapping[str, Any] = {}
    """Fields that Go's types always have, with the values of those that nobody set."""

    def form(self, value: Any) -> Form:
        """As what a value is handled. A null fits everything."""
        if isinstance(value, dict):
            fits: Form = "map"
        elif isinstance(value, list):
            fits = "list"
        else:
            fits = "scalar"
        if value is not None and self._allows(fits):
            return fits
        return "map" if self.is_map else "scalar" if self.scalar else "list"

    def _allows(self, form: Form) -> bool:
        return {"map": self.is_map, "list": self.is_list, "scalar": bool(self.scalar)}[form]

    def child(self, key: str) -> "Layout | None":
        """The rules of a field, named or not."""
        return self.fields.get(key) or self.element

    def path_element(self, item: Any) -> str:
        """What an item of an associative list is called in a set. Raises ItemError."""
        if not self.keys:
            return f"v:{encoded(_set_item(item))}"
        if item is None:
            raise ItemError("associative list with keys may not have a null element")
        if not isinstance(item, dict):
            raise ItemError("associative list with keys may not have non-map elements")
        named = {}
        for key in self.keys:
            field = self.item.fields.get(key)
            value = item.get(key, field.default if field else None)
            if value is not None or key in item:
                named[key] = value
        if not named:
            listed = " ".join(f'"{key}"' for key in self.keys)
            raise ItemError(
                f"associative list with keys has an element that omits all key fields [{listed}] "
                "(and doesn't have default values for any key fields)"
            )
        return f"k:{encoded(named)}"


def _set_item(item: Any) -> Any:
    match item:
        case dict():
            raise ItemError("associative list without keys has an element that's a map type")
        case list():
            raise ItemError("not supported: associative list with lists as elements")
        case None:
            raise ItemError("associative list without keys has an element that's an explicit null")
    return item


class _Untyped(Layout):
    """A value without a schema that is owned in one piece."""

    atomic_map = True

    def __init__(self) -> None:
        self.element = self.item = self


UNTYPED = _Untyped()


class _Deduced(Layout):
    """A value without a schema: maps are trees, lists are one piece."""

    def __init__(self) -> None:
        self.element, self.item = self, UNTYPED


DEDUCED = _Deduced()


class _OfShape(Layout):
    """A value with a schema."""

    def __init__(self, shape: Shape, *, built_in: bool, open_ended: bool) -> None:
        self._shape = shape
        self._built_in = built_in
        self._open_ended = open_ended = open_ended or shape.preserves_unknown
        self.is_map = shape.type in {"", "object"} and shape.format != "quantity"
        self.is_list = shape.type in {"", "array"} and shape.format != "quantity"
        self.scalar = _scalar(shape)
        self.atomic_map = shape.map_type == "atomic"
        self.default = shape.default
        self.is_struct = built_in and bool(shape.fields)
        self.keys = tuple(sorted(shape.list_map_keys)) if shape.list_type == "map" else ()
        self.atomic_list = shape.list_type not in {"set", "map"}
        if not shape.list_type and "merge" in shape.patch_strategy:
            self.atomic_list = False
            self.keys = (shape.patch_merge_key,) if shape.patch_merge_key else ()

    def _of(self, shape: Shape) -> Layout:
        return layout_of(shape, built_in=self._built_in, open_ended=self._open_ended)

    @cached_property
    def fields(self) -> Mapping[str, Layout]:  # type: ignore[override]
        return {name: self._of(shape) for name, shape in self._shape.fields.items()}

    @cached_property
    def element(self) -> Layout | None:  # type: ignore[override]
        if self._shape.values is not None:
            return self._of(self._shape.values)
        return DEDUCED if self._open_ended or not self._shape.fields else None

    @cached_property
    def item(self) -> Layout:  # type: ignore[override]
        return self._of(self._shape.items) if self._shape.items else UNTYPED

    @cached_property
    def implied(self) -> Mapping[str, Any]:  # type: ignore[override]
        return dict(_implied(self._shape)) if self._built_in else {}


def _scalar(shape: Shape) -> str:
    if shape.type == "string":
        return "string" if shape.format in {"", "byte"} else "untyped"
    if shape.type:
        return _SCALARS.get(shape.type, "")
    return "untyped"


def _implied(shape: Shape) -> Mapping[str, Any]:
    """Fields of Go structs that are there without being set.

    A schema's default that is Go's zero value stands for a field that is no pointer; a required
    field without one is a pointer, a list or a map, which is null.
    """
    implied: dict[str, Any] = {}
    for name, field in shape.fields.items():
        if field.default is not None:
            if not field.default:
                implied[name] = field.default
        elif name in shape.required and field.type not in {"string", "integer", "boolean"}:
            implied[name] = None
    return implied


@cache
def layout_of(shape: Shape | None, *, built_in: bool, open_ended: bool = False) -> Layout:
    """The rules of a shape. ``built_in``: Go's types stand behind it, not a free JSON value."""
    if shape is None:
        return DEDUCED
    if shape.name == _RAW:
        return UNTYPED
    return _OfShape(shape, built_in=built_in, open_ended=open_ended)
