"""The way from ``kubectl apply`` on the client's side to that on the server's.

Objects that kubectl has applied carry its last configuration in an annotation. Whoever applies as
``kubectl`` may take the fields that are as that configuration left them.

Source: k8s.io/apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go,
lastappliedupdater.go (1.37).
"""

import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, fields, text, with_field
from bridgehead.twin.patches.comparison import compare
from bridgehead.twin.patches.configuration import mistakes
from bridgehead.twin.patches.entries import Who, with_managed
from bridgehead.twin.patches.field_set import FieldSet, difference
from bridgehead.twin.patches.layout import Layout
from bridgehead.twin.patches.owned import fields_of

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def allowed(
    live: Object, lost: Mapping[Who, FieldSet], kind: Kind, layout: Layout
) -> dict[Who, FieldSet] | None:
    """What of the conflicts remains; None where no annotation allows anything."""
    last = _last_applied(live)
    if last is None or text(last, "apiVersion") != kind.api_version:
        return None
    if any(mistakes(layout, last)):
        return None
    changes = compare(layout, last, with_managed(live, {}))
    still = reduce(difference, changes, fields_of(layout, last))
    left = {manager: difference(held, still) for manager, held in lost.items()}
    return {manager: held for manager, held in left.items() if held}


def with_last_applied(obj: Object, configuration: Object) -> Object:
    """With the new configuration in the annotation, where the object has that."""
    if not text(obj, "metadata", "annotations", LAST_APPLIED):
        return obj
    annotations = fields(configuration, "metadata", "annotations")
    if LAST_APPLIED in annotations:
        kept = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
        configuration = with_field(configuration, ("metadata", "annotations"), kept)
    told = json.dumps(configuration, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for letter in "<>&":
        told = told.replace(letter, f"\\u{ord(letter):04x}")
    return with_field(obj, ("metadata", "annotations", LAST_APPLIED), f"{told}\n")


def _last_applied(live: Object) -> Any:
    try:
        last = json.loads(text(live, "metadata", "annotations", LAST_APPLIED))
    except ValueError:
        return None
    return last if isinstance(last, dict) else None
