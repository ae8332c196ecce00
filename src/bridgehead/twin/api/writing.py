"""create, update and patch.

Sources: k8s.io/apiserver/pkg/endpoints/handlers/{create.go,update.go,patch.go} (1.37).
"""

from functools import partial

from bridgehead.twin.api.answers import Answers
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.incoming import check_name, check_namespace, completed, read_object
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
        obj, warnings = self._incoming(call, options)
        return self._created(call, self._tracked(call, None, obj, options), options, warnings)

    def update(self, call: Call) -> Answer:
        """Another object in the place of one. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "UpdateOptions")
        obj, warnings = self._incoming(call, options)
        check_name(call, obj)
        old = self._old(call)
        if old is None:
            if call.address.subresource or call.kind.plural not in _CREATED_BY_UPDATE:
                raise not_found(call.kind, call.name)
            obj = self._tracked(call, None, obj, options)
            return self._created(call, obj, options, warnings)
        return self._updated(call, self._tracked(call, old, obj, options), options, warnings)

    def patch(self, call: Call) -> Answer:
        """A change to an object; an apply creates it. Raises ApiError: 400, 404, 409, 415, 422."""
        apply = is_apply(call.request)
        options = write_options(call.request, "PatchOptions", apply=apply)
        old = self._old(call)
        if old is None and call.address.subresource:
            raise not_found(call.kind, call.name)
        obj = patched(call, old, options, self._registry)
        warnings = tuple(patch_warnings(call.kind, obj, options.validation))
        obj = completed(call.kind, obj)
        check_name(call, obj)
        obj = check_namespace(call, obj)
        if not apply:
            obj = self._tracked(call, old, obj, options)
        if old is None:
            return self._created(call, obj, options, warnings)
        return self._updated(call, obj, options, warnings)

    def _incoming(self, call: Call, options: WriteOptions) -> tuple[Object, tuple[str, ...]]:
        """The object that came, complete, and what is to be said of it."""
        obj = read_object(call, self._registry.kinds)
        body = call.request.body
        warnings = tuple(body_warnings(call.kind, obj, options.validation, body))
        return check_namespace(call, completed(call.kind, obj)), warnings

    def _old(self, call: Call) -> Object | None:
        found = self._registry.store.get(call.kind.stored, call.namespace, call.name)
        return None if found is None else served(call.kind, found)

    def _tracked(
        self, call: Call, old: Object | None, obj: Object, options: WriteOptions
    ) -> Object:
        return tracked(
            old,
            obj,
            kind=call.kind,
            shape=shape_of(call.kind),
            manager=options.manager,
            subresource=call.address.subresource,
            now=self._registry.clock.timestamp(),
        )

    def _created(
        self, call: Call, obj: Object, options: WriteOptions, warnings: tuple[str, ...]
    ) -> Answer:
        made = self._registry.create(
            call.kind,
            stored(call.kind, obj),
            namespace=call.namespace,
            user=call.user,
            dry_run=options.dry_run,
        )
        said = deprecation(call) + warnings
        return self._answers.one(call, made, status=201, warnings=said)

    def _updated(
        self, call: Call, obj: Object, options: WriteOptions, warnings: tuple[str, ...]
    ) -> Answer:
        made = self._registry.update(
            call.kind,
            stored(call.kind, obj),
            subresource=call.address.subresource,
            user=call.user,
            dry_run=options.dry_run,
        )
        return self._answers.one(call, made, warnings=deprecation(call) + warnings)
