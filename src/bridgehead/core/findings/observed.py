"""Everything that rules may see of a cluster, live or recorded, as one value."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

import msgspec

from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.verdicts import RunVerdicts
from bridgehead.core.model.json import JsonObject, JsonValue, child, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.model.times import epoch


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A Kubernetes Event, of core/v1 or events.k8s.io/v1; times in seconds since the epoch."""

    type: str
    reason: str
    message: str
    kind: str
    namespace: str
    name: str
    uid: str = ""
    component: str = ""
    """Who reported it: ``kubelet``, ``daemonset-controller``, ..."""
    host: str = ""
    first: float = 0.0
    last: float = 0.0
    count: int = 1

    @property
    def source(self) -> str:
        """As evidence names it."""
        about = "/".join(filter(None, (self.kind, self.namespace, self.name)))
        return f"event {self.reason} on {about}"


class LogId(msgspec.Struct, frozen=True):
    """Which log: of a container's current process, or of the one before it."""

    namespace: str
    pod: str
    container: str
    previous: bool = False

    def __str__(self) -> str:
        return (
            f"{self.namespace}/{self.pod}/{self.container}{' (previous)' if self.previous else ''}"
        )


class Log(msgspec.Struct, frozen=True):
    """The lines of a log, as read; ``first_line`` is the number of the first, from 1.

    ``cut`` says what is missing of a long log. Secrets are redacted on reading. ``times`` has,
    where the kubelet's time stamps were read, the time of each line in seconds since the epoch, to
    the millisecond; they are no part of the line. ``note`` says what else is to be known of the
    reading (another encoding). ``gap`` is, where a part in the middle was not read, the number of
    lines before it and how many are missing, so that ``number_of`` stays right behind it.
    """

    lines: tuple[str, ...]
    first_line: int = 1
    cut: str = ""
    times: tuple[float, ...] = ()
    note: str = ""
    gap: tuple[int, int] | None = None

    def number_of(self, index: int) -> int:
        """The number, from 1, that the line at an index of ``lines`` has in the whole log."""
        skipped = self.gap[1] if self.gap is not None and index >= self.gap[0] else 0
        return self.first_line + index + skipped


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a node said of a resource at an earlier time; None where the name was absent."""

    at: float
    node: str
    resource: str
    capacity: int | None
    allocatable: int | None


class NodeEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Files of one node; None where not looked at, which is not the same as empty.

    ``sockets`` and ``registry`` are names in the kubelet's ``device-plugins`` and
    ``plugins_registry`` folders, ``checkpoint`` the parsed ``kubelet_internal_checkpoint``,
    ``cdi`` file name -> text of the specifications, ``devices`` paths below ``/dev``.
    """

    node: str
    at: float = 0.0
    sockets: tuple[str, ...] | None = None
    registry: tuple[str, ...] | None = None
    checkpoint: JsonObject | None = None
    cdi: Mapping[str, str] | None = None
    devices: tuple[str, ...] | None = None
    modules: tuple[str, ...] | None = None
    kubelet_log: Log | None = None


class Observed(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What was read of a cluster at one time.

    ``snapshot`` has the nouns of all nodes, pods and DaemonSets; ``objects`` the raw objects by
    kind. Of a large live cluster raw pods are kept only where they are about devices or unsound.
    ``met`` says which needs were read completely; what is not in it is unknown, not empty.
    """

    snapshot: Snapshot
    objects: Mapping[str, tuple[JsonObject, ...]] = {}
    events: tuple[Event, ...] = ()
    logs: Mapping[LogId, Log] = {}
    evidence: Mapping[str, NodeEvidence] = {}
    history: tuple[Reading, ...] = ()
    met: frozenset[Need] = frozenset()
    unread: tuple[Unread, ...] = ()
    documents: Mapping[tuple[str, str, str], JsonValue] = {}
    """Entries of ConfigMaps that are documents of their own, by namespace, name and key."""
    verdicts: RunVerdicts = RunVerdicts()

    @property
    def now(self) -> float:
        """When it was read, in seconds since the epoch."""
        return self.snapshot.at

    def has(self, need: Need) -> bool:
        """Whether everything of that sort was read."""
        return need in self.met

    def of_kind(self, kind: str) -> tuple[JsonObject, ...]:
        """Raw objects of a kind, in the order of namespace and name."""
        return self.objects.get(kind, ())

    def raw(self, kind: str, namespace: str, name: str) -> JsonObject | None:
        """One raw object; None where there is none or it was not kept."""
        return self._by_name.get((kind, namespace, name))

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str, str], JsonObject]:
        return {
            (kind, text(item, "metadata", "namespace"), text(item, "metadata", "name")): item
            for kind, items in self.objects.items()
            for item in reversed(items)
        }

    def raw_pod(self, pod: Pod) -> JsonObject:
        """The pod with all its fields; empty where it was not kept."""
        return self.raw("Pod", pod.namespace, pod.name) or {}

    def events_of(self, kind: str, namespace: str, name: str) -> tuple[Event, ...]:
        """Events about one object, oldest first. Node events carry no namespace of the node."""
        return self._events_about.get((kind, "" if kind == "Node" else namespace, name), ())

    @cached_property
    def _events_about(self) -> Mapping[tuple[str, str, str], tuple[Event, ...]]:
        found: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
        for item in sorted(self.events, key=lambda item: item.last):
            namespace = "" if item.kind == "Node" else item.namespace
            found[item.kind, namespace, item.name].append(item)
        return {key: tuple(events) for key, events in found.items()}

    def logs_of(self, pod: Pod) -> tuple[tuple[LogId, Log], ...]:
        """All logs of a pod that were read: current ones first, then previous ones."""
        return self._logs_by_pod.get((pod.namespace, pod.name), ())

    @cached_property
    def _logs_by_pod(self) -> Mapping[tuple[str, str], tuple[tuple[LogId, Log], ...]]:
        found: dict[tuple[str, str], list[tuple[LogId, Log]]] = defaultdict(list)
        for key, log in self.logs.items():
            found[key.namespace, key.pod].append((key, log))
        return {
            pod: tuple(sorted(logs, key=lambda item: (item[0].previous, item[0].container)))
            for pod, logs in found.items()
        }


def event_of(item: JsonObject) -> Event:
    """An Event object of either API as a value; times that are missing are 0."""
    about = child(item, "involvedObject") or child(item, "regarding") or {}
    times = [
        epoch(text(item, *path))
        for path in (
            ("firstTimestamp",),
            ("deprecatedFirstTimestamp",),
            ("eventTime",),
            ("lastTimestamp",),
            ("deprecatedLastTimestamp",),
            ("series", "lastObservedTime"),
        )
    ]
    known = [time for time in times if time is not None]
    count = child(item, "count") or child(item, "series", "count") or child(item, "deprecatedCount")
    return Event(
        type=text(item, "type"),
        reason=text(item, "reason"),
        message=text(item, "message") or text(item, "note"),
        kind=text(about, "kind"),
        namespace=text(about, "namespace"),
        name=text(about, "name"),
        uid=text(about, "uid"),
        component=text(item, "source", "component")
        or text(item, "reportingComponent")
        or text(item, "reportingController"),
        host=text(item, "source", "host") or text(item, "deprecatedSource", "host"),
        first=min(known, default=0.0),
        last=max(known, default=0.0),
        count=count if isinstance(count, int) else 1,
    )
