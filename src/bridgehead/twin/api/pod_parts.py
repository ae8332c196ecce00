"""What can be asked of a pod beside itself: a node for it, its eviction, its logs, a shell in it.

Sources: pkg/registry/core/pod/{rest/log.go,strategy.go,storage/storage.go,storage/eviction.go} of
Kubernetes 1.37.
"""

from collections.abc import Callable

import msgspec

from bridgehead.twin.api.answers import value_answer
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.deleting import read_deletion
from bridgehead.twin.api.exchange import Answer, Chunks, Stream
from bridgehead.twin.api.incoming import check_namespace, check_types, read_object
from bridgehead.twin.api.options import Query, write_options
from bridgehead.twin.errors import ApiError, Cause, bad_request, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, fields, items, name_of, text
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.scheduling.binding import bind
from bridgehead.twin.schema.validation.causes import invalid as invalid_value
from bridgehead.twin.timestamps import seconds_of

_TEXT = "text/plain"
_BINDING = Kind(group="", version="v1", kind="Binding", plural="bindings")
_EVICTION = Kind(group="policy", version="v1", kind="Eviction", plural="evictions")
_LOG_OPTIONS = Kind(group="", version="v1", kind="PodLogOptions", plural="pods")


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which lines of a container are asked for."""

    container: str
    previous: bool = False
    """Of the container before the last restart."""
    follow: bool = False
    timestamps: bool = False
    since: float | None = None
    """Lines from then on only, in seconds since the epoch."""
    tail: int | None = None
    """The last so many lines only."""
    limit: int | None = None
    """Bytes after which the answer stops."""


Logs = Callable[[Object, LogOptions], bytes | Chunks]
"""The log of a pod's container; chunks where it is followed. Raises ApiError."""

Evict = Callable[[Registry, str, str, DeleteOptions, bool], None]
"""Deletes a pod where its budget allows it: registry, namespace, name, options, dry run."""


def no_logs(_pod: Object, _options: LogOptions) -> bytes:
    """Of a cluster whose nodes nobody plays. Raises ApiError 500."""
    raise no_process()


class PodParts:
    """Answers what is asked of parts of pods."""

    def __init__(self, registry: Registry, *, logs: Logs, evict: Evict) -> None:
        self._registry = registry
        self._logs = logs
        self._evict = evict

    def bind(self, call: Call) -> Answer:
        """Assign a pod to a node. Raises ApiError: 400, 404, 409, 415, 500."""
        options = write_options(call.request, "CreateOptions")
        binding = read_object(call, self._registry.kinds, expected=_BINDING)
        check_types(_BINDING, binding)
        binding = check_namespace(call, binding)
        name = call.name or name_of(binding)
        if name != name_of(binding):
            raise bad_request("name in URL does not match name in Binding object")
        target = fields(binding, "target")
        kind, node = text(target, "kind"), text(target, "name")
        if kind not in {"", "Node"}:
            supported = '"Node", "<empty>"'
            raise ApiError(
                500,
                "",
                f'target.kind: Unsupported value: "{kind}": supported values: {supported}',
            )
        if not node:
            raise ApiError(500, "", "target.name: Required value")
        if options.dry_run:
            self._registry.get(self._pods, call.namespace, name)
        else:
            uid = text(binding, "metadata", "uid")
            bind(self._registry, call.namespace, name, node, uid=uid)
        return _created(call)

    def evict(self, call: Call) -> Answer:
        """Delete a pod where its budget allows it. Raises ApiError: 400, 404, 415, 422, 429."""
        options = write_options(call.request, "CreateOptions")
        eviction = read_object(call, self._registry.kinds, expected=_EVICTION)
        check_types(_EVICTION, eviction)
        eviction = check_namespace(call, eviction)
        if name_of(eviction) != call.name:
            raise bad_request("name in URL does not match name in Eviction object")
        asked = read_deletion(dict(fields(eviction, "deleteOptions")))
        dry_run = options.dry_run or asked.dry_run
        self._evict(self._registry, call.namespace, call.name, asked.options, dry_run)
        return _created(call)

    def log(self, call: Call) -> Answer | Stream:
        """Lines that a container has written. Raises ApiError: 400, 404, 422, 500."""
        query = Query(call.request)
        since = _since(call, query, self._registry.clock.now())
        tail, limit = query.number("tailLines"), query.number("limitBytes")
        causes: list[Cause] = []
        if tail is not None and tail < 0:
            causes.append(invalid_value("tailLines", tail, "must be greater than or equal to 0"))
        if limit is not None and limit < 1:
            causes.append(invalid_value("limitBytes", limit, "must be greater than 0"))
        seconds = query.number("sinceSeconds")
        if seconds is not None and seconds < 1:
            causes.append(invalid_value("sinceSeconds", seconds, "must be greater than 0"))
        if causes:
            raise invalid(_LOG_OPTIONS, call.name, causes)
        pod = self._registry.get(call.kind, call.namespace, call.name)
        options = LogOptions(
            container=_container(pod, query.text("container")),
            previous=query.flag("previous"),
            follow=query.flag("follow"),
            timestamps=query.flag("timestamps"),
            since=since,
            tail=tail,
            limit=limit,
        )
        if not text(pod, "spec", "nodeName"):
            return Answer(status=204)
        lines = self._logs(pod, options)
        if isinstance(lines, bytes):
            return Answer(body=lines, content_type=_TEXT)
        return Stream(chunks=lines, content_type=_TEXT)

    def shell(self, call: Call) -> Answer:
        """Nothing runs in a simulated container. Raises ApiError: 400, 404, 500."""
        pod = self._registry.get(call.kind, call.namespace, call.name)
        _container(pod, Query(call.request).text("container"))
        if not text(pod, "spec", "nodeName"):
            raise bad_request(f"pod {call.name} does not have a host assigned")
        raise no_process()

    @property
    def _pods(self) -> Kind:
        return self._registry.kinds.named("", "pods")


class Proxy:
    """Answers for the ports of nodes and services, of which there are none."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def refuse(self, call: Call) -> Answer:
        """Raises ApiError: 404, 500."""
        self._registry.get(call.kind, call.namespace, call.name)
        raise no_process()


def no_process() -> ApiError:
    """500 of whatever needs a process or a port of a node."""
    why = "error dialing backend: the node is simulated and runs no processes"
    details = {"causes": [{"message": why}]}
    return ApiError(500, "InternalError", f"Internal error occurred: {why}", details)


def _created(call: Call) -> Answer:
    status: Object = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "code": 201,
    }
    return value_answer(status, call.form, status=201)


def _container(pod: Object, name: str) -> str:
    """The container that is meant. Raises ApiError 400."""
    lists = ("initContainers", "containers", "ephemeralContainers")
    names = [text(item, "name") for key in lists for item in items(pod, "spec", key)]
    if name:
        if name not in names:
            raise bad_request(f"container {name} is not valid for pod {name_of(pod)}")
        return name
    containers = items(pod, "spec", "containers")
    if len(containers) == 1:
        return text(containers[0], "name")
    raise bad_request(
        f"a container name must be specified for pod {name_of(pod)}, "
        f"choose one of: [{' '.join(names)}]"
    )


def _since(call: Call, query: Query, now: float) -> float | None:
    seconds, moment = query.number("sinceSeconds"), query.text("sinceTime")
    if seconds is not None and moment:
        cause = Cause(
            reason="FieldValueForbidden",
            message="Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
            field="",
        )
        raise invalid(_LOG_OPTIONS, call.name, [cause])
    if seconds is not None:
        return now - seconds
    if not moment:
        return None
    try:
        return seconds_of(moment)
    except ValueError:
        raise bad_request(
            f'parsing time "{moment}" as "2006-01-02T15:04:05Z07:00": cannot parse "{moment}" '
            'as "2006"'
        ) from None
