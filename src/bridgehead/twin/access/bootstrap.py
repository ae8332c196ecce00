"""The roles and bindings that every cluster has, as a real API server of 1.37 makes them.

Recorded, like its schemas (``schema/data/access.json.xz``).
"""

from bridgehead.twin.access.bindings import GROUP
from bridgehead.twin.objects import name_of, namespace_of
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.recorded import recorded


def make_roles(registry: Registry) -> None:
    """Make the roles and bindings that are not there yet. Their namespaces must be."""
    kinds = {kind.kind: kind for kind in registry.kinds if kind.group == GROUP}
    for obj in recorded("access")["objects"]:
        kind, namespace = kinds[obj["kind"]], namespace_of(obj)
        if registry.store.get(kind.stored, namespace, name_of(obj)) is None:
            registry.create(kind, obj, namespace=namespace)
