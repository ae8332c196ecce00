"""A recording becomes what rules see: the same way as a live cluster, secrets taken out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from bridgehead.app.observing import observed_from
from bridgehead.app.recorded import NEEDED, NoTimeError
from bridgehead.cluster.convert import component_from, pod_from
from bridgehead.core.diagnose.keeping import Keeping, trimmed
from bridgehead.core.findings.needs import KINDS
from bridgehead.core.findings.observed import Log, LogId, Observed
from bridgehead.core.findings.redaction import redacted
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.decoding import convert
from bridgehead.kube.errors import UnexpectedAnswer
from bridgehead.kube.objects.pod import Pod as PodObject
from bridgehead.sources.folder import Recording, read_folder
from bridgehead.sources.inventory_file import read_inventory_file
from bridgehead.sources.log_files import read_logs
from bridgehead.sources.recorded import LogRemark


class ObservedRecording(msgspec.Struct, frozen=True):
    """What a recording shows, and what is wrong with its files."""

    observed: Observed
    problems: tuple[Problem, ...] = ()


def read_observed(
    path: Path, at: float | None = None, extra: Sequence[JsonObject] = ()
) -> ObservedRecording:
    """What is in an inventory file or in a folder, and ``extra`` objects of our own kinds.

    ``at`` overrules the recording's time.

    What cannot be read is a problem and unread; the rest is read. Raises InventoryFileError for a
    file that is no inventory, NoTimeError for a folder in which nothing tells the time.
    """
    if path.is_dir():
        return _folder(path, at, extra)
    saved = read_inventory_file(path)
    found = observed_of(
        (*saved.objects, *extra),
        at=saved.at if at is None else at,
        server=saved.server,
        complete=(*(() if saved.unread else _KEPT), *(text(item, "kind") for item in extra)),
        unread=(*saved.unread, *_left_out(path)),
    )
    return ObservedRecording(found)


_KEPT = ("Node", "Pod", "DaemonSet", "ControllerRevision")
"""Kinds of which an inventory keeps all that is about devices."""


def _left_out(path: Path) -> tuple[Unread, ...]:
    why = f"an inventory does not keep them, and {path} is one"
    return (Unread("events", why), Unread("logs", why), Unread("pods without devices", why))


def _folder(path: Path, at: float | None, extra: Sequence[JsonObject]) -> ObservedRecording:
    recording = read_folder(path, at)
    logs = read_logs(path)
    now = recording.now if at is None else at
    if logs is not None and at is None and recording.about.at is None:
        newest = max((log.times[-1] for log in logs.logs.values() if log.times), default=0.0)
        now = max(now or 0.0, newest) or None
    if now is None:
        raise NoTimeError(
            f"{path} does not say when it was recorded: no object carries a time; "
            "give it with --at, or in recorded.yaml"
        )
    about = recording.about
    problems = (*recording.problems, *(logs.problems if logs is not None else ()))
    has_logs = logs is not None or about.logs is not None
    found = observed_of(
        (*(item.data for item in recording.objects), *extra),
        at=now,
        server=about.server,
        complete=(*recording.complete, *(text(item, "kind") for item in extra)),
        logs=_remarked(logs.logs if logs else {}, about.logs or {}) if has_logs else None,
        unread=(*about.unread, *(logs.unread if logs else ()), *_missing(recording, path)),
    )
    return ObservedRecording(found, problems)


def _missing(recording: Recording, path: Path) -> Iterator[Unread]:
    """Kinds that are not there or not whole, beyond what the recording itself says of that."""
    lost = recording.hurt - {""}
    known = (recording.complete | recording.about.incomplete) - lost
    for kind, what in NEEDED.items():
        if kind not in known:
            yield Unread(what, f"not recorded, or not whole, in {path}")
    named = {kind: need.value for need, kinds in KINDS.items() for kind in kinds}
    for kind in sorted(lost - NEEDED.keys()):
        yield Unread(named.get(kind, kind), f"not whole in {path}")
    if "" in recording.hurt and NEEDED.keys() <= known:
        yield Unread("objects of a broken file", f"of which kind cannot be told, in {path}")


def _remarked(logs: dict[LogId, Log], remarks: Mapping[str, LogRemark]) -> dict[LogId, Log]:
    """Logs with what is known of them beside their lines."""
    return {
        key: msgspec.structs.replace(log, cut=found.cut, note=found.note, gap=found.gap)
        if (found := remarks.get(log_name(key))) is not None
        else log
        for key, log in logs.items()
    }


def log_name(key: LogId) -> str:
    """The log's file in the folder ``logs`` of a recorded state."""
    previous = "_previous" if key.previous else ""
    return f"{key.namespace}_{key.pod}_{key.container}{previous}.txt"


def observed_of(
    objects: Sequence[JsonObject],
    *,
    at: float,
    server: str = "",
    complete: Iterable[str] = (),
    logs: dict[LogId, Log] | None = None,
    unread: Sequence[Unread] = (),
) -> Observed:
    """Recorded objects as a live cluster would show them: redacted, and of pods only some whole."""
    clean = [redacted(trimmed(item)) for item in objects]
    pods = sorted((item for item in clean if text(item, "kind") == "Pod"), key=_ref)
    others = [item for item in clean if text(item, "kind") != "Pod"]
    keeping = Keeping((component_from(it) for it in others if text(it, "kind") == "DaemonSet"), at)
    whole: list[JsonObject] = []
    nouns: list[Pod] = []
    for item in pods:
        noun = _noun(item)
        if noun is None or keeping.keeps(noun):
            whole.append(item)
        else:
            nouns.append(noun)
    return observed_from(
        [*others, *whole],
        at=at,
        server=server,
        complete=complete,
        logs=logs,
        unread=unread,
        more_pods=nouns,
    )


def _ref(item: JsonObject) -> str:
    """In this order an API server lists pods, too."""
    return f"{text(item, 'metadata', 'namespace')}/{text(item, 'metadata', 'name')}"


def _noun(item: JsonObject) -> Pod | None:
    """The pod; None for an object of a wrong form, which is told where all objects are read."""
    try:
        return pod_from(convert(item, PodObject, "pod"))
    except UnexpectedAnswer:
        return None
