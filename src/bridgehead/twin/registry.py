"""The rules that every write obeys, whoever makes it: metadata, generation, versions, deletion.

Between the API and the store, as in the real server; the controllers of the twin write here too.

Source: k8s.io/apiserver/pkg/registry/rest and .../registry/generic/registry/store.go (1.37).
"""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from bridgehead.twin.clock import Clock
from bridgehead.twin.errors import MODIFIED, already_exists, conflict, not_found
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import (
    Object,
    at,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
    with_field,
)
from bridgehead.twin.patches.entries import same_but_times
from bridgehead.twin.pods import PODS, is_finished
from bridgehead.twin.store import Store

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"

_KEPT_METADATA = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
"""What no update changes, whatever it says."""


Track = Callable[[Object | None, Object], Object]
"""From the old object and the new one, with its defaults, to the new one with its managers."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A write before it is let in."""

    operation: Literal["CREATE", "UPDATE"]
    kind: Kind
    object: Object
    old: Object | None = None
    subresource: str = ""
    user: str = ""
    """Empty for the twin's own controllers."""
    track: Track | None = None
    """Called once the defaults are in and before plugins add more, which is nobody's."""
    warnings: list[str] | None = None
    """Takes what is to be said of a write that is let in; None where nobody reads it."""


Admit = Callable[[Attempt], Object]
"""Fills in defaults and judges a write: the object to store, or an ApiError is raised."""


class DeleteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How an object goes."""

    grace: int | None = None
    """Seconds; None for what the object itself says."""
    propagation: Literal["Background", "Foreground", "Orphan"] | None = None
    uid: str = ""
    resource_version: str = ""


class Registry:
    """All reads and writes of a twin's objects."""

    def __init__(
        self, kinds: Kinds, store: Store, clock: Clock, identifiers: Identifiers, admit: Admit
    ) -> None:
        self.kinds = kinds
        self.store = store
        self.clock = clock
        self.identifiers = identifiers
        self._admit = admit

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """One object, in the version of the kind. Raises ApiError 404."""
        found = self.store.get(kind.stored, namespace, name)
        if found is None:
            raise not_found(kind, name)
        return found

    def create(
        self,
        kind: Kind,
        obj: Object,
        *,
        namespace: str = "",
        user: str = "",
        track: Track | None = None,
        warnings: list[str] | None = None,
        dry_run: bool = False,
    ) -> Object:
        """Store a new object under its name, or under one made of ``generateName``.

        Raises ApiError: 409 where the name is taken, and what admission raises.
        """
        obj = self._named(kind, obj, namespace)
        attempt = Attempt(
            operation="CREATE", kind=kind, object=obj, user=user, track=track, warnings=warnings
        )
        obj = self._admit(attempt)
        name = name_of(obj)
        if self.store.get(kind.stored, namespace, name) is not None:
            raise already_exists(kind, name)
        return obj if dry_run else self.store.put(kind, obj)

    def update(
        self,
        kind: Kind,
        obj: Object,
        *,
        subresource: str = "",
        user: str = "",
        track: Track | None = None,
        warnings: list[str] | None = None,
        dry_run: bool = False,
    ) -> Object:
        """Replace an object, or with ``subresource="status"`` its status alone.

        A resourceVersion in ``obj`` is a precondition. What changes nothing is not written. An
        object that is being deleted goes with its last finalizer. Raises ApiError: 404, 409, and
        what admission raises.
        """
        old = self.get(kind, text(obj, "metadata", "namespace"), name_of(obj))
        _check_replaced(kind, obj, old)
        obj = _merged(kind, obj, old, subresource)
        attempt = Attempt(
            operation="UPDATE",
            kind=kind,
            object=obj,
            old=old,
            subresource=subresource,
            user=user,
            track=track,
            warnings=warnings,
        )
        obj = self._admit(attempt)
        if subresource != "binding":  # it writes past the strategy that counts generations
            obj = _with_generation(kind, obj, old)
        if obj == old or (user and same_but_times(obj, old)):
            return old
        if dry_run:
            return obj
        if is_deleting(obj) and not items(obj, "metadata", "finalizers") and _due(kind, obj):
            self.store.remove(kind, obj)
            return obj
        return self.store.put(kind, obj)

    def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        options: DeleteOptions | None = None,
        *,
        dry_run: bool = False,
    ) -> tuple[Object, bool]:
        """Delete an object, or mark it for those who must finish first; and whether it is gone.

        Raises ApiError: 404, and 409 where a precondition does not hold.
        """
        options = options or DeleteOptions()
        old = self.get(kind, namespace, name)
        _check_preconditions(kind, old, options)
        obj = _with_propagation(old, options)
        grace = _grace(kind, old, options)
        waits = bool(items(obj, "metadata", "finalizers")) or _has_finalizers_in_spec(kind, obj)
        if not waits and not grace:
            gone = obj if dry_run else self.store.remove(kind, obj)
            return self._marked(kind, gone, 0) if kind.stored == PODS else gone, True
        if not is_deleting(old) or grace < int(
            at(old, "metadata", "deletionGracePeriodSeconds") or 0
        ):
            obj = self._marked(kind, obj, grace)
        if obj == old or dry_run:
            return obj, False
        return self.store.put(kind, obj), False

    def _marked(self, kind: Kind, obj: Object, grace: int) -> Object:
        """An object that is on its way out."""
        obj = with_field(obj, ("metadata", "deletionTimestamp"), self.clock.timestamp(grace))
        if kind.stored == ("", "namespaces"):
            obj = with_field(obj, ("status", "phase"), "Terminating")
        else:
            obj = with_field(obj, ("metadata", "deletionGracePeriodSeconds"), grace)
        return _with_next_generation(kind, obj)

    def _named(self, kind: Kind, obj: Object, namespace: str) -> Object:
        metadata: dict[str, Any] = dict(at(obj, "metadata") or {})
        if not metadata.get("name") and (prefix := metadata.get("generateName")):
            metadata["name"] = self._generated(kind, namespace, prefix[:58])
        if kind.namespaced:
            metadata["namespace"] = namespace
        metadata["uid"] = self.identifiers.uid()
        metadata["creationTimestamp"] = self.clock.timestamp()
        for dropped in ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"):
            metadata.pop(dropped, None)
        metadata.pop("generation", None)
        if _counts_generations(kind):
            metadata["generation"] = 1
        return {**obj, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}

    def _generated(self, kind: Kind, namespace: str, prefix: str) -> str:
        """A name that is free. Source: maxNameGenerationCreateAttempts of rest/create.go."""
        for _ in range(8):
            name = f"{prefix}{self.identifiers.suffix()}"
            if self.store.get(kind.stored, namespace, name) is None:
                break
        return name


_WITHOUT_GENERATION = frozenset(
    {
        *("configmaps", "secrets", "serviceaccounts", "events", "namespaces", "nodes", "services"),
        *("endpoints", "limitranges", "resourcequotas", "persistentvolumes", "leases"),
        *("persistentvolumeclaims", "controllerrevisions", "roles", "rolebindings"),
        *("clusterroles", "clusterrolebindings", "runtimeclasses"),
        *("storageclasses", "csinodes", "csidrivers", "csistoragecapacities"),
    }
)
"""Resources whose objects have no ``metadata.generation`` in 1.37."""


def _counts_generations(kind: Kind) -> bool:
    return kind.plural not in _WITHOUT_GENERATION


def _with_generation(kind: Kind, obj: Object, old: Object) -> Object:
    """The next generation where something beside metadata and status has changed."""
    if not _counts_generations(kind):
        return obj
    ignored = {"metadata", "status", "kind", "apiVersion"}
    changed = any(obj.get(key) != old.get(key) for key in {*obj, *old} if key not in ignored)
    generation = at(old, "metadata", "generation")
    if changed:
        generation = (generation or 0) + 1
    return with_field(obj, ("metadata", "generation"), generation)


def _with_next_generation(kind: Kind, obj: Object) -> Object:
    generation = at(obj, "metadata", "generation")
    if generation is None or not _counts_generations(kind):
        return obj
    return with_field(obj, ("metadata", "generation"), generation + 1)


def _merged(kind: Kind, obj: Object, old: Object, subresource: str) -> Object:
    """What an update may change: its status alone, or everything but that."""
    metadata = dict(at(obj, "metadata") or {})
    for key in _KEPT_METADATA:
        metadata.pop(key, None)
        if (kept := at(old, "metadata", key)) is not None:
            metadata[key] = kept
    metadata["resourceVersion"] = at(old, "metadata", "resourceVersion")
    if subresource == "status":
        kept_metadata = dict(old["metadata"])
        for key in () if kind.custom else ("labels", "annotations"):  # go with the status ...
            if key in metadata and (kind.plural, key) != ("deployments", "labels"):  # ... but these
                kept_metadata[key] = metadata[key]
        if "managedFields" in metadata:
            kept_metadata["managedFields"] = metadata["managedFields"]
        return {**old, "metadata": kept_metadata, "status": obj.get("status")}
    new = {**obj, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
    if kind.subresource("status") is not None and not subresource:
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]
    if kind.stored == ("", "namespaces") and subresource != "finalize":
        kept = list(items(old, "spec", "finalizers"))
        new = with_field(new, ("spec", "finalizers"), kept or None)
    return new


def _storage_key(kind: Kind, obj: Object) -> str:
    """Where the real server keeps an object, which some of its messages show."""
    parts = ("/registry", kind.group if kind.custom else "", kind.plural, namespace_of(obj))
    return "/".join((*filter(None, parts), name_of(obj)))


def _check_replaced(kind: Kind, obj: Object, old: Object) -> None:
    """Raises ApiError 409 where an update names another version or another object."""
    name = name_of(obj)
    if (version := text(obj, "metadata", "resourceVersion")) and version != text(
        old, "metadata", "resourceVersion"
    ):
        raise conflict(kind, name, MODIFIED)
    if (uid := uid_of(obj)) and uid != uid_of(old):
        raise conflict(
            kind,
            name,
            f"StorageError: invalid object, Code: 4, Key: {_storage_key(kind, old)}, "
            "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
            f"{uid}, UID in object meta: {uid_of(old)}",
        )


def _check_preconditions(kind: Kind, old: Object, options: DeleteOptions) -> None:
    """Source: k8s.io/apiserver/pkg/registry/rest/delete.go, which names the kind."""
    named = msgspec.structs.replace(kind, plural=kind.kind)
    uid, version = text(old, "metadata", "uid"), text(old, "metadata", "resourceVersion")
    if options.uid and options.uid != uid:
        raise conflict(
            named,
            name_of(old),
            f"the UID in the precondition ({options.uid}) does not match the UID in record "
            f"({uid}). The object might have been deleted and then recreated",
        )
    if options.resource_version and options.resource_version != version:
        raise conflict(
            named,
            name_of(old),
            f"the ResourceVersion in the precondition ({options.resource_version}) does not match "
            f"the ResourceVersion in record ({version}). The object might have been modified",
        )


def _with_propagation(obj: Object, options: DeleteOptions) -> Object:
    finalizers = list(items(obj, "metadata", "finalizers"))
    kept = [item for item in finalizers if item not in {FOREGROUND, ORPHAN}]
    match options.propagation:
        case None:
            return obj
        case "Foreground":
            kept.append(FOREGROUND)
        case "Orphan":
            kept.append(ORPHAN)
        case "Background":
            pass
    return with_field(obj, ("metadata", "finalizers"), kept or None)


def _grace(kind: Kind, old: Object, options: DeleteOptions) -> int:
    """Seconds that a pod is given; everything else goes at once."""
    if kind.stored != PODS:
        return 0
    if is_finished(old) or not text(old, "spec", "nodeName"):
        return 0
    grace = options.grace
    if grace is None:
        own = at(old, "spec", "terminationGracePeriodSeconds")
        grace = 30 if own is None else int(own)
    if is_deleting(old):
        grace = min(grace, int(at(old, "metadata", "deletionGracePeriodSeconds") or 0))
    return max(0, grace)


def _has_finalizers_in_spec(kind: Kind, obj: Object) -> bool:
    return kind.stored == ("", "namespaces") and bool(items(obj, "spec", "finalizers"))


def _due(kind: Kind, obj: Object) -> bool:
    """Whether nothing but finalizers kept an object that is being deleted."""
    if _has_finalizers_in_spec(kind, obj):
        return False
    return not at(obj, "metadata", "deletionGracePeriodSeconds")
