"""What all partial objects share: how they decode, and the metadata of every object."""

from datetime import datetime

import msgspec


class Partial(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A part of an object as the API server writes it (camelCase keys, absent keys allowed).

    Subclasses inherit these options; they repeat `frozen` for the type checker.
    """


class OwnerReference(Partial, frozen=True):
    """Who an object belongs to; `controller` is true for the one that manages it."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ManagedFields(Partial, frozen=True):
    """Who wrote to an object, how and when; the field set itself is not decoded."""

    manager: str = ""
    operation: str = ""
    subresource: str = ""
    api_version: str = ""
    time: datetime | None = None


class ObjectMeta(Partial, frozen=True):
    """Metadata of an object. `generation` counts changes of the spec, 0 where a kind has none."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    managed_fields: tuple[ManagedFields, ...] = ()

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, if there is one."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class Condition(Partial, frozen=True):
    """One condition of a status; `status` is `True`, `False` or `Unknown`."""

    type: str = ""
    status: str = "Unknown"
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None
    observed_generation: int = 0


class SelectorRequirement(Partial, frozen=True):
    """One expression of a label or node selector, e.g. `key In [values]`."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(Partial, frozen=True):
    """Which objects a controller selects."""

    match_labels: dict[str, str] = msgspec.field(default_factory=dict)
    match_expressions: tuple[SelectorRequirement, ...] = ()


class PartialObject(Partial, frozen=True):
    """Any object, of which only kind and metadata are decoded (custom resources, discovery)."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()
