"""create, update and patch.

Sources: k8s.io/apiserver/pkg/endpoints/handlers/{create.go,update.go,patch.go} (1.37).
"""

from functools import partial

from bridgehead.twin.api.answers import Answers
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.incoming import check_metadata, check_name, check_namespace, read_object
from bridgehead.twin.api.options import WriteOptions, write_options
from bridgehead.twin.api.patching import is_apply, patched
from bridgehead.twin.api.reading import deprecation
from bridgehead.twin.api.versions import served, stored
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.tracking import tracked
from bridgehead.twin.registry import Registry, Track
from bridgehead.twin.schema.shapes import shape_of

_CREATED_BY_UPDATE = frozenset(
    {
        *("clusterroles", "clusterrolebindings", "roles", "rolebindings"),
        *("endpoints", "events", "leases", "limitranges", "runtimeclasses", "services"),
    }
)
"""Resources that an update creates where they are not. Source: AllowCreateOnUpdate."""


class Writing:
    """Answers what changes objects, but for their deletion."""

    def __init__(self, registry: Registry, answers: Answers) -> None:
        self._registry = registry
        self._answers = answers

    def create(self, call: Call) -> Answer:
        """A new object. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "CreateOptions")
        obj = self._incoming(call)
        return self._created(call, obj, options)

    def update(self, call: Call) -> Answer:
        """Another object in the place of one. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "UpdateOptions")
        obj = self._incoming(call)
        check_name(call, obj)
        if self._is_missing(call) and call.kind.plural in _CREATED_BY_UPDATE:
            return self._created(call, obj, options)
        return self._updated(call, obj, options)

    def patch(self, call: Call) -> Answer:
        """A change to an object; an apply creates it. Raises ApiError: 400, 404, 409, 415, 422."""
        apply = is_apply(call.request)
        options = write_options(call.request, "PatchOptions", apply=apply)
        old = None
        if not (apply and self._is_missing(call)):
            old = served(call.kind, self._registry.get(call.kind, call.namespace, call.name))
        obj = patched(call, old, options, self._registry)
        check_metadata(call.kind, obj)
        check_name(call, obj)
        obj = check_namespace(call, obj)
        if old is None:
            return self._created(call, obj, options)
        return self._updated(call, obj, options)

    def _incoming(self, call: Call) -> Object:
        obj = read_object(call, self._registry.kinds)
        check_metadata(call.kind, obj)
        return check_namespace(call, obj)

    def _is_missing(self, call: Call) -> bool:
        return self._registry.store.get(call.kind.stored, call.namespace, call.name) is None

    def _track(self, call: Call, options: WriteOptions) -> Track | None:
        """Who manages what is written; an apply has said that already."""
        if is_apply(call.request):
            return None
        return partial(
            tracked,
            kind=call.kind,
            shape=shape_of(call.kind),
            manager=options.manager,
            subresource=call.address.subresource,
            now=self._registry.clock.timestamp(),
        )

    def _created(self, call: Call, obj: Object, options: WriteOptions) -> Answer:
        made = self._registry.create(
            call.kind,
            stored(call.kind, obj),
            namespace=call.namespace,
            user=call.user,
            track=self._track(call, options),
            dry_run=options.dry_run,
        )
        return self._answers.one(call, made, status=201, warnings=deprecation(call))

    def _updated(self, call: Call, obj: Object, options: WriteOptions) -> Answer:
        made = self._registry.update(
            call.kind,
            stored(call.kind, obj),
            subresource=call.address.subresource,
            user=call.user,
            track=self._track(call, options),
            dry_run=options.dry_run,
        )
        return self._answers.one(call, made, warnings=deprecation(call))
