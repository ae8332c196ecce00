"""Serves the kinds of CustomResourceDefinitions as they come, change and go.

Source: k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,finalizer}.
"""

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, at, fields, items, name_of, namespace_of, with_field
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.custom.definitions import kinds_of
from bridgehead.twin.store import Change

_DEFINITIONS = Stored("apiextensions.k8s.io", "customresourcedefinitions")


class CustomKinds:
    """Keeps the served kinds in step with the definitions."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._queue: WorkQueue[str] = WorkQueue(registry.clock, self._serve)
        self._served: dict[str, list[Kind]] = {}

    def start(self) -> None:
        """Serve what is defined already, and hear of changes."""
        self._registry.store.subscribe(self._on_change)
        for definition in self._registry.store.select(_DEFINITIONS):
            self._queue.add(name_of(definition))

    def _on_change(self, change: Change) -> None:
        if change.kind.stored == _DEFINITIONS:
            self._queue.add(name_of(change.object))

    def _serve(self, name: str) -> None:
        definition = self._registry.store.get(_DEFINITIONS, "", name)
        if definition is None:
            self._withdraw(name)
            return
        known = self._served.get(name, [])
        kinds = kinds_of(definition)
        if [_described(kind) for kind in kinds] != [_described(kind) for kind in known]:
            for kind in known:
                self._registry.kinds.remove(kind)
            for kind in kinds:
                self._registry.kinds.add(kind)
            self._served[name] = kinds
        status = self._status(definition)
        if status != definition.get("status"):
            obj = with_field(definition, ("status",), status)
            kind = self._registry.kinds.named(*_DEFINITIONS)
            self._registry.update(kind, obj, subresource="status")

    def _withdraw(self, name: str) -> None:
        kinds = self._served.pop(name, [])
        for kind in kinds[:1]:  # all versions of a kind are stored as one
            for obj in list(self._registry.store.select(kind.stored)):
                self._remove(kind, obj)
        for kind in kinds:
            self._registry.kinds.remove(kind)

    def _remove(self, kind: Kind, obj: Object) -> None:
        """Nobody could finish an object whose kind is gone, whatever its finalizers."""
        namespace, name = namespace_of(obj), name_of(obj)
        _, gone = self._registry.delete(kind, namespace, name)
        if not gone:
            self._registry.store.remove(kind, self._registry.get(kind, namespace, name))

    def _status(self, definition: Object) -> Object:
        status = dict(definition.get("status") or {})
        names = fields(definition, "spec", "names")
        stored = list(status.get("storedVersions") or ())
        for version in items(definition, "spec", "versions"):
            if version.get("storage") and version["name"] not in stored:
                stored.append(version["name"])
        conditions = list(status.get("conditions") or ())
        for kind, reason, message in (
            ("NamesAccepted", "NoConflicts", "no conflicts found"),
            ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ):
            if not any(at(item, "type") == kind for item in conditions):
                conditions.append(
                    {
                        "type": kind,
                        "status": "True",
                        "lastTransitionTime": self._registry.clock.timestamp(),
                        "reason": reason,
                        "message": message,
                    }
                )
        return {"conditions": conditions, "acceptedNames": dict(names), "storedVersions": stored}


def _described(kind: Kind) -> tuple[object, ...]:
    """What tells two kinds apart beside the identity of their schemas."""
    schema = kind.schema.value if kind.schema else None
    return (
        kind.api_version,
        kind.kind,
        kind.plural,
        kind.subresources,
        kind.columns,
        kind.short_names,
        kind.categories,
        kind.namespaced,
        schema,
    )
