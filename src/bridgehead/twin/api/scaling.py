"""The subresource ``scale``: how many replicas an object wants, whatever its kind.

Source: pkg/registry/apps/deployment/storage/storage.go and pkg/apis/autoscaling/validation of
Kubernetes 1.37.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from bridgehead.twin.api.answers import Answers
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.incoming import check_name, check_types, read_object
from bridgehead.twin.api.options import write_options
from bridgehead.twin.api.patching import is_apply, patched
from bridgehead.twin.errors import Cause, bad_request, conflict, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, fields, items, name_of, text, uid_of, with_field
from bridgehead.twin.patches.tracking import tracked
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.decoding import decoded
from bridgehead.twin.schema.shapes import shape_of
from bridgehead.twin.schema.validation.causes import invalid as invalid_value

SCALE = Kind(group="autoscaling", version="v1", kind="Scale", plural="scales")


class Scaling:
    """Answers what is asked of a ``scale``."""

    def __init__(self, registry: Registry, answers: Answers) -> None:
        self._registry = registry
        self._answers = answers

    def get(self, call: Call) -> Answer:
        """How it is. Raises ApiError 404."""
        obj = self._registry.get(call.kind, call.namespace, call.name)
        return self._answer(call, obj)

    def update(self, call: Call) -> Answer:
        """Another number. Raises ApiError: 400, 404, 409, 415, 422."""
        write_options(call.request, "UpdateOptions")
        scale = read_object(call, self._registry.kinds, expected=SCALE)
        return self._scaled(call, scale, "UpdateOptions")

    def patch(self, call: Call) -> Answer:
        """A change to the number. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "PatchOptions", apply=is_apply(call.request))
        obj = self._registry.get(call.kind, call.namespace, call.name)
        of_scale = msgspec.structs.replace(call, kind=SCALE)
        scale = patched(of_scale, scale_of(obj), options, self._registry)
        return self._scaled(call, scale, "PatchOptions")

    def _scaled(self, call: Call, scale: Object, kind_of_options: str) -> Answer:
        check_types(SCALE, scale)
        scale = decoded(SCALE, scale)
        check_name(call, scale)
        old = self._registry.get(call.kind, call.namespace, call.name)
        replicas = at(scale, "spec", "replicas") or 0
        if not isinstance(replicas, int) or replicas < 0:
            raise invalid(SCALE, call.name, [_negative(replicas)])
        if (uid := uid_of(scale)) and uid != uid_of(old):
            raise conflict(
                call.kind,
                call.name,
                f"Precondition failed: UID in precondition: {uid}, "
                f"UID in object meta: {uid_of(old)}",
            )
        apply = is_apply(call.request)
        options = write_options(call.request, kind_of_options, apply=apply)
        new = with_field(old, ("spec", "replicas"), replicas)
        version = text(scale, "metadata", "resourceVersion") or None
        new = with_field(new, ("metadata", "resourceVersion"), version)
        made = self._registry.update(
            call.kind,
            new,
            user=call.user.name,
            track=partial(
                tracked,
                kind=call.kind,
                shape=shape_of(call.kind),
                manager=options.manager,
                subresource="scale",
                now=self._registry.clock.timestamp(),
            ),
            dry_run=options.dry_run,
        )
        return self._answer(call, made)

    def _answer(self, call: Call, obj: Object) -> Answer:
        return self._answers.one(msgspec.structs.replace(call, kind=SCALE), scale_of(obj))


def _negative(replicas: object) -> Cause:
    return invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")


def scale_of(obj: Object) -> Object:
    """The ``autoscaling/v1`` Scale of an object."""
    metadata: Object = {"name": name_of(obj)}
    for key in ("namespace", "uid", "resourceVersion", "creationTimestamp"):
        metadata[key] = at(obj, "metadata", key)
    replicas = at(obj, "spec", "replicas") or 0
    return {
        "kind": SCALE.kind,
        "apiVersion": SCALE.api_version,
        "metadata": metadata,
        "spec": {"replicas": replicas} if replicas else {},
        "status": {
            "replicas": at(obj, "status", "replicas") or 0,
            "selector": selector_text(fields(obj, "spec", "selector")),
        },
    }


def selector_text(selector: Mapping[str, object]) -> str:
    """A ``metav1.LabelSelector``, or the map of an old ReplicationController, as a query has it.

    Raises ApiError 400 for an operator that there is not.
    """
    if "matchLabels" not in selector and "matchExpressions" not in selector:
        return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
    parts = [(key, f"{key}={value}") for key, value in fields(selector, "matchLabels").items()]
    parts += [(text(item, "key"), _expression(item)) for item in _expressions(selector)]
    return ",".join(part for _, part in sorted(parts))


def _expressions(selector: Mapping[str, object]) -> Sequence[Object]:
    return items(selector, "matchExpressions")


def _expression(item: Object) -> str:
    key, values = text(item, "key"), ",".join(sorted(items(item, "values")))
    match text(item, "operator"):
        case "In":
            return f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case other:
            raise bad_request(f'"{other}" is not a valid label selector operator')
