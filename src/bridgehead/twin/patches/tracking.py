"""Field management of creations, updates and patches that are not applied.

Call ``tracked`` on the object with its defaults, before admission changes it: what admission adds
belongs to nobody, as in the real server.

Source: k8s.io/apimachinery/pkg/util/managedfields/internal: fieldmanager.go,
managedfieldsupdater.go, capmanagers.go; sigs.k8s.io/structured-merge-diff/v6/merge/update.go.
"""

from typing import Any, NamedTuple

import msgspec

from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, text, uid_of, with_field
from bridgehead.twin.patches.comparison import Comparison, compare
from bridgehead.twin.patches.entries import (
    EntriesError,
    Entry,
    Managed,
    Operation,
    Who,
    canonical,
    of,
    read,
    who,
    with_managed,
)
from bridgehead.twin.patches.field_set import (
    FieldSet,
    difference,
    intersection,
    ordered,
    union,
)
from bridgehead.twin.patches.layout import ItemError, layout_of
from bridgehead.twin.patches.never_owned import STRIPPED, reset_by
from bridgehead.twin.schema.shapes import Shape

MOST_UPDATERS = 10
"""Managers that update one object; of more the oldest are put together."""

_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_ANCIENT = "ancient-changes"


def tracked(
    old: Object | None,
    new: Object,
    *,
    kind: Kind,
    shape: Shape | None,
    manager: str,
    subresource: str = "",
    now: str,
) -> Object:
    """``new`` with the managers of its fields.

    ``old`` is the stored object, None for a creation. ``shape``: of the kind; None for a custom one
    without a schema. ``now``: RFC 3339 in seconds.
    """
    managed = _said(old, new, is_subresource=bool(subresource))
    bare = with_managed(new, {})
    if not managed and old is not None and uid_of(old):
        return bare
    layout = layout_of(shape, built_in=not kind.custom)
    before = empty(kind) if old is None else with_managed(old, {})
    try:
        comparison = compare(layout, before, _converted(kind, bare))
    except ItemError:
        return with_managed(new, of(old))
    write = write_of(kind, manager, "Update", subresource, now=now)
    return with_managed(bare, _capped(updated(managed, comparison, write)))


def _converted(kind: Kind, obj: Object) -> Object:
    """What a request means once it has been through the server's own types.

    A DaemonSet counts its templates in an annotation that is a field there, so each has it.
    Source: k8s.io/kubernetes/pkg/apis/apps/v1/conversion.go.
    """
    if kind.stored != ("apps", "daemonsets"):
        return obj
    if text(obj, "metadata", "annotations", _TEMPLATE_GENERATION):
        return obj
    return with_field(obj, ("metadata", "annotations", _TEMPLATE_GENERATION), "0")


def empty(kind: Kind) -> Object:
    """What a creation is compared with."""
    return (
        {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {}} if kind.custom else {}
    )


class Write(NamedTuple):
    """Who writes, and in which way."""

    own: Who
    version: str
    reset: FieldSet
    """What the server puts back as it was."""
    now: str


def write_of(
    kind: Kind, manager: str, operation: Operation, subresource: str, *, now: str
) -> Write:
    """The write of a manager."""
    own = who(manager, operation, kind.api_version, subresource)
    return Write(own, kind.api_version, reset_by(kind, subresource), now)


def updated(managed: Managed, comparison: Comparison, write: Write) -> Managed:
    """The managers after a write that nobody can refuse: who changes a field takes it."""
    comparison = comparison.without(write.reset)
    result = losing(managed, comparison)
    mine = difference(comparison.set, STRIPPED)
    if mine:
        previous = result.get(write.own)
        fields = union(mine, previous.fields) if previous else mine
        result[write.own] = Entry(api_version=write.version, fields=ordered(fields), time=write.now)
    return result


def losing(managed: Managed, comparison: Comparison) -> Managed:
    """The managers without what has changed or gone; those with nothing left go."""
    if not any(comparison):
        return dict(managed)
    taken = comparison.set
    result: Managed = {}
    for manager, entry in managed.items():
        left = difference(difference(entry.fields, taken), comparison.removed)
        if left == entry.fields:
            result[manager] = entry
        elif left:
            result[manager] = msgspec.structs.replace(entry, fields=left)
    return result


def taken_from(managed: Managed, comparison: Comparison, own: Who) -> dict[Who, FieldSet]:
    """What others manage of that which changes."""
    taken = comparison.set
    lost = {
        manager: intersection(entry.fields, taken)
        for manager, entry in managed.items()
        if manager != own
    }
    return {manager: fields for manager, fields in lost.items() if fields}


def _said(old: Object | None, new: Object, *, is_subresource: bool) -> Managed:
    """The managers from which a write starts: as the request says, else as the object said.

    An empty list, or one with an empty entry, is how clients forget all managers.
    """
    told: Any = at(new, "metadata", "managedFields")
    stored = at(old, "metadata", "managedFields")
    if is_subresource or told is None or told == stored:
        return of(old)
    if told in ([], [{}]):
        return {}
    try:
        managed = {
            manager: msgspec.structs.replace(entry, fields=canonical(entry.fields))
            for manager, entry in read(told).items()
        }
    except (EntriesError, AttributeError):
        return of(old)
    return managed or of(old)


def _capped(managed: Managed) -> Managed:
    """With so many updaters at most: the oldest of a version become one."""
    updaters = [manager for manager in managed if manager.operation == "Update"]
    if len(updaters) <= MOST_UPDATERS:
        return managed
    updaters.sort(key=lambda manager: (managed[manager].time or "", manager))
    managed = dict(managed)
    first: dict[str, Who] = {}
    count = len(updaters)
    for manager in updaters:
        if count <= MOST_UPDATERS:
            break
        entry = managed[manager]
        bucket = Who(_ANCIENT, "Update", entry.api_version, "")
        if entry.api_version not in first:
            first[entry.api_version] = manager
            continue
        if bucket not in managed:
            managed[bucket] = managed.pop(first[entry.api_version])
        fields = union(entry.fields, managed[bucket].fields)
        managed[bucket] = msgspec.structs.replace(entry, fields=fields)
        if manager != bucket:
            del managed[manager]
        count -= 1
    return managed
