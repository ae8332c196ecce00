"""Events, as the components of a real cluster write them.

Two ways, as there are two recorders: ``record`` for the kubelet and the controllers (``count``,
``firstTimestamp``, ``lastTimestamp``), and ``announce`` for the scheduler and the node lifecycle's
evictions (``eventTime``, ``action``, ``series``). An event that cannot be written is dropped.

Source: k8s.io/client-go/tools/record/event.go and tools/events/event_broadcaster.go (1.37).
"""

from collections import deque
from collections.abc import Hashable
from typing import Literal
from weakref import WeakKeyDictionary

import msgspec

from bridgehead.twin.controllers.correlation import COMBINED, Correlator
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, name_of, namespace_of, text, uid_of, with_field
from bridgehead.twin.registry import Registry
from bridgehead.twin.store import Change

EVENTS = Stored("", "events")
LIFETIME = 3600.0
"""Seconds after its last write for which an event is kept. Source: ``--event-ttl``."""
SERIES_ENDS = 360.0
"""Seconds without another one after which a series is closed."""

Type = Literal["Normal", "Warning"]


class _Series(msgspec.Struct):
    event: Object
    count: int
    last: float


class _Recorders:
    """What the components of one twin remember."""

    def __init__(self) -> None:
        self.correlators: dict[tuple[str, str], Correlator] = {}
        self.series: dict[Hashable, _Series] = {}
        self._last = 0

    def nanoseconds(self, now: float) -> int:
        """Now, but never the same twice: no two steps of a real machine are at one moment."""
        self._last = max(int(now * 1e9), self._last + 1)
        return self._last

    def correlator(self, component: str, host: str) -> Correlator:
        return self.correlators.setdefault((component, host), Correlator())


_RECORDERS: WeakKeyDictionary[Registry, _Recorders] = WeakKeyDictionary()


def reference(involved: Object, field_path: str = "") -> Object:
    """An ``ObjectReference`` to an object; a reference stays what it is."""
    if "metadata" not in involved:
        return involved
    found = {
        "kind": text(involved, "kind"),
        "namespace": namespace_of(involved),
        "name": name_of(involved),
        "uid": uid_of(involved),
        "apiVersion": text(involved, "apiVersion"),
        "resourceVersion": text(involved, "metadata", "resourceVersion"),
        "fieldPath": field_path,
    }
    return {key: value for key, value in found.items() if value}


def record(
    registry: Registry,
    involved: Object,
    type: Type,  # noqa: A002 - the field's name
    reason: str,
    message: str,
    *,
    component: str,
    host: str = "",
    field_path: str = "",
) -> None:
    """Tell an event of an object (or of an ``ObjectReference``); equal ones raise a count.

    ``host``: the node of a kubelet. ``field_path``: the part of a pod that it is about, such as
    ``spec.containers{main}``.
    """
    recorders = _RECORDERS.setdefault(registry, _Recorders())
    correlator = recorders.correlator(component, host)
    now = registry.clock.now()
    about = reference(involved, field_path)
    whom = (about.get("kind"), about.get("namespace"), about.get("name"), about.get("uid"))
    similar: tuple[Hashable, ...] = (whom, about.get("apiVersion"), type, reason)
    key: tuple[Hashable, ...] = (*similar, about.get("fieldPath"), message)
    combined = correlator.combined(similar, message, now)
    if combined:
        key, message = similar, COMBINED + message
    stamp = registry.clock.timestamp()
    name = f"{about.get('name', '')}.{recorders.nanoseconds(now):x}"
    told = correlator.told(key, name, stamp)
    if not correlator.allowed((whom, about.get("apiVersion"), type), now):
        return
    source = {"component": component, **({"host": host} if host else {})}
    event: Object = {
        "metadata": {"name": told.name, "namespace": about.get("namespace") or "default"},
        "involvedObject": about,
        "reason": reason,
        "message": message,
        "source": source,
        "firstTimestamp": told.first,
        "lastTimestamp": stamp,
        "count": told.count,
        "type": type,
        "eventTime": None,
        "reportingComponent": "" if combined else component,
        "reportingInstance": "" if combined else host,
    }
    _write(registry, event)


def announce(
    registry: Registry,
    regarding: Object,
    type: Type,  # noqa: A002 - the field's name
    reason: str,
    note: str,
    *,
    action: str,
    component: str,
    instance: str,
    related: Object | None = None,
) -> None:
    """Tell an event as the newer recorder does; equal ones within six minutes are a series.

    The second of a series is written at once; later ones are counted and written when none has
    come for six minutes. ``instance``: as ``reportingInstance`` says it.
    """
    recorders = _RECORDERS.setdefault(registry, _Recorders())
    about = reference(regarding)
    others = reference(related) if related else {}
    key = (type, action, reason, component, instance, *about.values(), *others.values())
    now = registry.clock.now()
    if (series := recorders.series.get(key)) is not None:
        series.count, series.last = series.count + 1, now
        if series.count == 2:
            _write(registry, _with_series(registry, series))
        return
    name = f"{about.get('name', '')}.{recorders.nanoseconds(now):x}"
    event: Object = {
        "metadata": {"name": name, "namespace": about.get("namespace") or "default"},
        "involvedObject": about,
        "reason": reason,
        "message": note,
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "type": type,
        "eventTime": registry.clock.micro_timestamp(),
        "action": action,
        **({"related": others} if others else {}),
        "reportingComponent": component,
        "reportingInstance": instance,
    }
    recorders.series[key] = _Series(event=event, count=1, last=now)
    registry.clock.after(SERIES_ENDS, lambda: _finish(registry, recorders, key))
    _write(registry, event)


def forget(registry: Registry, component: str, host: str = "") -> None:
    """A component starts again: it counts its events anew."""
    recorders = _RECORDERS.setdefault(registry, _Recorders())
    recorders.correlators.pop((component, host), None)


class EventExpiry:
    """Events go an hour after their last write, whoever made them."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._due: deque[tuple[float, str, str, int]] = deque()
        """When, whose, and which version of it; oldest first, since all live equally long."""
        self._waits = False

    def start(self) -> None:
        """Follow the store from now on; what is there gets its hour as of now."""
        store = self._registry.store
        store.subscribe(self._changed, EVENTS)
        for event in store.select(EVENTS):
            self._keep(event, int(text(event, "metadata", "resourceVersion") or 0))

    def _changed(self, change: Change) -> None:
        if change.type != "DELETED":
            self._keep(change.object, change.version)

    def _keep(self, event: Object, version: int) -> None:
        due = self._registry.clock.now() + LIFETIME
        self._due.append((due, namespace_of(event), name_of(event), version))
        self._wait()

    def _wait(self) -> None:
        if self._waits or not self._due:
            return
        self._waits = True
        self._registry.clock.after(self._due[0][0] - self._registry.clock.now(), self._sweep)

    def _sweep(self) -> None:
        self._waits = False
        store, now = self._registry.store, self._registry.clock.now()
        while self._due and self._due[0][0] <= now:
            _, namespace, name, version = self._due.popleft()
            event = store.get(EVENTS, namespace, name)
            if event is not None and text(event, "metadata", "resourceVersion") == str(version):
                store.remove(_kind(self._registry), event)
        self._wait()


def _with_series(registry: Registry, series: _Series) -> Object:
    stamp = registry.clock.micro_timestamp()
    return {**series.event, "series": {"count": series.count, "lastObservedTime": stamp}}


def _finish(registry: Registry, recorders: _Recorders, key: Hashable) -> None:
    series = recorders.series[key]
    left = series.last + SERIES_ENDS - registry.clock.now()
    if left > 0:
        registry.clock.after(left, lambda: _finish(registry, recorders, key))
        return
    del recorders.series[key]
    if series.count > 2:
        _write(registry, _with_series(registry, series))


def _write(registry: Registry, event: Object) -> None:
    """Write an event over the one of its name, or anew."""
    kind = _kind(registry)
    namespace, name = namespace_of(event), name_of(event)
    old = registry.store.get(EVENTS, namespace, name)
    try:
        if old is None:
            registry.create(kind, event, namespace=namespace)
            return
        registry.update(kind, with_field(event, ("metadata",), old["metadata"]))
    except ApiError:  # its namespace is about to go, for one; nobody waits for an event
        return


def _kind(registry: Registry) -> Kind:
    found = registry.kinds.at_path("", "v1", "events")
    if found is None:
        raise KeyError("events")
    return found
