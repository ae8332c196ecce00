"""Who controls an object: references to owners, and indexes by them.

Source: k8s.io/kubernetes/pkg/controller/controller_ref_manager.go (Kubernetes 1.37).
"""

from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import (
    Object,
    controller_of,
    is_deleting,
    items,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
    with_field,
)
from bridgehead.twin.pods import is_finished
from bridgehead.twin.registry import Registry
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Store

_BY_CONTROLLER = "controller"
_ORPHANS = "orphans"


def index_by_controller(store: Store, stored: Stored) -> None:
    """Keep objects findable by the uid of what controls them, and those that nothing controls."""
    store.index(stored, _BY_CONTROLLER, _controller_uid)
    store.index(stored, _ORPHANS, _orphan_namespace)


def controlled_by(store: Store, stored: Stored, owner: Object) -> list[Object]:
    """The objects that an owner controls; ``index_by_controller`` comes first."""
    return store.by(stored, _BY_CONTROLLER, uid_of(owner))


def orphans(store: Store, stored: Stored, namespace: str) -> list[Object]:
    """The objects of a namespace that nothing controls."""
    return store.by(stored, _ORPHANS, namespace)


def controller_reference(kind: Kind, owner: Object) -> Object:
    """The reference that a controller writes into what it makes."""
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "name": name_of(owner),
        "uid": uid_of(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def claim(
    registry: Registry, owner_kind: Kind, owner: Object, kind: Kind, *, finalizer: str = ""
) -> list[Object]:
    """What an owner controls after adopting what its selector means and releasing what it does not.

    An owner that is being deleted adopts nothing; ``finalizer`` comes with an adoption and goes
    with a release.
    """
    selector = owner["spec"].get("selector")
    claimed = []
    for obj in controlled_by(registry.store, kind.stored, owner):
        if selects(selector, labels_of(obj)):
            claimed.append(obj)
        elif not is_deleting(owner):
            _release(registry, kind, obj, owner, finalizer)
    if is_deleting(owner):
        return claimed
    reference = controller_reference(owner_kind, owner)
    adopted = [
        found
        for obj in orphans(registry.store, kind.stored, namespace_of(owner))
        if not is_deleting(obj)
        and not is_finished(obj)
        and selects(selector, labels_of(obj))
        and (found := _adopt(registry, reference, kind, obj, finalizer))
    ]
    return claimed + adopted


def _adopt(
    registry: Registry, reference: Object, kind: Kind, obj: Object, finalizer: str
) -> Object | None:
    metadata = dict(obj["metadata"])
    metadata["ownerReferences"] = [*items(obj, "metadata", "ownerReferences"), reference]
    if finalizer:
        metadata["finalizers"] = [*items(obj, "metadata", "finalizers"), finalizer]
    try:
        return registry.update(kind, {**obj, "metadata": metadata})
    except ApiError:  # gone or refused meanwhile: another look follows every change
        return None


def _release(registry: Registry, kind: Kind, obj: Object, owner: Object, finalizer: str) -> None:
    rest = [
        reference
        for reference in items(obj, "metadata", "ownerReferences")
        if reference.get("uid") != uid_of(owner)
    ]
    kept = [item for item in items(obj, "metadata", "finalizers") if item != finalizer]
    obj = with_field(obj, ("metadata", "ownerReferences"), rest or None)
    registry.update(kind, with_field(obj, ("metadata", "finalizers"), kept or None))


def _controller_uid(obj: Object) -> str:
    owner = controller_of(obj)
    return str(owner.get("uid", "")) if owner else ""


def _orphan_namespace(obj: Object) -> str:
    return "" if controller_of(obj) else namespace_of(obj)
