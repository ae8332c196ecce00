"""create, update and patch.

Sources: k8s.io/apiserver/pkg/endpoints/handlers/{create.go,update.go,patch.go} (1.37).
"""

from functools import partial

from bridgehead.twin.api.answers import Answers
from bridgehead.twin.api.bodies import media_type_of
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.encoding import encoded
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.gate import Access
from bridgehead.twin.api.incoming import (
    check_name,
    check_namespace,
    check_patched,
    check_types,
    read_object,
)
from bridgehead.twin.api.options import WriteOptions, write_options
from bridgehead.twin.api.patching import is_apply, patched
from bridgehead.twin.api.preconditions import check_uid, check_version
from bridgehead.twin.api.reading import deprecation
from bridgehead.twin.api.versions import served, stored
from bridgehead.twin.errors import ApiError, not_found
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.tracking import tracked
from bridgehead.twin.registry import Registry, Track
from bridgehead.twin.schema.shapes import shape_of
from bridgehead.twin.schema.strictness import body_warnings, patch_warnings

_CREATED_BY_UPDATE = frozenset(
    {
        *("clusterroles", "clusterrolebindings", "roles", "rolebindings"),
        *("endpoints", "events", "leases", "limitranges", "runtimeclasses", "services"),
    }
)
"""Resources that an update creates where they are not. Source: AllowCreateOnUpdate."""


_STORED = 3 * 512 * 1024
"""Bytes of an object. Source: DefaultMaxRequestBytes of etcd, which counts protobuf."""
_SURELY_SMALL = 256 * 1024
"""Bytes of a body that makes no object of that size."""


class Writing:
    """Answers what changes objects, but for their deletion."""

    def __init__(self, registry: Registry, answers: Answers, access: Access) -> None:
        self._registry = registry
        self._answers = answers
        self._access = access

    def create(self, call: Call) -> Answer:
        """A new object. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "CreateOptions")
        obj, warnings = self._incoming(call, options)
        return self._created(call, obj, options, warnings)

    def update(self, call: Call) -> Answer:
        """Another object in the place of one. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "UpdateOptions")
        obj, warnings = self._incoming(call, options)
        check_name(call, obj)
        may_create = not call.address.subresource and call.kind.plural in _CREATED_BY_UPDATE
        old = self._old(call)
        if may_create and old is None:
            return self._created(call, obj, options, warnings)
        check_version(call.kind, obj, update=old is not None)
        return self._updated(call, obj, options, warnings)

    def patch(self, call: Call) -> Answer:
        """A change to an object; an apply creates it. Raises ApiError: 400, 404, 409, 415, 422."""
        options = write_options(call.request, "PatchOptions", apply=is_apply(call.request))
        old = self._old(call)
        if old is None and call.address.subresource:
            raise not_found(call.kind, call.name)
        obj = patched(call, old, options, self._registry)
        warnings = tuple(_patch_warnings(call, obj, options))
        check_patched(call.kind, obj)
        check_name(call, obj)
        obj = check_namespace(call, obj)
        check_version(call.kind, obj)
        if old is None:
            return self._created(call, obj, options, warnings)
        check_uid(call.kind, obj, old)
        return self._updated(call, obj, options, warnings)

    def _incoming(self, call: Call, options: WriteOptions) -> tuple[Object, tuple[str, ...]]:
        """The object that came, and what is to be said of it."""
        obj = read_object(call, self._registry.kinds)
        body = call.request.body
        warnings = tuple(body_warnings(call.kind, obj, options.validation, body))
        check_types(call.kind, obj)
        return check_namespace(call, obj), warnings

    def _old(self, call: Call) -> Object | None:
        found = self._registry.store.get(call.kind.stored, call.namespace, call.name)
        return None if found is None else served(call.kind, found)

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

    def _kind(self, call: Call) -> Kind:
        """The kind as which an object is stored."""
        group, plural = call.kind.stored
        return call.kind if group == call.kind.group else self._registry.kinds.named(group, plural)

    def _created(
        self, call: Call, obj: Object, options: WriteOptions, warnings: tuple[str, ...]
    ) -> Answer:
        self._access.check_grant(call.user, call.kind, call.namespace, obj, None)
        said = [*deprecation(call), *warnings]
        too_large = _is_too_large(call, obj)
        made = self._registry.create(
            self._kind(call),
            stored(call.kind, obj),
            namespace=call.namespace,
            user=call.user.name,
            track=self._track(call, options),
            warnings=said,
            dry_run=options.dry_run or too_large,
        )
        if too_large and not options.dry_run:
            raise ApiError(500, "", "etcdserver: request is too large")
        return self._answers.one(call, made, status=201, warnings=tuple(said))

    def _updated(
        self, call: Call, obj: Object, options: WriteOptions, warnings: tuple[str, ...]
    ) -> Answer:
        self._access.check_grant(call.user, call.kind, call.namespace, obj, self._old(call))
        said = [*deprecation(call), *warnings]
        too_large = _is_too_large(call, obj)
        made = self._registry.update(
            self._kind(call),
            stored(call.kind, obj),
            subresource=call.address.subresource,
            user=call.user.name,
            track=self._track(call, options),
            warnings=said,
            dry_run=options.dry_run or too_large,
        )
        if too_large and not options.dry_run:
            raise ApiError(500, "", "etcdserver: request is too large")
        return self._answers.one(call, made, warnings=tuple(said))


def _is_too_large(call: Call, obj: Object) -> bool:
    """Whether an object is more than the store takes at once, which is found out last."""
    return len(call.request.body) > _SURELY_SMALL and len(encoded(obj)) > _STORED


def _patch_warnings(call: Call, obj: Object, options: WriteOptions) -> list[str]:
    if is_apply(call.request):
        return patch_warnings(call.kind, obj, options.validation)
    media_type = media_type_of(call.request.headers.get("content-type", ""))
    body = call.request.body
    return patch_warnings(call.kind, obj, options.validation, body, media_type)
