"""What goes because somebody who applied it applies it no longer.

Source: sigs.k8s.io/structured-merge-diff/v6/merge/update.go, ``prune``.
"""

from functools import reduce
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.patches.entries import Managed
from bridgehead.twin.patches.field_set import FieldSet, difference, intersection, union
from bridgehead.twin.patches.layout import ABSENT, Layout
from bridgehead.twin.patches.owned import fields_of, removed, with_named


def pruned(layout: Layout, merged: Object, managed: Managed, last: FieldSet) -> Object:
    """Without the fields of ``last`` that nobody claims any more.

    ``managed`` has the new claims of the one who applies already. What nobody claimed before stays.
    """
    nothing: FieldSet = {}
    claimed = reduce(union, (entry.fields for entry in managed.values()), nothing)
    if not difference(last, claimed):
        return merged
    last = with_named(layout, last)
    everything = with_named(layout, fields_of(layout, merged))
    without_last = _fields(layout, _object(removed(layout, merged, last)))
    kept = union(without_last, with_named(layout, claimed))
    rest = _object(removed(layout, merged, difference(everything, kept)))
    gone = intersection(difference(everything, _fields(layout, rest)), last)
    return _object(removed(layout, merged, gone))


def _fields(layout: Layout, obj: Object) -> FieldSet:
    return with_named(layout, fields_of(layout, obj))


def _object(value: Any) -> Object:
    return {} if value is ABSENT else dict(value)
