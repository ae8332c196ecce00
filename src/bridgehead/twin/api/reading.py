"""get, list and watch."""

from bridgehead.twin.api.answers import Answers
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer, Stream
from bridgehead.twin.api.listing import listed, require_known, version_of
from bridgehead.twin.api.negotiation import form_of
from bridgehead.twin.api.options import ListOptions, Query, list_options
from bridgehead.twin.api.watching import (
    EventType,
    Watch,
    Watches,
    Write,
    event_bytes,
    event_of,
    plain_event,
)
from bridgehead.twin.errors import ApiError, gone
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry
from bridgehead.twin.store import CompactedError

_DEPRECATED = {
    "componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
    "endpoints": ("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
}
_SHORTEST = 1800.0
"""Seconds that a watch lasts at least. Source: MinRequestTimeout of the API server."""


def deprecation(call: Call) -> tuple[str, ...]:
    """What the server says to whoever uses a kind that is on its way out."""
    warning = _DEPRECATED.get(call.kind.plural) if not call.kind.group else None
    return (warning,) if warning else ()


class Reading:
    """Answers what changes nothing."""

    def __init__(self, registry: Registry, answers: Answers, watches: Watches) -> None:
        self._registry = registry
        self._store = registry.store
        self._answers = answers
        self._watches = watches

    def get(self, call: Call) -> Answer:
        """One object. Raises ApiError: 404, and 504 of a version to come."""
        if version := Query(call.request).text("resourceVersion"):
            require_known(self._store, version_of(version))
        obj = self._registry.get(call.kind, call.namespace, call.name)
        return self._answers.one(call, obj, warnings=deprecation(call))

    def list_page(self, call: Call) -> Answer:
        """Many objects. Raises ApiError: 400, 410, 422, 504."""
        options = list_options(call.kind, call.namespace, call.name, call.request)
        page = listed(self._store, call.kind, options)
        return self._answers.page(call, page, warnings=deprecation(call))

    def watch(self, call: Call) -> Stream:
        """What happens to objects. Raises ApiError: 400, 406, 422, 500, 504."""
        form_of(call.request, watch=True)
        options = list_options(call.kind, call.namespace, call.name, call.request)
        version = _version(options)
        initial = options.initial_events
        if initial is None:
            initial = version == 0
        elif initial:
            require_known(self._store, version)
        lasts = options.timeout or _SHORTEST * (1 + self._registry.identifiers.random.random())
        write = self._write(call)
        watch = Watch(self._watches, call.kind, options, write, lasts)
        if initial:
            watch.begin(self._state(call, options), self._store.version)
        elif version == 0:
            watch.begin([], self._store.version)
        else:
            try:
                changes = self._store.since(call.kind.stored, version)
            except CompactedError as error:
                watch.finish(gone(str(error)).status)
                return Stream(chunks=watch)
            events = (event_of(options.selection, change) for change in changes)
            watch.begin(
                [event for event in events if event is not None],
                max(version, self._store.version),
            )
        self._watches.add(watch)
        return Stream(chunks=watch)

    def _state(self, call: Call, options: ListOptions) -> list[tuple[EventType, Object]]:
        everything = ListOptions(selection=options.selection)
        page = listed(self._store, call.kind, everything)
        events: list[tuple[EventType, Object]] = [("ADDED", obj) for obj in page.objects]
        if options.bookmarks:
            events.append(("BOOKMARK", self._watches.bookmark(call.kind, first=True)))
        return events

    def _write(self, call: Call) -> Write:
        """How events are written: plainly, as metadata alone, or as tables."""
        kind, answers = call.kind, self._answers
        convert = call.form.convert
        headed = False

        def write(event: EventType, obj: Object) -> bytes:
            nonlocal headed
            if event == "ERROR":
                return plain_event(event, obj)
            if not convert:
                if event == "BOOKMARK":
                    return plain_event(event, obj)
                return event_bytes(event, answers.whole(kind, obj))
            if event == "BOOKMARK" and convert == "PartialObjectMetadata":
                return plain_event(event, {**obj, "kind": convert, "apiVersion": "meta.k8s.io/v1"})
            value = answers.converted(call, obj, headers=not headed)
            headed = True
            return plain_event(event, value)

        return write


def _version(options: ListOptions) -> int:
    """The version that a watch begins after; 0 for none. Raises ApiError 500, as the real one."""
    if not options.version:
        return 0
    try:
        return version_of(options.version)
    except ApiError as error:
        raise ApiError(500, "", error.status["message"]) from None
