"""How objects of a kind are built: types, lists that are maps, merge keys.

A ``Shape`` is one node of a schema. Its children are made when they are first asked for, because
schemas contain themselves (``JSONSchemaProps``) and a run touches few of them.

Source: the OpenAPI v3 documents of the API server (``data/openapi``) and, for custom resources, the
schema of their definition.
"""

from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from typing import Any

from bridgehead.twin.kinds import CustomSchema, Kind
from bridgehead.twin.schema.recorded import recorded

_REFERENCE = "#/components/schemas/"
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

Schema = Mapping[str, Any]
"""One schema as decoded JSON."""


class Document:
    """The named schemas that a shape may refer to; each becomes one shape, shared by its users."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas
        self._named: dict[str, Shape] = {}

    def named(self, name: str) -> "Shape":
        """The shape of a named schema. Raises KeyError."""
        if name not in self._named:
            self._named[name] = Shape(self._schemas[name], self, name)
        return self._named[name]

    @cached_property
    def kinds(self) -> Mapping[tuple[str, str, str], str]:
        """From group, version and kind to the name of the schema."""
        return {
            (listed["group"], listed["version"], listed["kind"]): name
            for name, schema in self._schemas.items()
            for listed in schema.get("x-kubernetes-group-version-kind", ())
        }

    def shape(self, schema: Schema) -> "Shape":
        """The shape of a schema in place, with what it refers to."""
        reference, beside = _taken_apart(schema)
        if not reference:
            return Shape(schema, self)
        if not beside:
            return self.named(reference)
        return Shape({**self._schemas[reference], **beside}, self, reference)


def _taken_apart(schema: Schema) -> tuple[str, Schema]:
    """The name that a schema refers to, and what it says beside that and its description."""
    if isinstance(target := schema.get("$ref"), str):
        return target.removeprefix(_REFERENCE), {}
    match schema.get("allOf"):
        case [{"$ref": str(target)}]:
            beside = {key: schema[key] for key in schema if key not in {"allOf", "description"}}
            return target.removeprefix(_REFERENCE), beside
    return "", {}


class Shape:
    """One node of a schema."""

    def __init__(self, schema: Schema, document: Document, name: str = "") -> None:
        self._schema = schema
        self._document = document
        self.name = name
        """Of the schema in its document, such as ``io.k8s.api.core.v1.Pod``; empty in place."""
        self.type: str = schema.get("type", "")
        """``object``, ``array``, ``string``, ``integer``, ``number``, ``boolean``; or empty."""
        self.format: str = "quantity" if name == _QUANTITY else schema.get("format", "")
        """``int32``, ``date-time``, ``byte``; ``quantity`` for an amount of a resource."""
        self.int_or_string: bool = self.format == "int-or-string" or bool(
            schema.get("x-kubernetes-int-or-string")
        )
        self.enum: tuple[Any, ...] = tuple(schema.get("enum", ()))
        self.required: tuple[str, ...] = tuple(schema.get("required", ()))
        self.default: Any = schema.get("default")
        """What is meant where the field is missing; None where nothing is."""
        self.nullable: bool = bool(schema.get("nullable"))
        self.list_type: str = schema.get("x-kubernetes-list-type", "")
        """``atomic``, ``set`` or ``map``; empty means atomic."""
        self.list_map_keys: tuple[str, ...] = tuple(schema.get("x-kubernetes-list-map-keys", ()))
        self.map_type: str = schema.get("x-kubernetes-map-type", "")
        """``atomic`` or ``granular``; empty means granular."""
        strategies = str(schema.get("x-kubernetes-patch-strategy", ""))
        self.patch_strategy: tuple[str, ...] = tuple(filter(None, strategies.split(",")))
        """Any of ``merge``, ``replace``, ``retainKeys``."""
        self.patch_merge_key: str = schema.get("x-kubernetes-patch-merge-key", "")
        self.preserves_unknown: bool = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
        self.embedded: bool = bool(schema.get("x-kubernetes-embedded-resource"))

    @property
    def description(self) -> str:
        """What its authors say of it."""
        return str(self._schema.get("description", ""))

    @cached_property
    def fields(self) -> Mapping[str, "Shape"]:
        """The named fields of an object, sorted as the schema has them."""
        properties: Mapping[str, Schema] = self._schema.get("properties", {})
        return {name: self._document.shape(schema) for name, schema in properties.items()}

    @cached_property
    def items(self) -> "Shape | None":
        """What an array consists of."""
        schema = self._schema.get("items")
        return self._document.shape(schema) if isinstance(schema, dict) else None

    @cached_property
    def values(self) -> "Shape | None":
        """The values of an object whose keys are free, such as labels."""
        schema = self._schema.get("additionalProperties")
        return self._document.shape(schema) if isinstance(schema, dict) else None

    def child(self, key: str) -> "Shape | None":
        """The shape below a key of an object, named or free; None where the schema knows none."""
        return self.fields.get(key) or self.values


@cache
def document_of(group: str, version: str) -> Document | None:
    """The schemas of a built-in group and version; None where it is not built in."""
    path = f"apis__{group}__{version}" if group else f"api__{version}"
    try:
        found = recorded(f"openapi/{path}")
    except FileNotFoundError:
        return None
    return Document(found["components"]["schemas"])


def shape_named(group: str, version: str, kind: str) -> Shape | None:
    """The shape of a built-in kind, or of a body such as ``Scale`` or ``Eviction``.

    Bodies of parts of core objects are described with those (``TokenRequest``).
    """
    for document in (document_of(group, version), document_of("", "v1")):
        if document and (name := document.kinds.get((group, version, kind))):
            return document.named(name)
    return None


def shape_of(kind: Kind) -> Shape | None:
    """The shape of a kind; None for one of which nothing is known."""
    if not kind.custom:
        return shape_named(kind.group, kind.version, kind.kind)
    return None if kind.schema is None else _shape_of_custom(kind.schema)


@lru_cache(maxsize=64)
def _shape_of_custom(schema: CustomSchema) -> "Shape":
    return custom_shape(schema.value)


def custom_shape(schema: Schema) -> Shape:
    """The shape of a custom resource from the ``openAPIV3Schema`` of its definition.

    Its ``metadata`` is that of every object, whatever the definition says of it.
    """
    core = document_of("", "v1")
    assert core is not None  # belongs to the recorded documents
    properties = {
        **{name: {"type": "string"} for name in ("apiVersion", "kind")},
        **schema.get("properties", {}),
        "metadata": {"$ref": _REFERENCE + _OBJECT_META},
    }
    return Shape({**schema, "type": "object", "properties": properties}, core)
