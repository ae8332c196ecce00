"""Server-side apply.

Source: k8s.io/apimachinery/pkg/util/managedfields/internal: structuredmerge.go,
skipnonapplied.go, managedfieldsupdater.go; sigs.k8s.io/structured-merge-diff/v6/merge/update.go
(1.37). Every version of a kind is taken to have the same fields.
"""

import msgspec

from bridgehead.twin.errors import ApiError, bad_request
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, name_of, namespace_of, text
from bridgehead.twin.patches.comparison import compare
from bridgehead.twin.patches.configuration import mistakes
from bridgehead.twin.patches.conflicts import apply_conflict
from bridgehead.twin.patches.entries import Entry, Managed, Who, of, same_but_times, with_managed
from bridgehead.twin.patches.field_set import FieldSet, difference, ordered, without_below
from bridgehead.twin.patches.kubectl_apply import allowed, with_last_applied
from bridgehead.twin.patches.layout import Layout, layout_of
from bridgehead.twin.patches.merging import merged
from bridgehead.twin.patches.never_owned import STRIPPED
from bridgehead.twin.patches.owned import fields_of
from bridgehead.twin.patches.pruning import pruned
from bridgehead.twin.patches.tracking import Write, empty, losing, taken_from, updated, write_of
from bridgehead.twin.schema.shapes import Shape

_BEFORE = "before-first-apply"


def applied(
    live: Object | None,
    configuration: Object,
    *,
    kind: Kind,
    shape: Shape | None,
    manager: str,
    force: bool = False,
    subresource: str = "",
    now: str,
) -> Object:
    """The object after a configuration has been applied to it, without defaults of new fields.

    ``live`` is None where the object is to be created. Raises ApiError: 400, 409 with all
    conflicts, 500 where the configuration does not fit the schema.
    """
    layout = layout_of(shape, built_in=not kind.custom)
    _check(configuration, kind, layout)
    write = write_of(kind, manager, "Apply", subresource, now=now)
    apply = _Apply(live, configuration, kind, layout, write)
    if manager != "kubectl":
        return apply.result(force=force)
    try:
        result = apply.result(force=force)
    except ApiError as refusal:
        lost = apply.lost
        if not lost or live is None:
            raise
        left = allowed(live, lost, kind, layout)
        if left is None:
            raise
        if left:
            raise apply_conflict(left) from refusal
        result = apply.result(force=True)
    return with_last_applied(result, configuration)


def _check(configuration: Object, kind: Kind, layout: Layout) -> None:
    version, name = text(configuration, "apiVersion"), text(configuration, "kind")
    if (version, name) != (kind.api_version, kind.kind):
        raise bad_request(f"invalid object type: {_typed(version, name)}")
    if at(configuration, "metadata", "managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    if found := list(mistakes(layout, configuration)):
        told = found[0] if len(found) == 1 else "\n  ".join(("errors:", *found))
        named = f"{namespace_of(configuration)}/{name_of(configuration)}; {_typed(version, name)}"
        raise ApiError(500, "", f"failed to create typed patch object ({named}): {told}")


def _typed(version: str, kind: str) -> str:
    return f"{version if '/' in version else '/' + version}, Kind={kind}"


class _Apply:
    """One apply, which may have to be tried twice."""

    def __init__(
        self,
        live: Object | None,
        configuration: Object,
        kind: Kind,
        layout: Layout,
        write: Write,
    ) -> None:
        self._stored = live
        self._live = with_managed(live, {}) if live is not None else empty(kind)
        self._configuration = configuration
        self._kind = kind
        self._layout = layout
        self._write = write
        self.lost: dict[Who, FieldSet] = {}
        """What others manage of that which the last try would have changed."""

    def result(self, *, force: bool) -> Object:
        """The new object with its managers. Raises ApiError 409 where others are in the way."""
        layout, own, reset = self._layout, self._write.own, self._write.reset
        managed = self._managers_before()
        last = managed.get(own)
        fields = without_below(fields_of(layout, self._configuration), reset)
        time = last.time if last else None
        managed[own] = Entry(api_version=self._write.version, fields=fields, time=time)
        new = merged(layout, self._live, self._configuration)
        if last is not None:
            new = pruned(layout, new, managed, last.fields)
        comparison = compare(layout, self._live, new).without(reset)
        self.lost = taken_from(managed, comparison, own)
        if self.lost and not force:
            raise apply_conflict(self.lost)
        mine = managed.pop(own)
        managed = losing(managed, comparison)
        changed = new != self._live
        if left := difference(mine.fields, STRIPPED):
            time = self._write.now if changed else mine.time
            managed[own] = msgspec.structs.replace(mine, fields=ordered(left), time=time)
        result = with_managed(new, managed)
        if self._stored is not None and same_but_times(result, self._stored):
            return self._stored
        return result

    def _managers_before(self) -> Managed:
        """Those of the object; one for all its fields where it has none yet."""
        managed = of(self._stored)
        if managed or self._stored is None:
            return managed
        comparison = compare(self._layout, empty(self._kind), self._live)
        before = self._write.own._replace(
            manager=_BEFORE, operation="Update", api_version=self._write.version
        )
        return updated({}, comparison, self._write._replace(own=before))
